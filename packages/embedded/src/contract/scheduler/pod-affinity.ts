import assert from 'node:assert/strict';
import { NAMESPACES } from '../../scheduler/kinds/namespace.ts';
import type { PodAffinityTerm } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Arena, inArena, type PodOptions } from './arena.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const WEB = { app: 'web' };

/** Pods that want to be near others, or away from them. */
export const podAffinityCases: readonly ContractCase[] = [
  inArena('a pod goes to the zone of the pod it wants to be near', async (arena) => {
    await arena.zones('z1', 'z2', 'z3');
    await arena.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await arena.placeOf('web');
    await arena.pod('pod', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await arena.placeOf('pod'), 'z2');
  }),
  inArena('a pod that finds nobody to be near waits until there is one', async (arena) => {
    await arena.zones('z1', 'z2');
    await arena.pod('pod', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    await arena.complaintOf('pod', /2 node\(s\) didn't match pod affinity rules[,.]/);
    await arena.pod('web', { labels: WEB });
    assert.equal(await arena.placeOf('pod'), await arena.placeOf('web'));
  }),
  inArena('the first of a group that wants to be together goes anywhere, the others to it', async (arena) => {
    await arena.zones('z1', 'z2', 'z3');
    const group = { ...near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }), labels: WEB };
    await arena.pod('first', group);
    const place = await arena.placeOf('first');
    await arena.pod('second', group);
    await arena.pod('third', group);
    assert.deepEqual(await arena.placesOf('second', 'third'), { [place]: 2 });
    await arena.changeNode(place, { spec: { unschedulable: true } });
    await arena.pod('fourth', group);
    await arena.complaintOf('fourth', /2 node\(s\) didn't match pod affinity rules[,.]/);
  }),
  inArena('even the first of a group needs a node with the label it speaks of', async (arena) => {
    await arena.node('a');
    await arena.pod('pod', { ...near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }), labels: WEB });
    await arena.complaintOf('pod', /1 node\(s\) didn't match pod affinity rules[,.]/);
  }),
  inArena('pods that shun each other take a node each, and one more waits', async (arena) => {
    await arena.node('a');
    await arena.node('b');
    const alone = { ...away({ topologyKey: HOST, labelSelector: { matchLabels: WEB } }), labels: WEB };
    await arena.pod('first', alone);
    await arena.pod('second', alone);
    assert.deepEqual(await arena.placesOf('first', 'second'), { a: 1, b: 1 });
    await arena.pod('third', alone);
    await arena.complaintOf('third', /2 node\(s\) didn't match pod anti-affinity rules[,.]/);
    await arena.deletePod('first');
    await arena.placeOf('third');
  }),
  inArena('a pod shuns a whole zone', async (arena) => {
    await arena.zones('z1', 'z2');
    await arena.node('z1-too', { labels: { [ZONE]: 'z1' } });
    await arena.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z1' } });
    await arena.placeOf('web');
    await arena.pod('pod', away({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await arena.placeOf('pod'), 'z2');
  }),
  inArena('a pod that is shunned by one already placed stays away from it', async (arena) => {
    await arena.node('a');
    await arena.pod('shy', away({ topologyKey: HOST, labelSelector: { matchLabels: WEB } }));
    await arena.placeOf('shy');
    await arena.pod('web', { labels: WEB });
    await arena.complaintOf('web', /1 node\(s\) didn't satisfy existing pods anti-affinity rules[,.]/);
    await arena.deletePod('shy');
    assert.equal(await arena.placeOf('web'), 'a');
  }),
  inArena('a node without the label it speaks of is out of reach of anti-affinity', async (arena) => {
    await arena.node('a');
    await arena.pod('web', { labels: WEB });
    await arena.placeOf('web');
    await arena.pod('pod', away({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('terms mean pods of their own namespace unless they name another', async (arena) => {
    const other = await otherNamespace(arena, {});
    await arena.zones('z1', 'z2');
    await arena.pod('web', { namespace: other, labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await arena.placeOf('web', other);
    await arena.pod('local', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    await arena.complaintOf('local', /didn't match pod affinity rules/);
    await arena.pod('far', near({ topologyKey: ZONE, namespaces: [other], labelSelector: { matchLabels: WEB } }));
    assert.equal(await arena.placeOf('far'), 'z2');
  }),
  inArena('a namespace selector means the namespaces with those labels', async (arena) => {
    const team = arena.context.unique('team');
    const other = await otherNamespace(arena, { team });
    await arena.zones('z1', 'z2');
    await arena.pod('web', { namespace: other, labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await arena.placeOf('web', other);
    const namespaceSelector = { matchLabels: { team } };
    await arena.pod('pod', near({ topologyKey: ZONE, namespaceSelector, labelSelector: { matchLabels: WEB } }));
    assert.equal(await arena.placeOf('pod'), 'z2');
  }),
  inArena('an empty namespace selector means all namespaces', async (arena) => {
    const other = await otherNamespace(arena, {});
    await arena.zones('z1', 'z2');
    const labels = { app: arena.context.unique('app') };
    await arena.pod('web', { namespace: other, labels, nodeSelector: { [ZONE]: 'z1' } });
    await arena.placeOf('web', other);
    await arena.pod('pod', away({ topologyKey: ZONE, namespaceSelector: {}, labelSelector: { matchLabels: labels } }));
    assert.equal(await arena.placeOf('pod'), 'z2');
  }),
  inArena('with matchLabelKeys only pods of the same value count', async (arena) => {
    await arena.node('a');
    const term = { topologyKey: HOST, labelSelector: { matchLabels: WEB }, matchLabelKeys: ['version'] };
    await arena.pod('one', { ...away(term), labels: { ...WEB, version: '1' } });
    await arena.placeOf('one');
    await arena.pod('two', { ...away(term), labels: { ...WEB, version: '2' } });
    assert.equal(await arena.placeOf('two'), 'a');
    await arena.pod('three', { ...away(term), labels: { ...WEB, version: '2' } });
    await arena.complaintOf('three', /anti-affinity rules/);
  }),
  inArena('with mismatchLabelKeys only pods of another value count', async (arena) => {
    await arena.node('a');
    const term = { topologyKey: HOST, labelSelector: { matchLabels: WEB }, mismatchLabelKeys: ['tenant'] };
    await arena.pod('one', { ...away(term), labels: { ...WEB, tenant: '1' } });
    await arena.placeOf('one');
    await arena.pod('same', { ...away(term), labels: { ...WEB, tenant: '1' } });
    assert.equal(await arena.placeOf('same'), 'a');
    await arena.pod('other', { ...away(term), labels: { ...WEB, tenant: '2' } });
    await arena.complaintOf('other', /anti-affinity rules/);
  }),
  inArena('preferred affinity draws a pod to others where it can', async (arena) => {
    await arena.zones('z1', 'z2', 'z3');
    await arena.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z3' } });
    await arena.placeOf('web');
    const podAffinityTerm = { topologyKey: ZONE, labelSelector: { matchLabels: WEB } };
    const preferred = [{ weight: 100, podAffinityTerm }];
    await arena.pod('pod', {
      affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    });
    assert.equal(await arena.placeOf('pod'), 'z3');
  }),
  inArena('preferred anti-affinity keeps pods apart while there are nodes, then gives in', async (arena) => {
    await arena.node('a');
    await arena.node('b');
    const podAffinityTerm = { topologyKey: HOST, labelSelector: { matchLabels: WEB } };
    const preferred = [{ weight: 100, podAffinityTerm }];
    const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    await arena.pod('first', { labels: WEB, nodeSelector: { [HOST]: arena.context.unique('a') } });
    await arena.pod('filler', { requests: { cpu: '2' }, nodeSelector: { [HOST]: arena.context.unique('b') } });
    await arena.placesOf('first', 'filler');
    await arena.pod('second', { labels: WEB, affinity });
    assert.equal(await arena.placeOf('second'), 'b', 'although a is emptier');
    await arena.pod('third', { labels: WEB, affinity });
    await arena.placeOf('third');
  }),
];

async function otherNamespace(arena: Arena, labels: Readonly<Record<string, string>>): Promise<string> {
  const name = arena.context.unique('other');
  await arena.create(NAMESPACES, { metadata: { name, labels } });
  return name;
}

function near(term: PodAffinityTerm): PodOptions {
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function away(term: PodAffinityTerm): PodOptions {
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}
