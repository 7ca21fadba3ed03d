import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND, VirtualClock } from '@karpenter-ts/runtime';
import type { Node } from '@karpenter-ts/kubernetes';
import { buildNode } from '../testing/builders.ts';
import { ZonePace } from './zones.ts';

function nodes(zone: string, ready: number, broken: number): readonly Node[] {
  return Array.from({ length: ready + broken }, (_, i) => {
    const status = { conditions: [{ type: 'Ready', status: i < ready ? 'True' : 'False' }] };
    return { ...buildNode(`${zone}-${i}`, {}, { 'topology.kubernetes.io/zone': zone }), status };
  });
}

function broken(all: readonly Node[]): Node {
  return all.at(-1) as Node;
}

test('in a zone that is well one node is cleared every ten seconds', async () => {
  const clock = new VirtualClock();
  const pace = new ZonePace(clock);
  const [zone, other] = [nodes('a', 3, 2), nodes('b', 3, 1)];
  pace.observe([...zone, ...other]);
  assert.equal(pace.admits(broken(zone)), true);
  assert.equal(pace.admits(broken(zone)), false);
  assert.equal(pace.admits(broken(other)), true);
  await clock.advance(10 * SECOND);
  assert.equal(pace.admits(broken(zone)), true);
});

test('in a small zone where most nodes are broken none is cleared, in a large one few', async () => {
  const clock = new VirtualClock();
  const pace = new ZonePace(clock);
  const [small, large] = [nodes('a', 4, 6), nodes('b', 20, 40)];
  pace.observe([...small, ...large]);
  assert.equal(pace.admits(broken(small)), false);
  assert.equal(pace.admits(broken(large)), true);
  await clock.advance(99 * SECOND);
  assert.equal(pace.admits(broken(large)), false);
  await clock.advance(1 * SECOND);
  assert.equal(pace.admits(broken(large)), true);
});

test('when no node is left that works the fault is likely ours, and nobody is driven off', () => {
  const pace = new ZonePace(new VirtualClock());
  const zone = nodes('a', 0, 2);
  assert.equal(pace.observe(nodes('a', 1, 1)), false);
  assert.equal(pace.observe(zone), true);
  assert.equal(pace.admits(broken(zone)), false);
  assert.equal(pace.observe(zone), false); // told once
});

test('a zone that is down is cleared while another one is up', () => {
  const pace = new ZonePace(new VirtualClock());
  const zone = nodes('a', 0, 3);
  pace.observe([...zone, ...nodes('b', 1, 0)]);
  assert.equal(pace.admits(broken(zone)), true);
});

test('nodes may be left out of the count', () => {
  const pace = new ZonePace(new VirtualClock());
  const [node] = nodes('a', 0, 1);
  const excluded = { ...node, metadata: { name: 'x', labels: { 'node.kubernetes.io/exclude-disruption': '' } } };
  assert.equal(pace.observe([excluded]), false);
});
