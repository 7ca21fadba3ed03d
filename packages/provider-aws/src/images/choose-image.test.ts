// Which image of a NodeClass an instance type starts from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequirementSpec } from '@karpenter-ts/apis';
import type { StatusAmi } from '../node-class/node-class-parts.ts';
import { chooseImage } from './choose-image.ts';

const GPU = 'karpenter.k8s.aws/instance-gpu-count';
const ACCELERATOR = 'karpenter.k8s.aws/instance-accelerator-count';
const ARCH = 'kubernetes.io/arch';

const is = (key: string, ...values: string[]): RequirementSpec => ({ key, operator: 'In', values });
const exists = (key: string): RequirementSpec => ({ key, operator: 'Exists' });
const absent = (key: string): RequirementSpec => ({ key, operator: 'DoesNotExist' });
const ami = (id: string, ...requirements: RequirementSpec[]): StatusAmi => ({ id, requirements });

const standard = ami('ami-standard', is(ARCH, 'amd64'), absent(ACCELERATOR), absent(GPU));
const arm = ami('ami-arm', is(ARCH, 'arm64'), absent(ACCELERATOR), absent(GPU));
const nvidia = ami('ami-nvidia', is(ARCH, 'amd64'), exists(GPU));
const neuron = ami('ami-neuron', is(ARCH, 'amd64'), exists(ACCELERATOR));
const all = [standard, arm, nvidia, neuron];

const plain = [is(ARCH, 'amd64'), absent(GPU), absent(ACCELERATOR)];

test('08/134 a GPU type takes the nvidia image, a Neuron type the neuron image, and others the standard one', () => {
  assert.equal(chooseImage(plain, all), standard);
  assert.equal(chooseImage([is(ARCH, 'arm64'), absent(GPU), absent(ACCELERATOR)], all), arm);
  assert.equal(chooseImage([is(ARCH, 'amd64'), is(GPU, '4'), absent(ACCELERATOR)], all), nvidia);
  assert.equal(chooseImage([is(ARCH, 'amd64'), absent(GPU), is(ACCELERATOR, '1')], all), neuron);
});

test('the first image of the status that suits a type is taken', () => {
  assert.equal(
    chooseImage(plain, [arm, ami('ami-b', is(ARCH, 'amd64')), ami('ami-a', is(ARCH, 'amd64'))])?.id,
    'ami-b',
  );
});

test('no image suits a type of another architecture, and none is found without images', () => {
  assert.equal(chooseImage([is(ARCH, 'arm64')], [standard]), undefined);
  assert.equal(chooseImage(plain, []), undefined);
});

test('an image that asks for a label which a type does not define suits no type, unless its absence is asked for', () => {
  assert.equal(chooseImage([is(ARCH, 'amd64')], [ami('ami-1', is(ARCH, 'amd64'), exists('team'))]), undefined);
  assert.equal(chooseImage([is(ARCH, 'amd64')], [standard]), standard);
  assert.equal(
    chooseImage([is(ARCH, 'amd64')], [ami('ami-1', { key: 'team', operator: 'NotIn', values: ['a'] })])?.id,
    'ami-1',
  );
});
