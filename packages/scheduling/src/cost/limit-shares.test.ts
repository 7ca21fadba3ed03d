import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, INSTANCE_TYPE_LABEL } from '@karpenter-ts/apis';
import { makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { onNodes, where } from '../testing/pod-parts.ts';
import { TestEnvironment } from '../testing/test-environment.ts';

test('nodes may be larger by an equal share of what the limits leave beside them and those that stay', () => {
  const type = (name: string, cpu: string, price: number) =>
    makeType(name, {
      capacity: { cpu, memory: '64Gi', pods: '9' },
      offerings: [makeOffering('zone-a', 'on-demand', price)],
    });
  const types = [type('small', '4', 0.2), type('medium', '5', 0.25), type('large', '16', 2)];
  const requests = { cpu: '3500m' };
  const staying = makePod('staying', {
    requests,
    nodeSelector: { [INSTANCE_TYPE_LABEL]: 'small' },
    affinity: onNodes([where(HOSTNAME_LABEL, 'NotIn', 'other')]),
  });
  const typesWithin = (cpu: string) => {
    const pools = [makePool('default', { limits: { cpu } })];
    const plan = new TestEnvironment({ pools, types, options: { packing: CHEAPEST } }).plan(
      staying,
      ...['a', 'b', 'c', 'd'].map((name) => makePod(name, { requests })),
    );
    const moved = plan.newNodes.filter(({ source }) => source === 'cost-aware');
    return moved.map(({ instanceTypes }) => instanceTypes.join(' '));
  };
  assert.deepEqual(typesWithin('23'), ['small', 'small', 'small', 'small']);
  assert.deepEqual(
    typesWithin('24'),
    Array.from({ length: 4 }, () => 'small medium'),
  );
});
