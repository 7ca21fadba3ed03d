import assert from 'node:assert/strict';
import { NAMESPACES } from '../../scheduler/kinds/namespace.ts';
import type { PodAffinityTerm } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerFixture, schedulerCase, type PodOptions } from './scheduler-fixture.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const WEB = { app: 'web' };

/** Pods that want to be near others, or away from them. */
export const podAffinityCases: readonly ContractCase[] = [
  schedulerCase('a pod goes to the zone of the pod it wants to be near', async (fixture) => {
    await fixture.zones('z1', 'z2', 'z3');
    await fixture.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await fixture.nodeOf('web');
    await fixture.pod('pod', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await fixture.nodeOf('pod'), 'z2');
  }),
  schedulerCase('a pod that finds nobody to be near waits until there is one', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await fixture.pod('pod', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    await fixture.unschedulableMessage('pod', /2 node\(s\) didn't match pod affinity rules[,.]/);
    await fixture.pod('web', { labels: WEB });
    assert.equal(await fixture.nodeOf('pod'), await fixture.nodeOf('web'));
  }),
  schedulerCase('the first of a group that wants to be together goes anywhere, the others to it', async (fixture) => {
    await fixture.zones('z1', 'z2', 'z3');
    const group = { ...near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }), labels: WEB };
    await fixture.pod('first', group);
    const place = await fixture.nodeOf('first');
    await fixture.pod('second', group);
    await fixture.pod('third', group);
    assert.deepEqual(await fixture.podCounts('second', 'third'), { [place]: 2 });
    await fixture.changeNode(place, { spec: { unschedulable: true } });
    await fixture.pod('fourth', group);
    await fixture.unschedulableMessage('fourth', /2 node\(s\) didn't match pod affinity rules[,.]/);
  }),
  schedulerCase('even the first of a group needs a node with the label it speaks of', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('pod', { ...near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }), labels: WEB });
    await fixture.unschedulableMessage('pod', /1 node\(s\) didn't match pod affinity rules[,.]/);
  }),
  schedulerCase('pods that shun each other take a node each, and one more waits', async (fixture) => {
    await fixture.node('a');
    await fixture.node('b');
    const alone = { ...away({ topologyKey: HOST, labelSelector: { matchLabels: WEB } }), labels: WEB };
    await fixture.pod('first', alone);
    await fixture.pod('second', alone);
    assert.deepEqual(await fixture.podCounts('first', 'second'), { a: 1, b: 1 });
    await fixture.pod('third', alone);
    await fixture.unschedulableMessage('third', /2 node\(s\) didn't match pod anti-affinity rules[,.]/);
    await fixture.deletePod('first');
    await fixture.nodeOf('third');
  }),
  schedulerCase('a pod shuns a whole zone', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await fixture.node('z1-too', { labels: { [ZONE]: 'z1' } });
    await fixture.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z1' } });
    await fixture.nodeOf('web');
    await fixture.pod('pod', away({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await fixture.nodeOf('pod'), 'z2');
  }),
  schedulerCase('a pod that is shunned by one already placed stays away from it', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('shy', away({ topologyKey: HOST, labelSelector: { matchLabels: WEB } }));
    await fixture.nodeOf('shy');
    await fixture.pod('web', { labels: WEB });
    await fixture.unschedulableMessage('web', /1 node\(s\) didn't satisfy existing pods anti-affinity rules[,.]/);
    await fixture.deletePod('shy');
    assert.equal(await fixture.nodeOf('web'), 'a');
  }),
  schedulerCase('a node without the label it speaks of is out of reach of anti-affinity', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('web', { labels: WEB });
    await fixture.nodeOf('web');
    await fixture.pod('pod', away({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('terms mean pods of their own namespace unless they name another', async (fixture) => {
    const other = await otherNamespace(fixture, {});
    await fixture.zones('z1', 'z2');
    await fixture.pod('web', { namespace: other, labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await fixture.nodeOf('web', other);
    await fixture.pod('local', near({ topologyKey: ZONE, labelSelector: { matchLabels: WEB } }));
    await fixture.unschedulableMessage('local', /didn't match pod affinity rules/);
    await fixture.pod('far', near({ topologyKey: ZONE, namespaces: [other], labelSelector: { matchLabels: WEB } }));
    assert.equal(await fixture.nodeOf('far'), 'z2');
  }),
  schedulerCase('a namespace selector means the namespaces with those labels', async (fixture) => {
    const team = fixture.context.unique('team');
    const other = await otherNamespace(fixture, { team });
    await fixture.zones('z1', 'z2');
    await fixture.pod('web', { namespace: other, labels: WEB, nodeSelector: { [ZONE]: 'z2' } });
    await fixture.nodeOf('web', other);
    const namespaceSelector = { matchLabels: { team } };
    await fixture.pod('pod', near({ topologyKey: ZONE, namespaceSelector, labelSelector: { matchLabels: WEB } }));
    assert.equal(await fixture.nodeOf('pod'), 'z2');
  }),
  schedulerCase('an empty namespace selector means all namespaces', async (fixture) => {
    const other = await otherNamespace(fixture, {});
    await fixture.zones('z1', 'z2');
    const labels = { app: fixture.context.unique('app') };
    await fixture.pod('web', { namespace: other, labels, nodeSelector: { [ZONE]: 'z1' } });
    await fixture.nodeOf('web', other);
    await fixture.pod(
      'pod',
      away({ topologyKey: ZONE, namespaceSelector: {}, labelSelector: { matchLabels: labels } }),
    );
    assert.equal(await fixture.nodeOf('pod'), 'z2');
  }),
  schedulerCase('with matchLabelKeys only pods of the same value count', async (fixture) => {
    await fixture.node('a');
    const term = { topologyKey: HOST, labelSelector: { matchLabels: WEB }, matchLabelKeys: ['version'] };
    await fixture.pod('one', { ...away(term), labels: { ...WEB, version: '1' } });
    await fixture.nodeOf('one');
    await fixture.pod('two', { ...away(term), labels: { ...WEB, version: '2' } });
    assert.equal(await fixture.nodeOf('two'), 'a');
    await fixture.pod('three', { ...away(term), labels: { ...WEB, version: '2' } });
    await fixture.unschedulableMessage('three', /anti-affinity rules/);
  }),
  schedulerCase('with mismatchLabelKeys only pods of another value count', async (fixture) => {
    await fixture.node('a');
    const term = { topologyKey: HOST, labelSelector: { matchLabels: WEB }, mismatchLabelKeys: ['tenant'] };
    await fixture.pod('one', { ...away(term), labels: { ...WEB, tenant: '1' } });
    await fixture.nodeOf('one');
    await fixture.pod('same', { ...away(term), labels: { ...WEB, tenant: '1' } });
    assert.equal(await fixture.nodeOf('same'), 'a');
    await fixture.pod('other', { ...away(term), labels: { ...WEB, tenant: '2' } });
    await fixture.unschedulableMessage('other', /anti-affinity rules/);
  }),
  schedulerCase('preferred affinity draws a pod to others where it can', async (fixture) => {
    await fixture.zones('z1', 'z2', 'z3');
    await fixture.pod('web', { labels: WEB, nodeSelector: { [ZONE]: 'z3' } });
    await fixture.nodeOf('web');
    const podAffinityTerm = { topologyKey: ZONE, labelSelector: { matchLabels: WEB } };
    const preferred = [{ weight: 100, podAffinityTerm }];
    await fixture.pod('pod', {
      affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    });
    assert.equal(await fixture.nodeOf('pod'), 'z3');
  }),
  schedulerCase('preferred anti-affinity keeps pods apart while there are nodes, then gives in', async (fixture) => {
    await fixture.node('a');
    await fixture.node('b');
    const podAffinityTerm = { topologyKey: HOST, labelSelector: { matchLabels: WEB } };
    const preferred = [{ weight: 100, podAffinityTerm }];
    const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    await fixture.pod('first', { labels: WEB, nodeSelector: { [HOST]: fixture.context.unique('a') } });
    await fixture.pod('filler', { requests: { cpu: '2' }, nodeSelector: { [HOST]: fixture.context.unique('b') } });
    await fixture.podCounts('first', 'filler');
    await fixture.pod('second', { labels: WEB, affinity });
    assert.equal(await fixture.nodeOf('second'), 'b', 'although a is emptier');
    await fixture.pod('third', { labels: WEB, affinity });
    await fixture.nodeOf('third');
  }),
];

async function otherNamespace(fixture: SchedulerFixture, labels: Readonly<Record<string, string>>): Promise<string> {
  const name = fixture.context.unique('other');
  await fixture.create(NAMESPACES, { metadata: { name, labels } });
  return name;
}

function near(term: PodAffinityTerm): PodOptions {
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function away(term: PodAffinityTerm): PodOptions {
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}
