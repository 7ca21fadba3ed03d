import type { PoolLimits } from '../../checks/pool-limits.ts';
import type { BitSet } from '../../model/interning/bit-set.ts';
import type { Restriction } from '../../topology/restriction.ts';
import type { Acceptance, Accepted, Candidate } from './acceptance.ts';
import type { Demand } from '../demand.ts';
import type { NodeTemplate } from './node-template.ts';
import { NONE_HELD, placeholderOf } from './in-flight-node.ts';
import type { RawRefusal } from '../raw-refusal.ts';

/** The template of a pool, with how much the pool may still grow in this run. */
export interface TemplateWithLimits {
  readonly template: NodeTemplate;
  readonly limits: PoolLimits | undefined;
}

/** The answer of the pools to a pod that needs a new node: the first pool that takes it, or the refusal of each pool. */
export type Opening =
  | { readonly template: NodeTemplate; readonly accepted: Accepted }
  | {
      readonly refusals: readonly { readonly nodePool: string; readonly refusal: RawRefusal }[];
      /** Whether all of them will refuse again, and so will every node that they open. */
      readonly areForGood: boolean;
    };

/** Asks the pools for a new node in their order (spec 02 §8.3). */
export class NewNodes {
  readonly #pools: readonly PoolWithinLimits[];
  readonly #acceptance: Acceptance;
  readonly #minValues: 'Keep' | 'Lower';
  readonly #noRequests: Float64Array;

  constructor(
    pools: readonly TemplateWithLimits[],
    acceptance: Acceptance,
    { minValues, width }: { readonly minValues: 'Keep' | 'Lower'; readonly width: number },
  ) {
    this.#pools = pools.map((pool) => new PoolWithinLimits(pool));
    this.#acceptance = acceptance;
    this.#minValues = minValues;
    this.#noRequests = new Float64Array(width);
  }

  /**
   * `planned` is the number of nodes planned so far. A pool that refuses a pod because its reservation is taken keeps the
   * pod from all later pools: the pod waits for the reservation.
   */
  find(demand: Demand, restriction: Restriction, planned: number): Opening {
    const refusals = [];
    let areForGood = true;
    for (const pool of this.#pools) {
      const { template } = pool;
      const { variants, refusal } = pool.withinLimits();
      const result = refusal === undefined ? this.#check(pool, variants, demand, restriction, planned) : undefined;
      if (result?.isAccepted) return { template, accepted: result };
      areForGood &&= result === undefined || result.lasting === 'ForGood';
      refusals.push({ nodePool: template.nodePool, refusal: refusal ?? result!.refusal! });
      if (refusals.at(-1)!.refusal.why === 'Reservation') break;
    }
    return { refusals, areForGood };
  }

  /** Counts a node that was opened against the limits of its pool. */
  count(template: NodeTemplate, variants: BitSet): void {
    this.#pools.find((pool) => pool.template === template)?.count(variants);
  }

  #check(pool: PoolWithinLimits, variants: BitSet, demand: Demand, restriction: Restriction, planned: number) {
    const candidate: Candidate = {
      template: pool.template,
      set: pool.template.set,
      variants,
      requests: this.#noRequests,
      ports: [],
      held: NONE_HELD,
      placeholder: placeholderOf(planned),
      index: -1,
    };
    return this.#acceptance.check(candidate, demand, restriction, this.#minValues);
  }
}

/** What the limits of a pool leave of it. */
interface WithinLimits {
  /** Refusals refer to this set, so it must not be changed. */
  readonly variants: BitSet;
  /** Why nothing is left (spec 02 §19). */
  readonly refusal: RawRefusal | undefined;
}

/** A pool and its limits. The limits are checked once for each node that the pool opens, and not for each pod. */
class PoolWithinLimits {
  readonly template: NodeTemplate;
  readonly #limits: PoolLimits | undefined;
  #withinLimits: WithinLimits | undefined;

  constructor({ template, limits }: TemplateWithLimits) {
    this.template = template;
    this.#limits = limits;
  }

  withinLimits(): WithinLimits {
    this.#withinLimits ??=
      this.#limits === undefined ? { variants: this.template.variants, refusal: undefined } : this.#check();
    return this.#withinLimits;
  }

  count(variants: BitSet): void {
    if (this.#limits === undefined) return;
    this.#limits.countPlanned(variants, this.template.market.catalogue);
    this.#withinLimits = undefined;
  }

  #check(): WithinLimits {
    const { template } = this;
    const limits = this.#limits!;
    const variants = template.variants.clone();
    if (limits.hasReachedNodes()) {
      return { variants, refusal: { why: 'NodeLimit', limit: template.limits!.remaining.get('nodes')! } };
    }
    const isOpen = limits.restrict(variants, template.market.catalogue);
    return { variants, refusal: isOpen ? undefined : { why: 'ResourceLimits', template, limits } };
  }
}
