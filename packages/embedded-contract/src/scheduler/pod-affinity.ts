import assert from 'node:assert/strict';
import { NAMESPACES, type PodAffinityTerm } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerEnvironment, schedulerCase, type PodOptions } from './scheduler-environment.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const WEB = { app: 'web' };

/** Pods that want to be near others, or away from them. */
export const podAffinityCases: readonly ContractCase[] = [
  schedulerCase('a pod goes to the zone of the pod it wants to be near', async (env) => {
    await env.zones('z1', 'z2', 'z3');
    await env.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await env.nodeOf('web');
    await env.pod('pod', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await env.nodeOf('pod'), 'z2');
  }),
  schedulerCase('a pod that finds nobody to be near waits until there is one', async (env) => {
    await env.zones('z1', 'z2');
    await env.pod('pod', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    await env.unschedulableMessage('pod', /2 node\(s\) didn't match pod affinity rules[,.]/);
    await env.pod('web', { labels: WEB });
    assert.equal(await env.nodeOf('pod'), await env.nodeOf('web'));
  }),
  schedulerCase('the first of a group that wants to be together goes anywhere, the others to it', async (env) => {
    await env.zones('z1', 'z2', 'z3');
    const group = { ...near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }), labels: WEB };
    await env.pod('first', group);
    const place = await env.nodeOf('first');
    await env.pod('second', group);
    await env.pod('third', group);
    assert.deepEqual(await env.podCounts('second', 'third'), { [place]: 2 });
    await env.changeNode(place, { spec: { unschedulable: true } });
    await env.pod('fourth', group);
    await env.unschedulableMessage('fourth', /2 node\(s\) didn't match pod affinity rules[,.]/);
  }),
  schedulerCase('even the first of a group needs a node with the label it speaks of', async (env) => {
    await env.node('a');
    await env.pod('pod', { ...near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }), labels: WEB });
    await env.unschedulableMessage('pod', /1 node\(s\) didn't match pod affinity rules[,.]/);
  }),
  schedulerCase('pods that shun each other take a node each, and one more waits', async (env) => {
    await env.node('a');
    await env.node('b');
    const alone = { ...away({ topologyKey: HOST, labelSelector: { matchLabels: WEB } }), labels: WEB };
    await env.pod('first', alone);
    await env.pod('second', alone);
    assert.deepEqual(await env.podCounts('first', 'second'), { a: 1, b: 1 });
    await env.pod('third', alone);
    await env.unschedulableMessage('third', /2 node\(s\) didn't match pod anti-affinity rules[,.]/);
    await env.deletePod('first');
    await env.nodeOf('third');
  }),
  schedulerCase('a pod shuns a whole zone', async (env) => {
    await env.zones('z1', 'z2');
    await env.node('z1-too', { labels: { [ZONE]: 'z1' } });
    await env.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z1' } });
    await env.nodeOf('web');
    await env.pod('pod', away({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await env.nodeOf('pod'), 'z2');
  }),
  schedulerCase('a pod that is shunned by one already placed stays away from it', async (env) => {
    await env.node('a');
    await env.pod('shy', away({ topologyKey: HOST, labelSelector: { matchLabels: WEB } }));
    await env.nodeOf('shy');
    await env.pod('web', { labels: WEB });
    await env.unschedulableMessage('web', /1 node\(s\) didn't satisfy existing pods anti-affinity rules[,.]/);
    await env.deletePod('shy');
    assert.equal(await env.nodeOf('web'), 'a');
  }),
  schedulerCase('a node without the label it speaks of is out of reach of anti-affinity', async (env) => {
    await env.node('a');
    await env.pod('web', { labels: WEB });
    await env.nodeOf('web');
    await env.pod('pod', away({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('terms mean pods of their own namespace unless they name another', async (env) => {
    const other = await otherNamespace(env, {});
    await env.zones('z1', 'z2');
    await env.pod('web', { namespace: other, labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await env.nodeOf('web', other);
    await env.pod('local', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    await env.unschedulableMessage('local', /didn't match pod affinity rules/);
    await env.pod('far', near({ topologyKey: ZONE, namespaces: [other], labelSelector: { matchLabels: WEB } }));
    assert.equal(await env.nodeOf('far'), 'z2');
  }),
  schedulerCase('a namespace selector means the namespaces with those labels', async (env) => {
    const team = env.context.unique('team');
    const other = await otherNamespace(env, { team });
    await env.zones('z1', 'z2');
    await env.pod('web', { namespace: other, labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await env.nodeOf('web', other);
    const namespaceSelector = { matchLabels: { team } };
    await env.pod('pod', near({ topologyKey: ZONE, namespaceSelector, labelSelector: { matchLabels: WEB } }));
    assert.equal(await env.nodeOf('pod'), 'z2');
  }),
  schedulerCase('an empty namespace selector means all namespaces', async (env) => {
    const other = await otherNamespace(env, {});
    await env.zones('z1', 'z2');
    const labels = { app: env.context.unique('app') };
    await env.pod('web', { namespace: other, labels, nodeSelector: { [ZONE]: 'z1' } });
    await env.nodeOf('web', other);
    await env.pod('pod', away({ topologyKey: ZONE, namespaceSelector: {}, labelSelector: { matchLabels: labels } }));
    assert.equal(await env.nodeOf('pod'), 'z2');
  }),
  schedulerCase('with matchLabelKeys only pods of the same value count', async (env) => {
    await env.node('a');
    const term = { topologyKey: HOST, labelSelector: { matchLabels: WEB }, matchLabelKeys: ['version'] };
    await env.pod('one', { ...away(term), labels: { ...WEB, version: '1' } });
    await env.nodeOf('one');
    await env.pod('two', { ...away(term), labels: { ...WEB, version: '2' } });
    assert.equal(await env.nodeOf('two'), 'a');
    await env.pod('three', { ...away(term), labels: { ...WEB, version: '2' } });
    await env.unschedulableMessage('three', /anti-affinity rules/);
  }),
  schedulerCase('with mismatchLabelKeys only pods of another value count', async (env) => {
    await env.node('a');
    const term = { topologyKey: HOST, labelSelector: { matchLabels: WEB }, mismatchLabelKeys: ['tenant'] };
    await env.pod('one', { ...away(term), labels: { ...WEB, tenant: '1' } });
    await env.nodeOf('one');
    await env.pod('same', { ...away(term), labels: { ...WEB, tenant: '1' } });
    assert.equal(await env.nodeOf('same'), 'a');
    await env.pod('other', { ...away(term), labels: { ...WEB, tenant: '2' } });
    await env.unschedulableMessage('other', /anti-affinity rules/);
  }),
  schedulerCase('preferred affinity draws a pod to others where it can', async (env) => {
    await env.zones('z1', 'z2', 'z3');
    await env.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z3' } });
    await env.nodeOf('web');
    const podAffinityTerm = { topologyKey: ZONE, labelSelector: { matchLabels: WEB } };
    const preferred = [{ weight: 100, podAffinityTerm }];
    await env.pod('pod', {
      affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    });
    assert.equal(await env.nodeOf('pod'), 'z3');
  }),
  schedulerCase('preferred anti-affinity keeps pods apart while there are nodes, then gives in', async (env) => {
    await env.node('a');
    await env.node('b');
    const podAffinityTerm = { topologyKey: HOST, labelSelector: { matchLabels: WEB } };
    const preferred = [{ weight: 100, podAffinityTerm }];
    const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    await env.pod('first', { labels: WEB, nodeSelector: { [HOST]: env.context.unique('a') } });
    await env.pod('filler', { requests: { cpu: '2' }, nodeSelector: { [HOST]: env.context.unique('b') } });
    await env.podCounts('first', 'filler');
    await env.pod('second', { labels: WEB, affinity });
    assert.equal(await env.nodeOf('second'), 'b', 'although a is emptier');
    await env.pod('third', { labels: WEB, affinity });
    await env.nodeOf('third');
  }),
];

async function otherNamespace(env: SchedulerEnvironment, labels: Readonly<Record<string, string>>): Promise<string> {
  const name = env.context.unique('other');
  await env.create(NAMESPACES, { metadata: { name, labels } });
  return name;
}

function near(term: PodAffinityTerm): PodOptions {
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function away(term: PodAffinityTerm): PodOptions {
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}
