import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { makeOffering, makePod, makeType } from '../testing/builders.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { APP, away, podsWith, spreadOver } from '../testing/pod-parts.ts';
import { TestEnvironment } from '../testing/test-environment.ts';

test('pods that keep apart get nodes of their own, whatever else they ask of their zone', () => {
  const type = (name: string, cpu: string, price: number) =>
    makeType(name, {
      capacity: { cpu, memory: '64Gi', pods: '20' },
      offerings: [makeOffering('zone-a', 'on-demand', price)],
    });
  const types = [type('small', '4', 0.2), type('large', '16', 2)];
  const apart = Array.from({ length: 4 }, (_, i) =>
    makePod(`apart-${i}`, {
      labels: APP,
      requests: { cpu: '1' },
      topologySpreadConstraints: [spreadOver(ZONE_LABEL)],
      affinity: away(podsWith(HOSTNAME_LABEL)),
    }),
  );
  const plain = Array.from({ length: 8 }, (_, i) => makePod(`plain-${i}`, { requests: { cpu: '3500m' } }));
  const { packing } = new TestEnvironment({ types, options: { packing: CHEAPEST } }).plan(...apart, ...plain);
  assert.deepEqual(
    [packing?.upstream.nodes, packing?.costAware?.nodes, packing?.costAware?.pricePerHour.toFixed(6)],
    [4, 12, '2.400000'],
  );
});
