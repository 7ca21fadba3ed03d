import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { LabelSelectorSpec, OwnerReference, Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { makePod } from '../testing/builders.ts';
import { APP, spreadOver } from '../testing/pod-parts.ts';
import { packing, TestEnvironment } from '../testing/test-environment.ts';
import { type DefaultConstraint, withDefaultSpread, type Workloads } from './default-spread.ts';

const DEFAULTS: readonly DefaultConstraint[] = [
  { topologyKey: HOSTNAME_LABEL, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
];
const ownedBy = (pod: Pod, kind: string, name: string): Pod => {
  const owner: OwnerReference = {
    apiVersion: kind === 'ReplicationController' ? 'v1' : 'apps/v1',
    kind,
    name,
    uid: name,
    controller: true,
  };
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
};
const having = (
  selectors: Readonly<Record<string, LabelSelectorSpec>>,
  ...services: readonly Record<string, string>[]
): Workloads => ({
  servicesOf: () => services,
  findSelector: (_, { name }) => selectors[name],
});
const nodesFor = (pods: readonly Pod[], workloads: Workloads) =>
  packing(new TestEnvironment().plan(...pods.map((pod) => withDefaultSpread(pod, DEFAULTS, workloads)))).length;
const three = (labels: Record<string, string>, rest: PodSpec = {}) =>
  [0, 1, 2].map((i) => makePod(`pod-${i}`, { labels, ...rest }));

test('02/104 pods of a ReplicaSet spread by default; a constraint of their own wins; strays are left alone', () => {
  const workloads = having({ rs: { matchLabels: APP } });
  const owned = three(APP).map((pod) => ownedBy(pod, 'ReplicaSet', 'rs'));
  assert.equal(nodesFor(owned, workloads), 3);
  const own = three(APP, { topologySpreadConstraints: [spreadOver(HOSTNAME_LABEL, { maxSkew: 5 })] });
  assert.equal(
    nodesFor(
      own.map((pod) => ownedBy(pod, 'ReplicaSet', 'rs')),
      workloads,
    ),
    1,
  );
  assert.equal(nodesFor(three(APP), workloads), 1);
  assert.equal(withDefaultSpread(owned[0]!, [], workloads), owned[0]);
});

test('02/104 a Service that selects pods of a Job spreads them', () => {
  const jobs = three(APP).map((pod) => ownedBy(pod, 'Job', 'job'));
  assert.equal(nodesFor(jobs, having({}, APP)), 3);
  assert.equal(nodesFor(jobs, having({}, { app: 'other' })), 1);
});

test('02/104 revisions spread apart, and selectors that contradict each other select nobody', () => {
  const revision = (name: string) =>
    three({ ...APP, revision: name }).map((pod) =>
      ownedBy(
        {
          ...pod,
          metadata: { ...pod.metadata, name: `${name}-${pod.metadata.name}`, uid: `${name}-${pod.metadata.name}` },
        },
        'ReplicaSet',
        name,
      ),
    );
  const workloads = having({
    old: { matchLabels: { ...APP, revision: 'old' } },
    new: { matchLabels: { ...APP, revision: 'new' } },
  });
  assert.equal(nodesFor([...revision('old'), ...revision('new')], workloads), 3);
  const conflicting = having({ rs: { matchLabels: { app: 'other' } } }, APP);
  assert.equal(
    nodesFor(
      three(APP).map((pod) => ownedBy(pod, 'ReplicaSet', 'rs')),
      conflicting,
    ),
    1,
  );
});
