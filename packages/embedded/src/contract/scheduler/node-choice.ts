import assert from 'node:assert/strict';
import type { NodeSelectorRequirement } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerFixture, schedulerCase, type PodOptions } from './scheduler-fixture.ts';

const TAINT = { key: 'special', value: 'yes', effect: 'NoSchedule' };

/** Taints, cordons, selectors and node affinity. */
export const nodeChoiceCases: readonly ContractCase[] = [
  schedulerCase('a taint that is not tolerated keeps a pod away', async (fixture) => {
    await fixture.node('a', { taints: [TAINT] });
    await fixture.pod('pod');
    await fixture.unschedulableMessage('pod', /\d+ node\(s\) had untolerated taint\(s\)[,.]/);
  }),
  schedulerCase('a toleration for the very taint lets a pod on', async (fixture) => {
    await fixture.node('a', { taints: [TAINT] });
    await fixture.pod('pod', {
      tolerations: [{ key: 'special', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }],
    });
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('a toleration for another value or effect does not let a pod on', async (fixture) => {
    await fixture.node('a', { taints: [TAINT] });
    const toleration = { key: 'special', operator: 'Equal', value: 'yes', effect: 'NoSchedule' };
    await fixture.pod('value', { tolerations: [{ ...toleration, value: 'no' }] });
    await fixture.unschedulableMessage('value', /untolerated taint/);
    await fixture.pod('effect', { tolerations: [{ ...toleration, effect: 'NoExecute' }] });
    await fixture.unschedulableMessage('effect', /untolerated taint/);
  }),
  schedulerCase('a toleration without effect covers NoExecute too', async (fixture) => {
    await fixture.node('a', { taints: [{ ...TAINT, effect: 'NoExecute' }] });
    await fixture.pod('other');
    await fixture.unschedulableMessage('other', /untolerated taint/);
    await fixture.pod('pod', { tolerations: [{ key: 'special', operator: 'Exists' }] });
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase(
    'a PreferNoSchedule taint makes a node the last choice, even when the others are fuller',
    async (fixture) => {
      await fixture.node('b', { allocatable: { pods: '2' } });
      await fixture.pod('filler', { requests: { cpu: '2' } });
      await fixture.nodeOf('filler');
      await fixture.node('a', { taints: [{ ...TAINT, effect: 'PreferNoSchedule' }] });
      await fixture.pod('first');
      assert.equal(await fixture.nodeOf('first'), 'b');
      await fixture.pod('second');
      assert.equal(await fixture.nodeOf('second'), 'a');
    },
  ),
  schedulerCase('a waiting pod goes to a node whose taint is taken off', async (fixture) => {
    await fixture.node('a', { taints: [TAINT] });
    await fixture.pod('pod');
    await fixture.unschedulableMessage('pod', /untolerated taint/);
    await fixture.taintNode('a', []);
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('a cordoned node takes no pods until it is uncordoned', async (fixture) => {
    await fixture.node('a', { unschedulable: true });
    await fixture.pod('pod');
    await fixture.unschedulableMessage('pod', /\d+ node\(s\) were unschedulable[,.]/);
    await fixture.changeNode('a', { spec: { unschedulable: false } });
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('a pod that tolerates the taint of cordoned nodes goes there', async (fixture) => {
    await fixture.node('a', { unschedulable: true });
    await fixture.pod('pod', { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] });
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('a node selector means every one of its labels', async (fixture) => {
    await fixture.node('a', { labels: { disk: 'ssd' } });
    await fixture.node('b', { labels: { disk: 'ssd', size: 'xl' } });
    await fixture.pod('pod', { nodeSelector: { disk: 'ssd', size: 'xl' } });
    assert.equal(await fixture.nodeOf('pod'), 'b');
  }),
  schedulerCase('a pod whose selector no node meets is told so, until a node does', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('pod', { nodeSelector: { disk: 'ssd' } });
    await fixture.unschedulableMessage('pod', /\d+ node\(s\) didn't match Pod's node affinity\/selector[,.]/);
    await fixture.changeNode('a', { metadata: { labels: { disk: 'ssd' } } });
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('In and NotIn choose by value, and NotIn also means nodes without the label', async (fixture) => {
    await threeSizes(fixture);
    assert.equal(await placeWith(fixture, 'in', { key: 'size', operator: 'In', values: ['9', '10'] }), 'large');
    assert.equal(await placeWith(fixture, 'not-in', { key: 'size', operator: 'NotIn', values: ['2', '10'] }), 'none');
  }),
  schedulerCase('Exists and DoesNotExist choose by the label alone', async (fixture) => {
    await threeSizes(fixture);
    assert.notEqual(await placeWith(fixture, 'exists', { key: 'size', operator: 'Exists' }), 'none');
    assert.equal(await placeWith(fixture, 'absent', { key: 'size', operator: 'DoesNotExist' }), 'none');
  }),
  schedulerCase('Gt and Lt compare numbers, not texts', async (fixture) => {
    await threeSizes(fixture);
    assert.equal(await placeWith(fixture, 'gt', { key: 'size', operator: 'Gt', values: ['9'] }), 'large');
    assert.equal(await placeWith(fixture, 'lt', { key: 'size', operator: 'Lt', values: ['9'] }), 'small');
  }),
  schedulerCase('of several terms one is enough; of a term all expressions count', async (fixture) => {
    await fixture.node('a', { labels: { x: '1' } });
    await fixture.node('b', { labels: { x: '2', y: '2' } });
    const has = (key: string, value: string): NodeSelectorRequirement => ({ key, operator: 'In', values: [value] });
    await fixture.pod(
      'pod',
      required([
        [has('x', '1'), has('y', '1')],
        [has('x', '2'), has('y', '2')],
      ]),
    );
    assert.equal(await fixture.nodeOf('pod'), 'b');
  }),
  schedulerCase('a node meant by its name is the only one looked at', async (fixture) => {
    await fixture.node('a', { allocatable: { cpu: '1' } });
    await fixture.node('b');
    const names = [fixture.context.unique('a')];
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: names }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
    };
    await fixture.pod('fits', { affinity });
    assert.equal(await fixture.nodeOf('fits'), 'a');
    await fixture.pod('pod', { affinity, requests: { cpu: '2' } });
    const message = await fixture.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /\d+ node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\][,.]/);
  }),
  schedulerCase('of preferred terms the heavier decides', async (fixture) => {
    await fixture.node('a', { labels: { x: 'light' } });
    await fixture.node('b', { labels: { x: 'heavy' } });
    const prefer = (weight: number, value: string) => ({
      weight,
      preference: { matchExpressions: [{ key: 'x', operator: 'In', values: [value] }] },
    });
    const preferred = [prefer(10, 'light'), prefer(90, 'heavy')];
    await fixture.pod('pod', {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    });
    assert.equal(await fixture.nodeOf('pod'), 'b');
  }),
];

async function threeSizes(fixture: SchedulerFixture): Promise<void> {
  await fixture.node('none');
  await fixture.node('small', { labels: { size: '2' } });
  await fixture.node('large', { labels: { size: '10' } });
}

async function placeWith(
  fixture: SchedulerFixture,
  pod: string,
  requirement: NodeSelectorRequirement,
): Promise<string> {
  await fixture.pod(pod, required([[requirement]]));
  return fixture.nodeOf(pod);
}

function required(terms: readonly (readonly NodeSelectorRequirement[])[]): PodOptions {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}
