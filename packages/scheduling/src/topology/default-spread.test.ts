import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, type LabelSelectorSpec, type OwnerReference, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod, PodSpec } from '../objects/pod.ts';
import { makeNode, makePod } from '../testing/builders.ts';
import { APP, away, near, onNodes, podsWith, preferNodes, spreadOver, where } from '../testing/pod-parts.ts';
import { packing, World } from '../testing/world.ts';
import { readBase } from '../planner.ts';
import { finish } from '../progress.ts';
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
  packing(new World().plan(...pods.map((pod) => withDefaultSpread(pod, DEFAULTS, workloads)))).length;
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

test('02/129 pending pods are counted by the zone they could go to', () => {
  const zoneOf = (spec: PodSpec, world = new World()) => {
    const pod = { ...makePod('a', { labels: APP, ...spec }), status: { phase: 'Pending' } };
    const base = finish(readBase({ ...world.snapshot, pods: [pod] }, world.options));
    return [...finish(base.pendingByZone()).keys()][0];
  };
  const holding = (zone: string, count = 1, labels = APP) =>
    makeNode(`in-${zone}`, {
      labels: { [ZONE_LABEL]: zone, [HOSTNAME_LABEL]: `in-${zone}` },
      pods: Array.from({ length: count }, (_, i) => makePod(`${zone}-${i}`, { labels })),
    });
  const two = new World({ nodes: [holding('test-zone-1'), holding('test-zone-2')] });
  assert.equal(zoneOf({}), 'flexible');
  assert.equal(zoneOf({ nodeSelector: { [ZONE_LABEL]: 'test-zone-1' } }), 'test-zone-1');
  assert.equal(zoneOf({ topologySpreadConstraints: [spreadOver(ZONE_LABEL)] }, two), 'test-zone-3');
  assert.equal(zoneOf({ affinity: preferNodes([1, where(ZONE_LABEL, 'In', 'test-zone-1')]) }), 'flexible');
  assert.equal(
    zoneOf({ affinity: near(podsWith(ZONE_LABEL)) }, new World({ nodes: [holding('test-zone-1')] })),
    'test-zone-1',
  );
  assert.equal(zoneOf({ affinity: away(podsWith(ZONE_LABEL)) }, two), 'test-zone-3');
  assert.equal(zoneOf({ affinity: near(podsWith(ZONE_LABEL, { app: 'nowhere' })) }), 'none');
  const full = new World({ nodes: ['test-zone-1', 'test-zone-2', 'test-zone-3'].map((zone) => holding(zone)) });
  assert.equal(zoneOf({ affinity: away(podsWith(ZONE_LABEL)) }, full), 'none');
  assert.equal(zoneOf({ affinity: onNodes([where(ZONE_LABEL, 'In', 'test-zone-1', 'test-zone-2')]) }), 'flexible');
  const twos = new World({
    nodes: ['test-zone-1', 'test-zone-2', 'test-zone-3'].map((zone) => holding(zone, 2, { app: 'x' })),
  });
  const unmatched = spreadOver(ZONE_LABEL, { minDomains: 4, labelSelector: { matchLabels: { app: 'x' } } });
  assert.equal(zoneOf({ topologySpreadConstraints: [unmatched] }, twos), 'none');
});

test('02/129 the zones of volumes count too', () => {
  const zoneOf = (zones: readonly string[], selected?: string) => {
    const volumes = {
      claims: [{ metadata: { name: 'c', namespace: 'default' }, spec: { storageClassName: 'zonal' } }],
      persistentVolumes: [],
      storageClasses: [
        {
          metadata: { name: 'zonal' },
          provisioner: 'csi.test',
          allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE_LABEL, values: zones }] }],
        },
      ],
    };
    const world = new World({ volumes });
    const pod = makePod('a', {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      ...(selected && { nodeSelector: { [ZONE_LABEL]: selected } }),
    });
    const base = finish(
      readBase({ ...world.snapshot, pods: [{ ...pod, status: { phase: 'Pending' } }] }, world.options),
    );
    return [...finish(base.pendingByZone()).keys()][0];
  };
  assert.equal(zoneOf(['test-zone-1', 'test-zone-2']), 'flexible');
  assert.equal(zoneOf(['test-zone-2']), 'test-zone-2');
  assert.equal(zoneOf(['test-zone-2'], 'test-zone-1'), 'none');
});
