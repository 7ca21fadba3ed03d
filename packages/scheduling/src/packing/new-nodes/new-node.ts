import type { PoolLimits } from '../../checks/pool-limits.ts';
import type { BitSet } from '../../model/interning/bit-set.ts';
import type { RequirementSet } from '../../model/requirements/requirement-set.ts';
import type { Restriction } from '../../topology/restriction.ts';
import type { Acceptance, Candidate } from './acceptance.ts';
import type { Demand } from '../demand.ts';
import type { NodeTemplate } from './node-template.ts';
import { NONE_HELD, placeholderOf } from './open-node.ts';
import type { RefusalDraft } from '../refusal-draft.ts';

/** A template with what its pool may still grow by in this run. */
export interface OpenPool {
  readonly template: NodeTemplate;
  readonly limits: PoolLimits | undefined;
}

/** What the pools say to a new node for a pod: the first that agrees, or why none does, one refusal for each. */
export type Opening =
  | { readonly template: NodeTemplate; readonly set: RequirementSet }
  | {
      readonly refusals: readonly { readonly nodePool: string; readonly refusal: RefusalDraft }[];
      /** Whether all of them will say so again, and every node they open. */
      readonly areForGood: boolean;
    };

/** Asks the pools for a new node in their order (spec 02 §8.3). */
export class NewNodes {
  readonly #gates: readonly Gate[];
  readonly #acceptance: Acceptance;
  readonly #minValues: 'Keep' | 'Lower';
  readonly #noRequests: Float64Array;

  constructor(
    pools: readonly OpenPool[],
    acceptance: Acceptance,
    { minValues, width }: { readonly minValues: 'Keep' | 'Lower'; readonly width: number },
  ) {
    this.#gates = pools.map((pool) => new Gate(pool));
    this.#acceptance = acceptance;
    this.#minValues = minValues;
    this.#noRequests = new Float64Array(width);
  }

  /** `planned` is how many nodes there are so far. A pool whose reservation is taken keeps the pod from later pools. */
  find(demand: Demand, restriction: Restriction, planned: number): Opening {
    const refusals = [];
    let areForGood = true;
    for (const gate of this.#gates) {
      const { template } = gate;
      const { variants, refusal } = gate.look();
      const set = refusal === undefined ? this.#check(gate, variants, demand, restriction, planned) : undefined;
      if (set !== undefined) return { template, set };
      areForGood &&= refusal !== undefined || this.#acceptance.lasting === 'ForGood';
      refusals.push({ nodePool: template.nodePool, refusal: refusal ?? this.#acceptance.refusal! });
      if (refusals.at(-1)!.refusal.why === 'Reservation') break;
    }
    return { refusals, areForGood };
  }

  /** Counts a node that was opened. */
  count(template: NodeTemplate, variants: BitSet): void {
    this.#gates.find((gate) => gate.template === template)?.count(variants);
  }

  #check(gate: Gate, variants: BitSet, demand: Demand, restriction: Restriction, planned: number) {
    const candidate: Candidate = {
      template: gate.template,
      set: gate.template.set,
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

/** What a pool's limits leave of it. */
interface View {
  /** Not to be changed: refusals refer to it. */
  readonly variants: BitSet;
  /** Why nothing is left (spec 02 §19). */
  readonly refusal: RefusalDraft | undefined;
}

/** A pool and its limits, looked at once per node it opens rather than once per pod. */
class Gate {
  readonly template: NodeTemplate;
  readonly #limits: PoolLimits | undefined;
  #view: View | undefined;

  constructor({ template, limits }: OpenPool) {
    this.template = template;
    this.#limits = limits;
  }

  look(): View {
    this.#view ??=
      this.#limits === undefined ? { variants: this.template.variants, refusal: undefined } : this.#check();
    return this.#view;
  }

  count(variants: BitSet): void {
    if (this.#limits === undefined) return;
    this.#limits.countPlanned(variants, this.template.market.catalogue);
    this.#view = undefined;
  }

  #check(): View {
    const { template } = this;
    const limits = this.#limits!;
    const variants = template.variants.clone();
    if (limits.hasReachedNodes()) return { variants, refusal: { why: 'NodeLimit', template, limits } };
    const isOpen = limits.restrict(variants, template.market.catalogue);
    return { variants, refusal: isOpen ? undefined : { why: 'ResourceLimits', template, limits } };
  }
}
