import assert from 'node:assert/strict';
import type { NodeSelectorRequirement } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerEnvironment, schedulerCase, type PodOptions } from './scheduler-environment.ts';

const TAINT = { key: 'special', value: 'yes', effect: 'NoSchedule' };

/** Taints, cordons, selectors and node affinity. */
export const nodeChoiceCases: readonly ContractCase[] = [
  schedulerCase('a taint that is not tolerated keeps a pod away', async (env) => {
    await env.node('a', { taints: [TAINT] });
    await env.pod('pod');
    await env.unschedulableMessage('pod', /\d+ node\(s\) had untolerated taint\(s\)[,.]/);
  }),
  schedulerCase('a toleration for the very taint lets a pod on', async (env) => {
    await env.node('a', { taints: [TAINT] });
    await env.pod('pod', {
      tolerations: [{ key: 'special', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }],
    });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('a toleration for another value or effect does not let a pod on', async (env) => {
    await env.node('a', { taints: [TAINT] });
    const toleration = { key: 'special', operator: 'Equal', value: 'yes', effect: 'NoSchedule' };
    await env.pod('value', { tolerations: [{ ...toleration, value: 'no' }] });
    await env.unschedulableMessage('value', /untolerated taint/);
    await env.pod('effect', { tolerations: [{ ...toleration, effect: 'NoExecute' }] });
    await env.unschedulableMessage('effect', /untolerated taint/);
  }),
  schedulerCase('a toleration without effect covers NoExecute too', async (env) => {
    await env.node('a', { taints: [{ ...TAINT, effect: 'NoExecute' }] });
    await env.pod('other');
    await env.unschedulableMessage('other', /untolerated taint/);
    await env.pod('pod', { tolerations: [{ key: 'special', operator: 'Exists' }] });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase(
    'a PreferNoSchedule taint makes a node the last choice, even when the others are fuller',
    async (env) => {
      await env.node('b', { allocatable: { pods: '2' } });
      await env.pod('filler', { requests: { cpu: '2' } });
      await env.nodeOf('filler');
      await env.node('a', { taints: [{ ...TAINT, effect: 'PreferNoSchedule' }] });
      await env.pod('first');
      assert.equal(await env.nodeOf('first'), 'b');
      await env.pod('second');
      assert.equal(await env.nodeOf('second'), 'a');
    },
  ),
  schedulerCase('a waiting pod goes to a node whose taint is taken off', async (env) => {
    await env.node('a', { taints: [TAINT] });
    await env.pod('pod');
    await env.unschedulableMessage('pod', /untolerated taint/);
    await env.taintNode('a', []);
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('a cordoned node takes no pods until it is uncordoned', async (env) => {
    await env.node('a', { unschedulable: true });
    await env.pod('pod');
    await env.unschedulableMessage('pod', /\d+ node\(s\) were unschedulable[,.]/);
    await env.changeNode('a', { spec: { unschedulable: false } });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('a pod that tolerates the taint of cordoned nodes goes there', async (env) => {
    await env.node('a', { unschedulable: true });
    await env.pod('pod', { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('a node selector means every one of its labels', async (env) => {
    await env.node('a', { labels: { disk: 'ssd' } });
    await env.node('b', { labels: { disk: 'ssd', size: 'xl' } });
    await env.pod('pod', { nodeSelector: { disk: 'ssd', size: 'xl' } });
    assert.equal(await env.nodeOf('pod'), 'b');
  }),
  schedulerCase('a pod whose selector no node meets is told so, until a node does', async (env) => {
    await env.node('a');
    await env.pod('pod', { nodeSelector: { disk: 'ssd' } });
    await env.unschedulableMessage('pod', /\d+ node\(s\) didn't match Pod's node affinity\/selector[,.]/);
    await env.changeNode('a', { metadata: { labels: { disk: 'ssd' } } });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('In and NotIn choose by value, and NotIn also means nodes without the label', async (env) => {
    await threeSizes(env);
    assert.equal(await placeWith(env, 'in', { key: 'size', operator: 'In', values: ['9', '10'] }), 'large');
    assert.equal(await placeWith(env, 'not-in', { key: 'size', operator: 'NotIn', values: ['2', '10'] }), 'none');
  }),
  schedulerCase('Exists and DoesNotExist choose by the label alone', async (env) => {
    await threeSizes(env);
    assert.notEqual(await placeWith(env, 'exists', { key: 'size', operator: 'Exists' }), 'none');
    assert.equal(await placeWith(env, 'absent', { key: 'size', operator: 'DoesNotExist' }), 'none');
  }),
  schedulerCase('Gt and Lt compare numbers, not texts', async (env) => {
    await threeSizes(env);
    assert.equal(await placeWith(env, 'gt', { key: 'size', operator: 'Gt', values: ['9'] }), 'large');
    assert.equal(await placeWith(env, 'lt', { key: 'size', operator: 'Lt', values: ['9'] }), 'small');
  }),
  schedulerCase('of several terms one is enough; of a term all expressions count', async (env) => {
    await env.node('a', { labels: { x: '1' } });
    await env.node('b', { labels: { x: '2', y: '2' } });
    const has = (key: string, value: string): NodeSelectorRequirement => ({ key, operator: 'In', values: [value] });
    await env.pod(
      'pod',
      required([
        [has('x', '1'), has('y', '1')],
        [has('x', '2'), has('y', '2')],
      ]),
    );
    assert.equal(await env.nodeOf('pod'), 'b');
  }),
  schedulerCase('a node meant by its name is the only one looked at', async (env) => {
    await env.node('a', { allocatable: { cpu: '1' } });
    await env.node('b');
    const names = [env.context.unique('a')];
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: names }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
    };
    await env.pod('fits', { affinity });
    assert.equal(await env.nodeOf('fits'), 'a');
    await env.pod('pod', { affinity, requests: { cpu: '2' } });
    const message = await env.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /\d+ node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\][,.]/);
  }),
  schedulerCase('of preferred terms the heavier decides', async (env) => {
    await env.node('a', { labels: { x: 'light' } });
    await env.node('b', { labels: { x: 'heavy' } });
    const prefer = (weight: number, value: string) => ({
      weight,
      preference: { matchExpressions: [{ key: 'x', operator: 'In', values: [value] }] },
    });
    const preferred = [prefer(10, 'light'), prefer(90, 'heavy')];
    await env.pod('pod', {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    });
    assert.equal(await env.nodeOf('pod'), 'b');
  }),
];

async function threeSizes(env: SchedulerEnvironment): Promise<void> {
  await env.node('none');
  await env.node('small', { labels: { size: '2' } });
  await env.node('large', { labels: { size: '10' } });
}

async function placeWith(
  env: SchedulerEnvironment,
  pod: string,
  requirement: NodeSelectorRequirement,
): Promise<string> {
  await env.pod(pod, required([[requirement]]));
  return env.nodeOf(pod);
}

function required(terms: readonly (readonly NodeSelectorRequirement[])[]): PodOptions {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}
