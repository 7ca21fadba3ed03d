import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PodQueue } from './pod-queue.ts';
import type { QueuedPod } from './queued-pod.ts';

const KINDS = Array.from({ length: 1000 }, () => ({}));

/** A pod by its number and its kind: the queue reads nothing of it but what it is told. */
interface Turn {
  readonly id: number;
  readonly kind: number;
}

const asQueued = (turns: readonly Turn[]) => turns as unknown as readonly QueuedPod[];
const asTurn = (pod: QueuedPod) => pod as unknown as Turn;

/** Whether a pod of a kind can be placed once so many are: any answer will do, as long as likes get the same. */
type Placeable = (kind: number, placed: number) => boolean;

/** The kind without which a kind cannot be placed, if that is all that keeps it from a place. */
type Awaited = (kind: number) => number | undefined;

/** The ring. Stops after so many turns. */
function takeTurns(
  turns: readonly Turn[],
  isPlaceable: Placeable,
  most = Number.POSITIVE_INFINITY,
  awaited: Awaited = () => undefined,
) {
  const queue = new PodQueue(asQueued(turns), (pod) => KINDS[asTurn(pod).kind]!);
  const placed: number[] = [];
  let taken = 0;
  for (;;) {
    const pod = queue.next();
    if (pod === undefined || taken++ === most) break;
    const { id, kind } = asTurn(pod);
    if (isPlaceable(kind, placed.length)) {
      placed.push(id);
      queue.place();
      queue.happened(KINDS[kind]!);
    } else {
      const event = awaited(kind);
      queue.refuse(event === undefined ? undefined : [KINDS[event]!]);
    }
  }
  const ids = (pods: readonly QueuedPod[]) => pods.map((one) => asTurn(one).id);
  return { placed, refused: ids(queue.refused()), untried: ids(queue.untried()), length: queue.length, taken };
}

/** Upstream's queue, step by step: to the back with the length it had, until the front one finds that length again. */
function asUpstream(turns: readonly Turn[], isPlaceable: Placeable): readonly number[] {
  const queue = [...turns];
  const lengthWhenPushed = new Map<Turn, number>();
  const placed: number[] = [];
  for (let turn = queue[0]; turn !== undefined && lengthWhenPushed.get(turn) !== queue.length; turn = queue[0]) {
    queue.shift();
    if (isPlaceable(turn.kind, placed.length)) {
      placed.push(turn.id);
    } else {
      queue.push(turn);
      lengthWhenPushed.set(turn, queue.length);
    }
  }
  return placed;
}

const queues = fc.record({
  kinds: fc.array(fc.nat({ max: 3 }), { maxLength: 12 }),
  open: fc.array(fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }), { minLength: 4, maxLength: 4 }),
});

test('pods are placed in the order of a queue in which the refused go to the back', () => {
  let laps = 0;
  fc.assert(
    fc.property(queues, ({ kinds, open }) => {
      const turns = kinds.map((kind, id) => ({ id, kind }));
      const isPlaceable: Placeable = (kind, placed) => open[kind]![placed]!;
      const { placed, refused, untried, length } = takeTurns(turns, isPlaceable);
      assert.deepEqual(placed, asUpstream(turns, isPlaceable));
      assert.deepEqual(untried, []);
      assert.deepEqual(
        refused,
        turns.map(({ id }) => id).filter((id) => !placed.includes(id)),
      );
      assert.equal(length, refused.length);
      if (placed.some((id, i) => i > 0 && id < placed[i - 1]!)) laps++;
    }),
    { numRuns: 1000 },
  );
  assert.ok(laps > 100, 'pods found a place on a later lap');
});

test('a run that stops in its first lap tells those that were refused from those not tried', () => {
  const turns = [0, 1, 0, 2, 1, 3].map((kind, id) => ({ id, kind }));
  const isPlaceable: Placeable = (kind) => kind >= 2;
  const { taken: _, ...stopped } = takeTurns(turns, isPlaceable, 3);
  assert.deepEqual(stopped, { placed: [3], refused: [0, 1, 2], untried: [4, 5], length: 5 });
});

test('pods that are known to wait for others are placed in the same order, and every refusal is as of the end', () => {
  const followers = fc.record({
    kinds: fc.array(fc.nat({ max: 5 }), { minLength: 6, maxLength: 12 }),
    /** By kind: the one it follows; itself if it follows none, and then it is placed if it is even. */
    leaders: fc.tuple(fc.constant(0), ...[0, 1, 2, 3, 4].map((most) => fc.nat({ max: most }))),
  });
  let late = 0;
  fc.assert(
    fc.property(followers, ({ kinds, leaders }) => {
      const turns = kinds.map((kind, id) => ({ id, kind }));
      const environment = () => {
        const present = new Set<number>();
        const refusedAt = new Map<number, number>();
        const isPlaceable: Placeable = (kind, placed) => {
          const isOpen = leaders[kind] === kind ? kind % 2 === 0 : present.has(leaders[kind]!);
          if (isOpen) present.add(kind);
          else refusedAt.set(kind, placed);
          return isOpen;
        };
        return { isPlaceable, refusedAt };
      };
      const { isPlaceable, refusedAt } = environment();
      const awaited: Awaited = (kind) => (leaders[kind] === kind ? undefined : leaders[kind]);
      const { placed, refused, untried } = takeTurns(turns, isPlaceable, undefined, awaited);
      assert.deepEqual(placed, asUpstream(turns, environment().isPlaceable));
      assert.deepEqual(untried, []);
      assert.equal(placed.length + refused.length, turns.length);
      for (const id of refused) assert.equal(refusedAt.get(kinds[id]!), placed.length);
      if (placed.some((id, i) => i > 0 && id < placed[i - 1]!)) late++;
    }),
    { numRuns: 1000 },
  );
  assert.ok(late > 100, 'pods found a place when those they follow had one');
});

test('a chain of pods, each of which follows the next, takes two turns a pod', () => {
  const turns = KINDS.map((_, kind) => ({ id: kind, kind }));
  const present = new Set([turns.length]);
  const isPlaceable: Placeable = (kind) => present.has(kind + 1) && Boolean(present.add(kind));
  const { placed, taken } = takeTurns(turns, isPlaceable, undefined, (kind) => kind + 1);
  assert.equal(placed.length, turns.length);
  assert.equal(taken, 2 * turns.length - 1);
});
