import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nodeObject, podObject, type TestPod } from '../testing/cluster.ts';
import { type PodClass, PodClasses } from './pod-class.ts';
import { CPU, ResourceNames } from './resource-names.ts';
import { Snapshot } from './snapshot.ts';

const names = new ResourceNames();
const classes = new PodClasses(names);
const KINDS: readonly TestPod[] = [
  {},
  { requests: { cpu: '1', memory: '1Gi' } },
  { requests: { cpu: '2' }, hostPort: 80 },
  { labels: { app: 'web' }, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
];

type Step =
  | { readonly do: 'place'; readonly pod: number; readonly kind: number; readonly node: number }
  | { readonly do: 'remove'; readonly pod: number }
  | { readonly do: 'set node' | 'remove node'; readonly node: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('place' as const), pod: fc.nat(7), kind: fc.nat(KINDS.length - 1), node: fc.nat(3) }),
  fc.record({ do: fc.constant('remove' as const), pod: fc.nat(7) }),
  fc.record({ do: fc.constantFrom('set node' as const, 'remove node' as const), node: fc.nat(3) }),
);

test('whatever happened on the way, the sums are those of the pods that are there', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const snapshot = new Snapshot(names, () => 0.5);
      const pods = new Map<number, { kind: number; node: number }>();
      const nodes = new Set<number>();
      for (const done of steps) apply(snapshot, pods, nodes, done);
      for (const i of nodes) assertSums(snapshot, pods, i);
      assert.deepEqual(snapshot.nodes.map(({ name }) => name).sort(), [...nodes].map((i) => `n${i}`).sort());
      assert.equal(
        snapshot.isVolumeClaimUsed('default/data'),
        [...pods.values()].some(({ kind }) => kind === 3),
      );
      assert.deepEqual(podCounts(snapshot), new Set([...pods.values()].map(({ kind }) => classOf(kind))));
    }),
  );
});

function apply(
  snapshot: Snapshot,
  pods: Map<number, { kind: number; node: number }>,
  nodes: Set<number>,
  step: Step,
): void {
  switch (step.do) {
    case 'place':
      snapshot.place(`p${step.pod}`, classOf(step.kind), `n${step.node}`, true);
      pods.set(step.pod, step);
      return;
    case 'remove':
      snapshot.remove(`p${step.pod}`);
      pods.delete(step.pod);
      return;
    case 'set node':
      snapshot.setNode(nodeObject(`n${step.node}`));
      nodes.add(step.node);
      return;
    case 'remove node':
      snapshot.removeNode(`n${step.node}`);
      nodes.delete(step.node);
      return;
    default:
      step satisfies never;
  }
}

function assertSums(snapshot: Snapshot, pods: ReadonlyMap<number, { kind: number; node: number }>, node: number): void {
  const entry = snapshot.findNode(`n${node}`)!;
  const there = [...pods.values()].filter((pod) => pod.node === node);
  assert.equal(entry.podCount, there.length);
  assert.equal(
    entry.requested(CPU),
    there.reduce((sum, { kind }) => sum + [0, 1000, 2000, 0][kind]!, 0),
  );
  assert.equal(
    entry.hasPortConflict([{ port: 'TCP/80', ip: '0.0.0.0' }]),
    there.some(({ kind }) => kind === 2),
  );
}

const classOf = (kind: number): PodClass => classes.of(podObject('any', KINDS[kind]));

const podCounts = (snapshot: Snapshot): Set<PodClass> => new Set(snapshot.nodesByClass.keys());

test('equal pods have one class, and pods that differ in what matters do not', () => {
  const of = (options: TestPod) => classes.of(podObject(`p${Math.random()}`, options));
  assert.equal(of({ labels: { a: '1' } }), of({ labels: { a: '1' } }));
  for (const other of [
    { labels: { a: '2' } },
    { labels: { a: '1' }, namespace: 'other' },
    { labels: { a: '1' }, isTerminating: true },
    { labels: { a: '1' }, owner: 'me' },
    { labels: { a: '1' }, hostPort: 1 },
    { labels: { a: '1' }, overhead: { cpu: '1' } },
  ] satisfies TestPod[]) {
    assert.notEqual(of({ labels: { a: '1' } }), of(other));
  }
});

test('a node that only says it is alive changes nothing', () => {
  const snapshot = new Snapshot(names, () => 0.5);
  assert.ok(snapshot.setNode(nodeObject('a')));
  const { generation } = snapshot;
  assert.equal(
    snapshot.setNode({ ...nodeObject('a'), metadata: { ...nodeObject('a').metadata, resourceVersion: '2' } }),
    undefined,
  );
  assert.equal(snapshot.generation, generation);
  assert.ok(snapshot.setNode(nodeObject('a', { unschedulable: true })));
  assert.notEqual(snapshot.generation, generation);
});

test('a pod that moves on the way is counted once', () => {
  const snapshot = new Snapshot(names, () => 0.5);
  for (const node of ['a', 'b']) snapshot.setNode(nodeObject(node));
  snapshot.place('pod', classOf(1), 'a', false);
  snapshot.place('pod', classOf(1), 'b', true);
  assert.equal(snapshot.findNode('a')?.podCount, 0);
  assert.equal(snapshot.findNode('b')?.podCount, 1);
  assert.equal(snapshot.findPlaced('pod')?.isConfirmed, true);
});
