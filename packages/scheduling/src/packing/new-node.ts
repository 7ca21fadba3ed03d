import type { PoolLimits } from '../checks/pool-limits.ts';
import { BitSet } from '../interning/bit-set.ts';
import type { RequirementSet } from '../requirements/requirement-set.ts';
import type { Restriction } from '../topology/restriction.ts';
import type { Acceptance, Candidate } from './acceptance.ts';
import type { Demand } from './demand.ts';
import type { NodeTemplate } from './node-template.ts';
import { NONE_HELD, placeholderOf } from './open-node.ts';
import type { RefusalDraft } from './refusal-draft.ts';

/** A template with what its pool may still grow by in this run. */
export interface OpenPool {
  readonly template: NodeTemplate;
  readonly limits: PoolLimits | undefined;
}

/** What the pools say to a new node for a pod: the first that agrees, or why none does, one refusal for each. */
export type Opening =
  | { readonly template: NodeTemplate; readonly set: RequirementSet }
  | { readonly refusals: readonly { readonly nodePool: string; readonly refusal: RefusalDraft }[] };

/** Asks the pools for a new node in their order (spec 02 §8.3). */
export class NewNodes {
  readonly #pools: readonly OpenPool[];
  readonly #acceptance: Acceptance;
  readonly #minValues: 'Keep' | 'Lower';
  readonly #noRequests: Float64Array;
  readonly #variants = new BitSet();

  constructor(
    pools: readonly OpenPool[],
    acceptance: Acceptance,
    { minValues, width }: { readonly minValues: 'Keep' | 'Lower'; readonly width: number },
  ) {
    this.#pools = pools;
    this.#acceptance = acceptance;
    this.#minValues = minValues;
    this.#noRequests = new Float64Array(width);
  }

  /** `planned` is how many nodes there are so far. A pool whose reservation is taken keeps the pod from later pools. */
  find(demand: Demand, restriction: Restriction, planned: number): Opening {
    const refusals = [];
    for (const pool of this.#pools) {
      const { template } = pool;
      const refusal = this.#findLimit(pool);
      const set = refusal === undefined ? this.#check(template, demand, restriction, planned) : undefined;
      if (set !== undefined) return { template, set };
      refusals.push({ nodePool: template.nodePool, refusal: refusal ?? this.#acceptance.refusal! });
      if (refusals.at(-1)!.refusal.why === 'Reservation') break;
    }
    return { refusals };
  }

  /** Counts a node that was opened. */
  count(template: NodeTemplate, variants: BitSet): void {
    const pool = this.#pools.find((one) => one.template === template);
    pool?.limits?.countPlanned(variants, template.market.catalogue);
  }

  /** Leaves the variants within the pool's limits, or says which limit leaves none (spec 02 §19). */
  #findLimit({ template, limits }: OpenPool): RefusalDraft | undefined {
    this.#variants.copyFrom(template.variants);
    if (limits === undefined) return undefined;
    if (limits.hasReachedNodes()) return { why: 'NodeLimit' };
    return limits.restrict(this.#variants, template.market.catalogue) ? undefined : { why: 'ResourceLimits' };
  }

  #check(template: NodeTemplate, demand: Demand, restriction: Restriction, planned: number) {
    const candidate: Candidate = {
      template,
      set: template.set,
      variants: this.#variants,
      requests: this.#noRequests,
      ports: [],
      held: NONE_HELD,
      placeholder: placeholderOf(planned),
      index: -1,
    };
    return this.#acceptance.check(candidate, demand, restriction, this.#minValues);
  }
}
