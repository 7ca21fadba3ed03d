import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTANCE_TYPE_LABEL } from '@karpenter-ts/apis';
import { makeOffering, makePod, makeType } from '../testing/builders.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { TestEnvironment } from '../testing/test-environment.ts';

test('a pod keeps away from types on which a daemon has its port, one with another port need not', () => {
  const type = (name: string, cpu: string, price: number) =>
    makeType(name, {
      capacity: { cpu, memory: '64Gi', pods: '9' },
      offerings: [makeOffering('zone-a', 'on-demand', price)],
    });
  const types = [type('small', '8', 0.2), type('other', '4', 0.3), type('large', '16', 2)];
  const listening = (name: string, hostPort: number, cpu: string, nodeSelector = {}) =>
    makePod(name, {
      containers: [{ name: 'main', resources: { requests: { cpu } }, ports: [{ hostPort }] }],
      nodeSelector,
    });
  const daemonPods = [listening('daemon', 80, '0', { [INSTANCE_TYPE_LABEL]: 'small' })];
  const plan = new TestEnvironment({ types, daemonPods, options: { packing: CHEAPEST } }).plan(
    listening('a', 81, '3500m'),
    listening('b', 80, '3500m'),
    makePod('c', { requests: { cpu: '3500m' } }),
    makePod('d', { requests: { cpu: '3500m' } }),
  );
  assert.equal(plan.packing?.upstream.pricePerHour, 2);
  const alone = plan.newNodes.find(({ pods }) => pods.some(({ pod }) => pod.metadata.name === 'b'));
  assert.deepEqual([alone?.pods.length, alone?.instanceTypes[0]], [1, 'other']);
  assert.equal(plan.pricePerHour.toFixed(6), '0.700000');
});
