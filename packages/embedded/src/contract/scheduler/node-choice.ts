import assert from 'node:assert/strict';
import type { NodeSelectorRequirement } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Arena, inArena, type PodOptions } from './arena.ts';

const TAINT = { key: 'special', value: 'yes', effect: 'NoSchedule' };

/** Taints, cordons, selectors and node affinity. */
export const nodeChoiceCases: readonly ContractCase[] = [
  inArena('a taint that is not tolerated keeps a pod away', async (arena) => {
    await arena.node('a', { taints: [TAINT] });
    await arena.pod('pod');
    await arena.complaintOf('pod', /\d+ node\(s\) had untolerated taint\(s\)[,.]/);
  }),
  inArena('a toleration for the very taint lets a pod on', async (arena) => {
    await arena.node('a', { taints: [TAINT] });
    await arena.pod('pod', {
      tolerations: [{ key: 'special', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }],
    });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('a toleration for another value or effect does not let a pod on', async (arena) => {
    await arena.node('a', { taints: [TAINT] });
    const toleration = { key: 'special', operator: 'Equal', value: 'yes', effect: 'NoSchedule' };
    await arena.pod('value', { tolerations: [{ ...toleration, value: 'no' }] });
    await arena.complaintOf('value', /untolerated taint/);
    await arena.pod('effect', { tolerations: [{ ...toleration, effect: 'NoExecute' }] });
    await arena.complaintOf('effect', /untolerated taint/);
  }),
  inArena('a toleration without effect covers NoExecute too', async (arena) => {
    await arena.node('a', { taints: [{ ...TAINT, effect: 'NoExecute' }] });
    await arena.pod('other');
    await arena.complaintOf('other', /untolerated taint/);
    await arena.pod('pod', { tolerations: [{ key: 'special', operator: 'Exists' }] });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('a PreferNoSchedule taint makes a node the last choice, even when the others are fuller', async (arena) => {
    await arena.node('b', { allocatable: { pods: '2' } });
    await arena.pod('filler', { requests: { cpu: '2' } });
    await arena.placeOf('filler');
    await arena.node('a', { taints: [{ ...TAINT, effect: 'PreferNoSchedule' }] });
    await arena.pod('first');
    assert.equal(await arena.placeOf('first'), 'b');
    await arena.pod('second');
    assert.equal(await arena.placeOf('second'), 'a');
  }),
  inArena('a waiting pod goes to a node whose taint is taken off', async (arena) => {
    await arena.node('a', { taints: [TAINT] });
    await arena.pod('pod');
    await arena.complaintOf('pod', /untolerated taint/);
    await arena.taintNode('a', []);
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('a cordoned node takes no pods until it is uncordoned', async (arena) => {
    await arena.node('a', { unschedulable: true });
    await arena.pod('pod');
    await arena.complaintOf('pod', /\d+ node\(s\) were unschedulable[,.]/);
    await arena.changeNode('a', { spec: { unschedulable: false } });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('a pod that tolerates the taint of cordoned nodes goes there', async (arena) => {
    await arena.node('a', { unschedulable: true });
    await arena.pod('pod', { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('a node selector means every one of its labels', async (arena) => {
    await arena.node('a', { labels: { disk: 'ssd' } });
    await arena.node('b', { labels: { disk: 'ssd', size: 'xl' } });
    await arena.pod('pod', { nodeSelector: { disk: 'ssd', size: 'xl' } });
    assert.equal(await arena.placeOf('pod'), 'b');
  }),
  inArena('a pod whose selector no node meets is told so, until a node does', async (arena) => {
    await arena.node('a');
    await arena.pod('pod', { nodeSelector: { disk: 'ssd' } });
    await arena.complaintOf('pod', /\d+ node\(s\) didn't match Pod's node affinity\/selector[,.]/);
    await arena.changeNode('a', { metadata: { labels: { disk: 'ssd' } } });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('In and NotIn choose by value, and NotIn also means nodes without the label', async (arena) => {
    await threeSizes(arena);
    assert.equal(await placeWith(arena, 'in', { key: 'size', operator: 'In', values: ['9', '10'] }), 'large');
    assert.equal(await placeWith(arena, 'not-in', { key: 'size', operator: 'NotIn', values: ['2', '10'] }), 'none');
  }),
  inArena('Exists and DoesNotExist choose by the label alone', async (arena) => {
    await threeSizes(arena);
    assert.notEqual(await placeWith(arena, 'exists', { key: 'size', operator: 'Exists' }), 'none');
    assert.equal(await placeWith(arena, 'absent', { key: 'size', operator: 'DoesNotExist' }), 'none');
  }),
  inArena('Gt and Lt compare numbers, not texts', async (arena) => {
    await threeSizes(arena);
    assert.equal(await placeWith(arena, 'gt', { key: 'size', operator: 'Gt', values: ['9'] }), 'large');
    assert.equal(await placeWith(arena, 'lt', { key: 'size', operator: 'Lt', values: ['9'] }), 'small');
  }),
  inArena('of several terms one is enough; of a term all expressions count', async (arena) => {
    await arena.node('a', { labels: { x: '1' } });
    await arena.node('b', { labels: { x: '2', y: '2' } });
    const has = (key: string, value: string): NodeSelectorRequirement => ({ key, operator: 'In', values: [value] });
    await arena.pod(
      'pod',
      required([
        [has('x', '1'), has('y', '1')],
        [has('x', '2'), has('y', '2')],
      ]),
    );
    assert.equal(await arena.placeOf('pod'), 'b');
  }),
  inArena('a node meant by its name is the only one looked at', async (arena) => {
    await arena.node('a', { allocatable: { cpu: '1' } });
    await arena.node('b');
    const names = [arena.context.unique('a')];
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: names }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
    };
    await arena.pod('fits', { affinity });
    assert.equal(await arena.placeOf('fits'), 'a');
    await arena.pod('pod', { affinity, requests: { cpu: '2' } });
    const message = await arena.complaintOf('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /\d+ node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\][,.]/);
  }),
  inArena('of preferred terms the heavier decides', async (arena) => {
    await arena.node('a', { labels: { x: 'light' } });
    await arena.node('b', { labels: { x: 'heavy' } });
    const prefer = (weight: number, value: string) => ({
      weight,
      preference: { matchExpressions: [{ key: 'x', operator: 'In', values: [value] }] },
    });
    const preferred = [prefer(10, 'light'), prefer(90, 'heavy')];
    await arena.pod('pod', {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    });
    assert.equal(await arena.placeOf('pod'), 'b');
  }),
];

async function threeSizes(arena: Arena): Promise<void> {
  await arena.node('none');
  await arena.node('small', { labels: { size: '2' } });
  await arena.node('large', { labels: { size: '10' } });
}

async function placeWith(arena: Arena, pod: string, requirement: NodeSelectorRequirement): Promise<string> {
  await arena.pod(pod, required([[requirement]]));
  return arena.placeOf(pod);
}

function required(terms: readonly (readonly NodeSelectorRequirement[])[]): PodOptions {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}
