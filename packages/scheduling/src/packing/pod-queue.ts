import type { QueuedPod } from './queued-pod.ts';

/**
 * The pods that wait for a place, in a ring. One that is refused waits for its next turn, because one placed meanwhile
 * may have opened a place for it; when all have been refused since the last was placed, there is no hope (spec 02 §8.1).
 *
 * Pods that are alike get like answers: once one is refused, the others lose their turns until a pod is placed. So a lap
 * costs an attempt for each kind of pod, and of the pods themselves only the step over them.
 */
export class PodQueue {
  readonly #pods: readonly QueuedPod[];
  /** By position: the kind of the pod; where the next waiting pod is; whether it waits no more. */
  readonly #kind: Int32Array;
  readonly #next: Int32Array;
  readonly #isPlaced: Uint8Array;
  /** By kind: how many were placed when one was last refused. */
  readonly #refusedAt: Int32Array;
  /** The position before the one whose turn it is. */
  #previous: number;
  #placed = 0;
  #refusedInARow = 0;
  /** Positions below have had a turn. */
  #reached = 0;

  /** `pods` in the order of their first turns; those are alike for which `kindOf` gives the same. */
  constructor(pods: readonly QueuedPod[], kindOf: (pod: QueuedPod) => object) {
    const count = pods.length;
    const kinds = new Map<object, number>();
    this.#pods = pods;
    this.#kind = new Int32Array(count);
    this.#next = new Int32Array(count);
    for (let position = 0; position < count; position++) {
      this.#kind[position] = numberOf(kindOf(pods[position]!), kinds);
      this.#next[position] = (position + 1) % count;
    }
    this.#isPlaced = new Uint8Array(count);
    this.#refusedAt = new Int32Array(kinds.size).fill(-1);
    this.#previous = count - 1;
  }

  /** How many wait. */
  get length(): number {
    return this.#pods.length - this.#placed;
  }

  /** The pod whose turn it is, which is then to be placed or refused; `undefined` when there is no hope. */
  next(): QueuedPod | undefined {
    while (this.#refusedInARow < this.length) {
      const position = this.#next[this.#previous]!;
      if (this.#refusedAt[this.#kind[position]!] !== this.#placed) return this.#pods[position];
      this.#pass();
    }
    return undefined;
  }

  /** The pod whose turn it is has found a place. */
  place(): void {
    const position = this.#next[this.#previous]!;
    this.#isPlaced[position] = 1;
    this.#reached = Math.max(this.#reached, position + 1);
    this.#next[this.#previous] = this.#next[position]!;
    this.#placed++;
    this.#refusedInARow = 0;
  }

  /** The pod whose turn it is waits for its next one, and so do its likes. */
  refuse(): void {
    this.#refusedAt[this.#kind[this.#next[this.#previous]!]!] = this.#placed;
    this.#pass();
  }

  /** Those that were refused and still wait. */
  refused(): readonly QueuedPod[] {
    return this.#pods.filter((_, position) => position < this.#reached && this.#isPlaced[position] === 0);
  }

  /** Those that have not had a turn. */
  untried(): readonly QueuedPod[] {
    return this.#pods.slice(this.#reached);
  }

  #pass(): void {
    this.#previous = this.#next[this.#previous]!;
    this.#reached = Math.max(this.#reached, this.#previous + 1);
    this.#refusedInARow++;
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
