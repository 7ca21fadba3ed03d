import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { PodSpec } from '@karpenter-ts/kubernetes';
import type { PlanningOptions } from '../snapshot.ts';
import { makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { CHEAPEST } from '../testing/packing.ts';
import {
  APP,
  near,
  onNodes,
  podsWith,
  preferAway,
  preferNear,
  preferNodes,
  spreadOver,
  where,
} from '../testing/pod-parts.ts';
import { packing, TestEnvironment } from '../testing/test-environment.ts';

/** How many pods are on each node, of four that upstream puts on a large one. */
function packed(spec: PodSpec, parts: ConstructorParameters<typeof TestEnvironment>[0] = {}): readonly number[] {
  const type = (name: string, cpu: string, price: number) =>
    makeType(name, {
      capacity: { cpu, memory: '64Gi', pods: '9' },
      offerings: [makeOffering('zone-a', 'on-demand', price)],
    });
  const types = [type('small', '4', 0.2), type('large', '16', 2)];
  const pods = Array.from({ length: 4 }, (_, i) =>
    makePod(`p-${i}`, { labels: APP, requests: { cpu: '3500m' }, ...spec }),
  );
  const environment = (options: Partial<PlanningOptions>) =>
    new TestEnvironment({ types, ...parts, options: { ...parts.options, ...options } });
  assert.deepEqual(packing(environment({}).plan(...pods)), [4]);
  return packing(environment({ packing: CHEAPEST }).plan(...pods));
}

test('pods that must share a host move together, those that must share a zone or spread do not', () => {
  assert.deepEqual(packed({}), [1, 1, 1, 1]);
  assert.deepEqual(packed({ affinity: near(podsWith(HOSTNAME_LABEL)) }), [4]);
  assert.deepEqual(packed({ affinity: near(podsWith(ZONE_LABEL)) }), [1, 1, 1, 1]);
  assert.deepEqual(packed({ topologySpreadConstraints: [spreadOver(HOSTNAME_LABEL, { maxSkew: 4 })] }), [1, 1, 1, 1]);
});

test('pods stay where another node might not do: they name a host, gave up a preference about others, or variety was short', () => {
  assert.deepEqual(packed({ affinity: onNodes([where(HOSTNAME_LABEL, 'NotIn', 'other')]) }), [4]);
  const nowhere = podsWith(HOSTNAME_LABEL, { app: 'nowhere' });
  assert.deepEqual(packed({ affinity: preferNear(nowhere) }), [4]);
  assert.deepEqual(packed({ affinity: preferAway(podsWith('nowhere')) }), [4]);
  const soft = spreadOver('nowhere', { whenUnsatisfiable: 'ScheduleAnyway' });
  assert.deepEqual(packed({ topologySpreadConstraints: [soft] }), [4]);
  assert.deepEqual(packed({ affinity: preferNodes([1, where(ZONE_LABEL, 'In', 'nowhere')]) }), [1, 1, 1, 1]);
  const varied = [{ key: ZONE_LABEL, operator: 'Exists' as const, minValues: 3 }];
  const pools = [makePool('default', { requirements: varied })];
  assert.deepEqual(packed({}, { pools, options: { minValuesPolicy: 'BestEffort' } }), [4]);
});
