import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from '@karpenter-ts/embedded';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import { Client, Informer, nullLogger, VirtualClock } from '@karpenter-ts/runtime';
import { changingObjects } from './changed-objects.ts';

test('every answer shows the objects changed, and the server keeps them as they are', async () => {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, seed: 1 });
  const relabel = (node: Node) => ({ ...node, metadata: { ...node.metadata, labels: { seen: 'changed' } } });
  const transport = changingObjects('nodes', relabel)(cluster.transport);
  const client = new Client({ transport, clock, userAgent: 'test' });
  const labelsOf = (nodes: readonly Node[]) => nodes.map(({ metadata }) => metadata.labels?.['seen']);

  assert.deepEqual(labelsOf([await client.create<Node>(NODES, { metadata: { name: 'a' } })]), ['changed']);
  assert.deepEqual(labelsOf([await client.get<Node>(NODES, { name: 'a' })]), ['changed']);
  assert.deepEqual(labelsOf((await client.listAll<Node>(NODES)).items), ['changed']);

  const end = new AbortController();
  const informer = new Informer<Node>({ client, clock, logger: nullLogger, type: NODES });
  const watching = informer.start(end.signal);
  await clock.advance(1000);
  await cluster.client.create(NODES, { metadata: { name: 'b' } });
  await clock.advance(1000);
  assert.deepEqual(labelsOf(informer.list()), ['changed', 'changed']);
  assert.deepEqual(labelsOf((await cluster.client.listAll<Node>(NODES)).items), [undefined, undefined]);
  end.abort();
  await watching;
  await clock.runUntil(cluster.stop());
});
