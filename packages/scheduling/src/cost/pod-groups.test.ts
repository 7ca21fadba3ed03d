import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODEPOOL_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { APP, near, podsWith } from '../testing/pod-parts.ts';
import { packing, TestEnvironment } from '../testing/test-environment.ts';

test('a pod whose zone is left open and counts does not move to one that pins it', () => {
  const type = (name: string, cpu: string, price: number) =>
    makeType(name, {
      capacity: { cpu, memory: '64Gi', pods: '9' },
      offerings: ['zone-a', 'zone-b'].map((zone) => makeOffering(zone, 'on-demand', price)),
    });
  const types = [type('small', '4', 0.3), type('large', '8', 0.4)];
  const pools = [makePool('a'), makePool('b')];
  const open = makePod('open', { labels: APP, requests: { cpu: '3500m' } }); // upstream puts it in pool b
  const pinned = makePod('pinned', {
    requests: { cpu: '3500m' },
    nodeSelector: { [NODEPOOL_LABEL]: 'a', [ZONE_LABEL]: 'zone-a' },
  });
  const follower = makePod('follower', { requests: { cpu: '99' }, affinity: near(podsWith(ZONE_LABEL)) });
  const packed = (...pods: readonly Pod[]) =>
    packing(new TestEnvironment({ pools, types, options: { packing: CHEAPEST } }).plan(...pods));
  assert.deepEqual(packed(open, pinned), [2]);
  assert.deepEqual(packed(open, pinned, follower), [1, 1]);
});
