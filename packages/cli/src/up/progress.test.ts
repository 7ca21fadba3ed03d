import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { simulatedNode, startCluster } from '@karpenter-ts/embedded';
import { HOUR, nullLogger, SECOND } from '@karpenter-ts/runtime';
import { NODES } from '@karpenter-ts/kubernetes';
import { AdjustableClock } from '@karpenter-ts/runtime/testing';
import { watchProgress } from './progress.ts';

test('new figures are shown within a second or so, though the wall clock is set back', async () => {
  const clock = new AdjustableClock();
  const cluster = await startCluster({ clock, seed: 1, crds: RESOURCES.kwok.map(customResourceDefinition) });
  const { client } = cluster;
  const ending = new AbortController();
  let shown = 0;
  const show = (): void => void shown++;
  const watching = watchProgress({ client, clock, wallClock: clock, logger: nullLogger, show }, ending.signal);
  await client.create(NODES, simulatedNode({ name: 'a' }));
  await clock.advance(5 * SECOND);
  const before = shown;
  assert.ok(before > 0);
  clock.setWallBy(-1 * HOUR);
  await client.create(NODES, simulatedNode({ name: 'b' }));
  await clock.advance(2 * SECOND);
  assert.ok(shown > before, 'nothing was shown');
  ending.abort();
  await watching;
  await clock.runUntil(cluster.stop());
});
