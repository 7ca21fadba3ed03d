import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PodQueue } from './pod-queue.ts';
import type { QueuedPod } from './queued-pod.ts';

const KINDS = Array.from({ length: 4 }, () => ({}));

/** A pod by its number and its kind: the queue reads nothing of it but what it is told. */
interface Turn {
  readonly id: number;
  readonly kind: number;
}

const asQueued = (turns: readonly Turn[]) => turns as unknown as readonly QueuedPod[];
const asTurn = (pod: QueuedPod) => pod as unknown as Turn;

/** Whether a pod of a kind can be placed once so many are: any answer will do, as long as likes get the same. */
type Placeable = (kind: number, placed: number) => boolean;

/** The ring. Stops after so many turns. */
function takeTurns(turns: readonly Turn[], isPlaceable: Placeable, most = Number.POSITIVE_INFINITY) {
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
    } else {
      queue.refuse();
    }
  }
  const ids = (pods: readonly QueuedPod[]) => pods.map((one) => asTurn(one).id);
  return { placed, refused: ids(queue.refused()), untried: ids(queue.untried()), length: queue.length };
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

const worlds = fc.record({
  kinds: fc.array(fc.nat({ max: 3 }), { maxLength: 12 }),
  open: fc.array(fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }), { minLength: 4, maxLength: 4 }),
});

test('pods are placed in the order of a queue in which the refused go to the back', () => {
  let laps = 0;
  fc.assert(
    fc.property(worlds, ({ kinds, open }) => {
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
  assert.deepEqual(takeTurns(turns, isPlaceable, 3), { placed: [3], refused: [0, 1, 2], untried: [4, 5], length: 5 });
});
