import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instanceTypeFacts } from '@karpenter-ts/ec2-facts';
import { factsOf, nodeClass, ZONES } from '../offerings/testing/type-environment.ts';
import { describeType } from './describe-type.ts';
import { readTypeSettings } from './type-settings.ts';

const OPTIONS = { region: 'us-west-2', vmMemoryOverheadPercent: 0.075, reservedEnis: 0 };

/** The values of each label of a type; null where the label cannot be there. */
function labelsOf(name: string, of = nodeClass()): Readonly<Record<string, readonly string[] | null>> {
  const facts = { info: factsOf(name), zones: new Set(ZONES) };
  const { requirements } = describeType(facts, readTypeSettings(of, OPTIONS));
  return Object.fromEntries(
    requirements.map(({ key, operator, values }) => [key, operator === 'DoesNotExist' ? null : (values ?? [])]),
  );
}

/** Of the labels `karpenter.k8s.aws/instance-…` the part behind the dash, with single values. */
function instanceLabels(name: string): Readonly<Record<string, string | null>> {
  const prefix = 'karpenter.k8s.aws/instance-';
  const found = Object.entries(labelsOf(name)).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(found.map(([key, values]) => [key.slice(prefix.length), values && values.join()]));
}

test('07/5 the labels of a type with a GPU and local disks', () => {
  const labels = instanceLabels('g4dn.8xlarge');
  const expected = {
    category: 'g',
    generation: '4',
    family: 'g4dn',
    size: '8xlarge',
    'gpu-name': 't4',
    'gpu-manufacturer': 'nvidia',
    'gpu-count': '1',
    'gpu-memory': '16384',
    'local-nvme': '900',
    'network-bandwidth': '50000',
    hypervisor: 'nitro',
    'accelerator-name': null,
  };
  assert.deepEqual({ ...labels, ...expected }, labels);
});

test('07/6 the labels of a type with an accelerator, which is no GPU', () => {
  const labels = instanceLabels('inf2.xlarge');
  const expected = {
    category: 'inf',
    'accelerator-name': 'inferentia2',
    'accelerator-manufacturer': 'aws',
    'accelerator-count': '1',
    'gpu-name': null,
    'gpu-manufacturer': null,
    'gpu-count': null,
    'gpu-memory': null,
  };
  assert.deepEqual({ ...labels, ...expected }, labels);
});

test('07/7 flex types say so, and others that they are not', () => {
  assert.equal(instanceLabels('m7i-flex.large')['capability-flex'], 'true');
  assert.equal(instanceLabels('m7i.large')['capability-flex'], 'false');
});

test('07/8 no type has the label for enclaves, which is of a later version', () => {
  for (const name of Object.keys(instanceTypeFacts())) {
    assert.equal('karpenter.k8s.aws/nitro-sandbox' in labelsOf(name), false, name);
  }
});

test('07/9 with a Windows family types are for Windows, but those that cannot run it', () => {
  const windows = nodeClass({ spec: { amiSelectorTerms: [{ alias: 'windows2022@latest' }] } });
  const labels = labelsOf('m5.large', windows);
  assert.deepEqual(labels['kubernetes.io/os'], ['windows']);
  assert.deepEqual(labels['node.kubernetes.io/windows-build'], ['10.0.20348']);
  assert.equal(labelsOf('m6g.large', windows)['kubernetes.io/os'], null);
  assert.deepEqual(labelsOf('m5.large')['kubernetes.io/os'], ['linux']);
  assert.equal(labelsOf('m5.large')['node.kubernetes.io/windows-build'], null);
});

test('zones are those that offer the type and have a subnet', () => {
  const labels = labelsOf('m5.large');
  assert.deepEqual(labels['topology.kubernetes.io/zone'], ['us-west-2a', 'us-west-2b', 'us-west-2c']);
  assert.deepEqual(labels['topology.k8s.aws/zone-id'], ['usw2-az1', 'usw2-az2', 'usw2-az3']);
  assert.equal('topology.k8s.aws/zone-id' in labelsOf('m5.large', nodeClass({ status: { subnets: [] } })), false);
});
