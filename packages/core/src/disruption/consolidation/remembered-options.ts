import { isDeepStrictEqual } from 'node:util';
import { DO_NOT_DISRUPT, type NodePool } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { SteadyClock } from '@karpenter-ts/runtime';
import type { InstanceType, Snapshot } from '@karpenter-ts/scheduling';
import type { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import { TimeSlices } from '../../state/time-slices.ts';
import type { Candidate } from '../candidates/candidate.ts';
import type { ConsolidationOption } from './consolidation-option.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import type { OptionFinder } from './multi-node.ts';
import type { PlanningSimulator } from '../simulation/planning-simulator.ts';
import { isSameSnapshot } from '../simulation/same-snapshot.ts';

/** What was found for a candidate, and what of the candidate it was found for. */
interface Remembered {
  readonly option: ConsolidationOption;
  readonly reschedulablePods: readonly Pod[];
  readonly instanceType: InstanceType | undefined;
  readonly price: number;
  readonly nodePool: NodePool;
  readonly budgets: PodDisruptionBudgets;
  readonly budgetsRevision: number;
}

/** The pass that asks. */
export interface RememberingPass {
  readonly findOption: OptionFinder;
  readonly simulator: Pick<PlanningSimulator, 'snapshot'>;
  readonly state: Pick<DisruptionState, 'podDisruptionBudgets'>;
}

/**
 * What became of single candidates in the last pass (spec 09 A3). An option depends on the candidate, on its pods and on
 * the whole snapshot that it was simulated with, in which any node could have been the destination. So the options are
 * kept as long as the snapshot stays the same, and forgotten together when it changes. Times count as what follows from
 * them: which nodes refuse moved pods is part of the snapshot, and pods with a do-not-disrupt annotation, which may end at
 * any moment, are never relied on.
 */
export class RememberedOptions {
  readonly #clock: SteadyClock;
  /** By provider id. */
  readonly #known = new Map<string, Remembered>();
  #snapshot: Snapshot | undefined;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** How many options are kept. */
  get size(): number {
    return this.#known.size;
  }

  /** Finds options as the pass does, but repeats what is known of single candidates. */
  remembering({ findOption, simulator, state }: RememberingPass): OptionFinder {
    let slices: TimeSlices | undefined;
    return async (candidates, signal) => {
      const [candidate, ...others] = candidates;
      if (candidate === undefined || others.length > 0) return findOption(candidates, signal);
      if (slices === undefined) {
        slices = new TimeSlices(this.#clock, signal);
        await this.#follow(await simulator.snapshot(signal), slices);
      }
      if (slices.isOver) await slices.pause();
      const { podDisruptionBudgets: budgets } = state;
      const known = this.#known.get(candidate.stateNode.providerId);
      if (known !== undefined && isAbout(known, candidate, budgets)) return { ...known.option, candidates };
      const budgetsRevision = budgets.revision; // as it was when the simulation began
      const option = await findOption(candidates, signal);
      this.#keep(candidate, { option, budgets, budgetsRevision });
      return option;
    };
  }

  async #follow(snapshot: Snapshot, slices: TimeSlices): Promise<void> {
    const isSame = this.#snapshot !== undefined && (await isSameSnapshot(this.#snapshot, snapshot, slices));
    if (!isSame) this.#known.clear();
    this.#snapshot = snapshot;
  }

  #keep(candidate: Candidate, found: Pick<Remembered, 'option' | 'budgets' | 'budgetsRevision'>): void {
    const { stateNode, reschedulablePods, instanceType, price, pool } = candidate;
    const dependsOnTime = reschedulablePods.some(
      ({ metadata }) => metadata.annotations?.[DO_NOT_DISRUPT] !== undefined,
    );
    // Replacements by several nodes depend on the age of the node and on commands that are being carried out.
    if (dependsOnTime || pool.settings.maxReplacements > 1) return;
    const { nodePool } = pool;
    this.#known.set(stateNode.providerId, { ...found, reschedulablePods, instanceType, price, nodePool });
  }
}

function isAbout(known: Remembered, candidate: Candidate, budgets: PodDisruptionBudgets): boolean {
  return (
    known.instanceType === candidate.instanceType &&
    known.price === candidate.price &&
    known.budgets === budgets &&
    known.budgetsRevision === budgets.revision &&
    areSame(known.reschedulablePods, candidate.reschedulablePods) &&
    hasSameSettings(known.nodePool, candidate.pool.nodePool)
  );
}

/** The settings of extensions are in the annotations. The pool's spec is part of the snapshot if nodes can be bought. */
function hasSameSettings(a: NodePool, b: NodePool): boolean {
  return a === b || isDeepStrictEqual(a.metadata.annotations, b.metadata.annotations);
}

function areSame(some: readonly Pod[], others: readonly Pod[]): boolean {
  return some === others || (some.length === others.length && some.every((pod, i) => pod === others[i]));
}
