import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { PodSpec } from '@karpenter-ts/kubernetes';
import { readPlanningBase } from '../planner.ts';
import { finish } from '../progress.ts';
import { makeNode, makePod } from '../testing/builders.ts';
import { APP, away, near, onNodes, podsWith, preferNodes, spreadOver, where } from '../testing/pod-parts.ts';
import { TestEnvironment } from '../testing/test-environment.ts';

test('02/129 pending pods are counted by the zone they could go to', () => {
  const zoneOf = (spec: PodSpec, environment = new TestEnvironment()) => {
    const pod = { ...makePod('a', { labels: APP, ...spec }), status: { phase: 'Pending' } };
    const base = finish(readPlanningBase({ ...environment.snapshot, pods: [pod] }, environment.options));
    return [...finish(base.pendingByZone()).keys()][0];
  };
  const holding = (zone: string, count = 1, labels = APP) =>
    makeNode(`in-${zone}`, {
      labels: { [ZONE_LABEL]: zone, [HOSTNAME_LABEL]: `in-${zone}` },
      pods: Array.from({ length: count }, (_, i) => makePod(`${zone}-${i}`, { labels })),
    });
  const two = new TestEnvironment({ nodes: [holding('test-zone-1'), holding('test-zone-2')] });
  assert.equal(zoneOf({}), 'flexible');
  assert.equal(zoneOf({ nodeSelector: { [ZONE_LABEL]: 'test-zone-1' } }), 'test-zone-1');
  assert.equal(zoneOf({ topologySpreadConstraints: [spreadOver(ZONE_LABEL)] }, two), 'test-zone-3');
  assert.equal(zoneOf({ affinity: preferNodes([1, where(ZONE_LABEL, 'In', 'test-zone-1')]) }), 'flexible');
  assert.equal(
    zoneOf({ affinity: near(podsWith(ZONE_LABEL)) }, new TestEnvironment({ nodes: [holding('test-zone-1')] })),
    'test-zone-1',
  );
  assert.equal(zoneOf({ affinity: away(podsWith(ZONE_LABEL)) }, two), 'test-zone-3');
  assert.equal(zoneOf({ affinity: near(podsWith(ZONE_LABEL, { app: 'nowhere' })) }), 'none');
  const full = new TestEnvironment({
    nodes: ['test-zone-1', 'test-zone-2', 'test-zone-3'].map((zone) => holding(zone)),
  });
  assert.equal(zoneOf({ affinity: away(podsWith(ZONE_LABEL)) }, full), 'none');
  assert.equal(zoneOf({ affinity: onNodes([where(ZONE_LABEL, 'In', 'test-zone-1', 'test-zone-2')]) }), 'flexible');
  const twos = new TestEnvironment({
    nodes: ['test-zone-1', 'test-zone-2', 'test-zone-3'].map((zone) => holding(zone, 2, { app: 'x' })),
  });
  const unmatched = spreadOver(ZONE_LABEL, { minDomains: 4, labelSelector: { matchLabels: { app: 'x' } } });
  assert.equal(zoneOf({ topologySpreadConstraints: [unmatched] }, twos), 'none');
  const both = [
    spreadOver(HOSTNAME_LABEL),
    spreadOver('rack', { whenUnsatisfiable: 'ScheduleAnyway' }),
    spreadOver(ZONE_LABEL),
  ];
  assert.equal(zoneOf({ topologySpreadConstraints: both }, two), 'test-zone-3'); // other keys say nothing about it
  const notThird = onNodes([where(ZONE_LABEL, 'NotIn', 'test-zone-3')]);
  assert.equal(zoneOf({ affinity: notThird, topologySpreadConstraints: [spreadOver(ZONE_LABEL)] }, two), 'flexible');
  const inFirst = new TestEnvironment({ nodes: [holding('test-zone-1')] });
  const torn = { ...near(podsWith(ZONE_LABEL)), ...away(podsWith(ZONE_LABEL)) };
  assert.equal(zoneOf({ affinity: torn }, inFirst), 'flexible'); // rules that exclude each other count as none
});

test('02/129 only pods in phase Pending are counted, each once', () => {
  const { snapshot, options } = new TestEnvironment();
  const pods = ['Pending', 'Pending', 'Running'].map((phase, i) => ({ ...makePod(`pod-${i}`), status: { phase } }));
  const base = finish(readPlanningBase({ ...snapshot, pods }, options));
  assert.deepEqual([...finish(base.pendingByZone())], [['flexible', 2]]);
});

test('02/129 the zones of volumes count too', () => {
  const zoneOf = (zones: readonly string[], selected?: string) => {
    const volumes = {
      volumeClaims: [{ metadata: { name: 'c', namespace: 'default' }, spec: { storageClassName: 'zonal' } }],
      persistentVolumes: [],
      storageClasses: [
        {
          metadata: { name: 'zonal' },
          provisioner: 'csi.test',
          allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE_LABEL, values: zones }] }],
        },
      ],
    };
    const environment = new TestEnvironment({ volumes });
    const pod = makePod('a', {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      ...(selected && { nodeSelector: { [ZONE_LABEL]: selected } }),
    });
    const base = finish(
      readPlanningBase(
        { ...environment.snapshot, pods: [{ ...pod, status: { phase: 'Pending' } }] },
        environment.options,
      ),
    );
    return [...finish(base.pendingByZone()).keys()][0];
  };
  assert.equal(zoneOf(['test-zone-1', 'test-zone-2']), 'flexible');
  assert.equal(zoneOf(['test-zone-2']), 'test-zone-2');
  assert.equal(zoneOf(['test-zone-2'], 'test-zone-1'), 'none');
});
