import { BitSet } from '../model/interning/bit-set.ts';
import type { QueuedPod } from './queued-pod.ts';

/**
 * The pods that wait for a place, in a ring. A pod that is refused waits for its next turn, because a pod that is placed
 * meanwhile may make a place for it. The run ends when all pods have been refused since the last placement (spec 02 §8.1).
 *
 * Pods that are alike get the same answer: once one is refused, the others lose their turns until a pod is placed. So a lap
 * costs one attempt for each kind of pod. If it is known what a kind waits for, its pods leave the ring until that happens.
 * Otherwise a chain of pods, each of which follows the next, would take as many laps as it has pods.
 */
export class PodQueue {
  readonly #pods: readonly QueuedPod[];
  /** By position: the kind of the pod; the next position of its kind, or −1; whether it waits no more. */
  readonly #kind: Int32Array;
  readonly #nextOfKind: Int32Array;
  readonly #isPlaced: Uint8Array;
  /** By kind: its first position; how many were placed when one was last refused; whether it is out of the ring. */
  readonly #firstOfKind: number[] = [];
  readonly #refusedAt: number[] = [];
  readonly #isAway: boolean[] = [];
  /** By what they wait for: the kinds that are away. Some may have come back since. */
  readonly #awaiting = new Map<unknown, Set<number>>();
  /** Positions that take turns. */
  readonly #ring: BitSet;
  #inRing: number;
  /** The position whose turn it is, or from where to look for it. */
  #turn = 0;
  #placed = 0;
  #refusedInARow = 0;
  /** Positions below have had a turn. */
  #reached = 0;

  /** `pods` are in the order of their first turns. Pods are alike if `kindOf` returns the same object for them. */
  constructor(pods: readonly QueuedPod[], kindOf: (pod: QueuedPod) => object) {
    const count = pods.length;
    const kinds = new Map<object, number>();
    this.#pods = pods;
    this.#kind = new Int32Array(count);
    this.#nextOfKind = new Int32Array(count);
    for (let position = count - 1; position >= 0; position--) {
      const kind = numberOf(kindOf(pods[position]!), kinds);
      this.#kind[position] = kind;
      this.#nextOfKind[position] = this.#firstOfKind[kind] ?? -1;
      this.#firstOfKind[kind] = position;
      this.#refusedAt[kind] = -1;
      this.#isAway[kind] = false;
    }
    this.#isPlaced = new Uint8Array(count);
    this.#ring = BitSet.upTo(count);
    this.#inRing = count;
  }

  /** How many pods wait. */
  get length(): number {
    return this.#pods.length - this.#placed;
  }

  /** The pod whose turn it is. The caller must place or refuse it next. `undefined` when no pod can be placed any more. */
  next(): QueuedPod | undefined {
    do {
      while (this.#refusedInARow < this.#inRing) {
        this.#advance();
        if (this.#refusedAt[this.#kind[this.#turn]!] !== this.#placed) return this.#pods[this.#turn];
        this.#pass();
      }
    } while (this.#recallAll());
    this.#reached = this.#pods.length;
    return undefined;
  }

  /** The pod whose turn it is has found a place. */
  place(): void {
    this.#isPlaced[this.#turn] = 1;
    this.#ring.delete(this.#turn);
    this.#inRing--;
    this.#placed++;
    this.#refusedInARow = 0;
    this.#leave();
  }

  /**
   * The pod whose turn it is, and the pods like it, wait for their next turn. With `events` they wait until one of these
   * happens: the caller knows that nothing else can help them.
   */
  refuse(events?: readonly unknown[]): void {
    const kind = this.#kind[this.#turn]!;
    this.#refusedAt[kind] = this.#placed;
    if (events === undefined) {
      this.#pass();
      return;
    }
    this.#isAway[kind] = true;
    for (let i = this.#firstOfKind[kind]!; i >= 0; i = this.#nextOfKind[i]!) this.#take(i);
    for (const event of events) {
      const awaiting = this.#awaiting.get(event);
      if (awaiting === undefined) this.#awaiting.set(event, new Set([kind]));
      else awaiting.add(kind);
    }
    this.#leave();
  }

  /** Whether anything is waited for. */
  get isAwaiting(): boolean {
    return this.#awaiting.size > 0;
  }

  /** The pods that wait for this event take turns again, in their old positions. */
  happened(event: unknown): void {
    const kinds = this.#awaiting.get(event);
    if (kinds === undefined) return;
    this.#awaiting.delete(event);
    for (const kind of kinds) this.#recall(kind);
  }

  /** The pods that were refused and still wait. */
  refused(): readonly QueuedPod[] {
    return this.#pods.filter((_, position) => position < this.#reached && this.#isPlaced[position] === 0);
  }

  /** The pods that have not had a turn. */
  untried(): readonly QueuedPod[] {
    return this.#pods.slice(this.#reached);
  }

  #advance(): void {
    const next = this.#ring.next(this.#turn);
    if (next < 0) this.#reached = this.#pods.length;
    this.#turn = next < 0 ? this.#ring.next(0) : next;
    this.#reached = Math.max(this.#reached, this.#turn);
  }

  #pass(): void {
    this.#refusedInARow++;
    this.#leave();
  }

  #leave(): void {
    this.#turn++;
    this.#reached = Math.max(this.#reached, this.#turn);
  }

  #take(position: number): void {
    if (this.#isPlaced[position] === 1) return;
    this.#ring.delete(position);
    this.#inRing--;
  }

  #recall(kind: number): void {
    if (!this.#isAway[kind]) return;
    this.#isAway[kind] = false;
    for (let i = this.#firstOfKind[kind]!; i >= 0; i = this.#nextOfKind[i]!) {
      if (this.#isPlaced[i] === 1) continue;
      this.#ring.add(i);
      this.#inRing++;
    }
  }

  /** At the end, tries the pods that are away once more, so that their refusals are up to date. False if there are none. */
  #recallAll(): boolean {
    let isAny = false;
    for (const [kind, isAway] of this.#isAway.entries()) {
      if (!isAway || this.#refusedAt[kind] === this.#placed) continue;
      this.#recall(kind);
      isAny = true;
    }
    if (isAny) this.#refusedInARow = 0;
    return isAny;
  }
}

function numberOf(kind: object, known: Map<object, number>): number {
  let number = known.get(kind);
  if (number === undefined) {
    number = known.size;
    known.set(kind, number);
  }
  return number;
}
