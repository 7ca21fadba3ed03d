import { type Clock, type Instant, Ulids } from '@karpenter-ts/runtime';
import { objectKey, type Pod } from '@karpenter-ts/kubernetes';

/** What was decided to do (spec 09 C4). */
type DecisionKind =
  | 'provision'
  | 'empty'
  | 'underutilized'
  | 'drift'
  | 'expire'
  | 'interrupt'
  | 'repair'
  | 'static'
  | 'launch-failure'
  | 'hold'
  | 'reject';

/** An object that a decision is about, or that it created. */
export interface DecisionObject {
  readonly kind: 'NodePool' | 'NodeClaim' | 'Node';
  readonly name: string;
}

/** A decision to change capacity, as data: who reads it later must be able to tell why it was made. */
export interface Decision {
  /** A ULID. */
  readonly id: string;
  readonly madeAt: Instant;
  readonly kind: DecisionKind;
  readonly objects: readonly DecisionObject[];
  /** The pods that get another node by it, as namespace/name; the first 100. */
  readonly pods: readonly string[];
  /** The number of all these pods. */
  readonly podCount: number;
  /** Of what is there without the decision, and of what takes its place. */
  readonly pricePerHour: { readonly before: number; readonly after: number };
  /** Features that upstream does not have and that led to it: `A1`. */
  readonly extensions: readonly string[];
  /** Milliseconds the planner worked for the plan that the decision is from. */
  readonly plannerMs: number;
  readonly outcome: DecisionOutcome;
}

export type DecisionOutcome =
  | { readonly state: 'started' }
  | { readonly state: 'succeeded'; readonly at: Instant }
  | { readonly state: 'failed'; readonly at: Instant; readonly error: string };

/** What is known as a decision is made. */
export interface DecisionDraft extends Omit<Decision, 'id' | 'madeAt' | 'pods' | 'podCount' | 'outcome'> {
  readonly pods: readonly Pod[];
}

/** A decision that has been recorded and whose outcome is not known yet. */
export interface OpenDecision {
  readonly id: string;
  /** `created` is added to the objects of the decision. */
  succeed(...created: readonly DecisionObject[]): void;
  fail(error: string): void;
}

export interface DecisionRingDeps {
  readonly clock: Pick<Clock, 'now'>;
  /** Numbers in [0, 1), for ids. */
  readonly random: () => number;
  /** The number of decisions that are kept. */
  readonly size?: number;
}

const SIZE = 10_000; // spec 09 C4
const MOST_PODS = 100; // spec 09 C4

const STARTED: DecisionOutcome = { state: 'started' };

/** The last decisions of this process. When it is full, each new decision takes the place of the oldest. */
export class DecisionRing {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #size: number;
  readonly #ids: Ulids;
  readonly #decisions = new Map<string, Decision>(); // by id, oldest first

  constructor({ clock, random, size = SIZE }: DecisionRingDeps) {
    this.#clock = clock;
    this.#size = size;
    this.#ids = new Ulids(random);
  }

  record({ pods, ...draft }: DecisionDraft): OpenDecision {
    const madeAt = this.#clock.now();
    const id = this.#ids.next(madeAt);
    const names = pods.slice(0, MOST_PODS).map(({ metadata }) => objectKey(metadata));
    this.#decisions.set(id, { id, madeAt, ...draft, pods: names, podCount: pods.length, outcome: STARTED });
    if (this.#decisions.size > this.#size) this.#decisions.delete(this.#decisions.keys().next().value!);
    return {
      id,
      succeed: (...created) => this.#conclude(id, { state: 'succeeded', at: this.#clock.now() }, created),
      fail: (error) => this.#conclude(id, { state: 'failed', at: this.#clock.now(), error }, []),
    };
  }

  /** The decisions that are still known, oldest first. */
  list(): readonly Decision[] {
    return [...this.#decisions.values()];
  }

  #conclude(id: string, outcome: DecisionOutcome, created: readonly DecisionObject[]): void {
    const decision = this.#decisions.get(id);
    if (decision === undefined) return; // newer decisions have taken its place
    this.#decisions.set(id, { ...decision, objects: [...decision.objects, ...created], outcome });
  }
}
