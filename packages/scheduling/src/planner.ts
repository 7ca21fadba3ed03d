import type { Catalogues } from './model/instance-types/catalogues.ts';
import { applyChange, type Change, findScope } from './what-if.ts';
import { type PlanRun, type Reading, unlessStopped } from './progress.ts';
import { countByZone, runPlan, undecidedPlan } from './planning-run.ts';
import type { PlanScope } from './packing/plan-scope.ts';
import type { PlanningOptions, Snapshot } from './snapshot.ts';
import { indexSnapshot, type IndexedSnapshot } from './packing/indexed-snapshot.ts';

/** A snapshot that was read once and can be planned many times. Runs may take turns, because they share no state. */
export interface PlanningBase {
  /** The plan of the snapshot. */
  plan(): PlanRun;
  /**
   * The plan of the changed snapshot, as `applyChange` has it, at the cost of the change: copied are the counts of the
   * rules that bind the pods, and the room on all nodes once the first pod is placed.
   */
  whatIf(change: Change): PlanRun;
  /** How many of the snapshot's pending pods could go to which zone: its name, `flexible` or `none`. */
  pendingByZone(): Reading<ReadonlyMap<string, number>>;
}

/** Reads a snapshot. Pass the same catalogues for the next snapshot: they are all that is worth keeping. */
export function* readPlanningBase(
  snapshot: Snapshot,
  options: PlanningOptions,
  catalogues?: Catalogues,
): Reading<PlanningBase> {
  const index = yield* indexSnapshot(snapshot, options, catalogues);
  return {
    plan: () => runPlan(index, wholeScope(index)),
    whatIf: (change) => planChanged(index, change),
    pendingByZone: () => countByZone(index, wholeScope(index)),
  };
}

/** Reads a snapshot and plans it. */
export function* planSnapshot(snapshot: Snapshot, options: PlanningOptions, catalogues?: Catalogues): PlanRun {
  const index = yield* unlessStopped(indexSnapshot(snapshot, options, catalogues));
  return index === undefined ? undecidedPlan(snapshot.pods) : yield* runPlan(index, wholeScope(index));
}

function wholeScope({ queue, snapshot, options }: IndexedSnapshot): PlanScope {
  return { pods: queue.all, pools: snapshot.pools, removedNodes: [], packing: options.packing };
}

function planChanged(index: IndexedSnapshot, change: Change): PlanRun {
  const scope = findScope(index, change);
  if (scope !== undefined) return runPlan(index, scope);
  const options = { ...index.options, packing: undefined };
  return planSnapshot(applyChange(index.snapshot, change), options, index.catalogues);
}
