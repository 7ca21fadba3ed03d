import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { makeNode, makePod, makePool } from '../testing/builders.ts';
import { fakeType } from '../testing/fake-types.ts';
import { away, podsWith, preferAway } from '../testing/pod-parts.ts';
import { failureOf, TestEnvironment } from '../testing/test-environment.ts';
import { adviceOn } from '../explanation/advice.ts';
import { Explainer } from '../explanation/explainer.ts';

const AGENT = { role: 'agent' };
const agent = (spec: PodSpec = {}): Pod => makePod('agent', { ...spec, namespace: 'kube-system', labels: AGENT });
const everywhere = (key: string) => podsWith(key, AGENT, { namespaceSelector: {} });
const types = [fakeType('small'), fakeType('large', { resources: { cpu: '8', memory: '16Gi' } })];
const typesFor = (pod: Pod, daemon: Pod, parts: ConstructorParameters<typeof TestEnvironment>[0] = {}) =>
  new TestEnvironment({ types, daemonPods: [daemon], ...parts })
    .plan(pod)
    .newNodes.flatMap(({ instanceTypes }) => instanceTypes);

test('a pod that must not be where a daemon is gets no node on which that daemon will run, whatever the key', () => {
  for (const key of [HOSTNAME_LABEL, ZONE_LABEL]) {
    const pod = makePod('shy', { affinity: away(everywhere(key)) });
    assert.deepEqual(typesFor(pod, agent()), []);
    assert.deepEqual(typesFor(pod, agent({ nodeSelector: { size: 'large' } })), ['small']);
    assert.deepEqual(typesFor(pod, agent({ nodeSelector: { other: 'pool' } })), ['small', 'large']);
  }
  const elsewhere = makePod('other', { affinity: away(podsWith(HOSTNAME_LABEL, AGENT)) }); // of its own namespace
  assert.deepEqual(typesFor(elsewhere, agent()), ['small', 'large']);
  const wishing = makePod('wishing', { affinity: preferAway(everywhere(HOSTNAME_LABEL)) });
  assert.deepEqual(typesFor(wishing, agent()), ['small', 'large']);
});

test('a daemon that must not be where a pod is keeps it away too, as far as its nodes have the topology key', () => {
  const selected = { namespaceSelector: {} };
  const shyOf = (key: string) => agent({ affinity: away(podsWith(key, { app: 'loud' }, selected)) });
  const loud = makePod('loud', { labels: { app: 'loud' } });
  assert.deepEqual(typesFor(loud, shyOf(HOSTNAME_LABEL)), []);
  assert.deepEqual(typesFor(loud, shyOf(ZONE_LABEL)), []);
  assert.deepEqual(typesFor(loud, shyOf('example.com/rack')), ['small', 'large']);
  assert.deepEqual(typesFor(makePod('quiet'), shyOf(HOSTNAME_LABEL)), ['small', 'large']);
});

test('pods that no daemon minds join no node of those that one does, and cost-aware plans keep to that', () => {
  const pools = [
    makePool('with', { weight: 10 }),
    makePool('without', { taints: [{ key: 'bare', effect: 'NoSchedule' }] }),
  ];
  const tolerations = [{ operator: 'Exists' as const }];
  const shy = Array.from({ length: 4 }, (_, i) =>
    makePod(`shy-${i}`, { tolerations, requests: { cpu: '500m' }, affinity: away(everywhere(HOSTNAME_LABEL)) }),
  );
  const plain = Array.from({ length: 4 }, (_, i) => makePod(`plain-${i}`, { tolerations, requests: { cpu: '500m' } }));
  const packing = {
    policy: 'CostAware',
    nodeFeePerHour: 1,
    minGain: 0,
    maxExtraNodes: 1,
    policyByPool: true,
    feeByPool: true,
  } as const;
  for (const options of [{}, { packing }]) {
    const environment = new TestEnvironment({ types, pools, daemonPods: [agent()], options });
    const { newNodes, unschedulable } = environment.plan(...plain, ...shy);
    assert.deepEqual(unschedulable, []);
    for (const { nodePool, pods } of newNodes) {
      if (nodePool === 'without') continue;
      for (const { pod } of pods) assert.match(pod.metadata.name, /^plain/);
    }
  }
});

test('a pod does not go to an existing node on which such a daemon is still to start', () => {
  const pod = makePod('shy', { affinity: away(everywhere(HOSTNAME_LABEL)) });
  const nodes = [makeNode('young'), makeNode('bare', { taints: [{ key: 'bare', effect: 'NoSchedule' }] })];
  const tolerant = { ...pod, spec: { ...pod.spec, tolerations: [{ operator: 'Exists' as const }] } };
  const placesOf = (one: Pod) =>
    new TestEnvironment({ nodes, daemonPods: [agent()] }).plan(one).existingNodes.map(({ node }) => node);
  assert.deepEqual(placesOf(pod), []);
  assert.deepEqual(placesOf(tolerant), ['bare']);
  assert.deepEqual(placesOf(makePod('plain')), ['young']);
});

test('the refusal names the daemons', () => {
  const pod = makePod('shy', { affinity: away(everywhere(HOSTNAME_LABEL)) });
  const environment = new TestEnvironment({ types, daemonPods: [agent()] });
  const plan = environment.plan(pod);
  assert.match(failureOf(plan, pod)!, /\(pod anti-affinity with daemons: kube-system\/agent\)$/);
  const [told] = new Explainer(environment.snapshot, environment.options).explainPod(plan.unschedulable[0]!);
  assert.match(adviceOn(told!), /nearest: \w+: anti-affinity with its daemon kube-system\/agent$/);
});
