import type { Catalogues } from './model/instance-types/catalogues.ts';
import { applyChange, type Change, findScope } from './overlay.ts';
import { type PlanRun, type Reading, unlessStopped } from './progress.ts';
import { countByZone, planScope, undecidedPlan } from './run.ts';
import type { Scope } from './packing/scope.ts';
import type { PlanningOptions, Snapshot } from './snapshot.ts';
import { indexSnapshot, type SnapshotIndex } from './packing/snapshot-index.ts';

/** A snapshot that was read once, to be asked many times. Its runs may take turns: none disturbs another. */
export interface Base {
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

/** Reads a snapshot. The catalogues are all that is worth keeping from one snapshot to the next. */
export function* readBase(snapshot: Snapshot, options: PlanningOptions, catalogues?: Catalogues): Reading<Base> {
  const index = yield* indexSnapshot(snapshot, options, catalogues);
  return {
    plan: () => planScope(index, wholeScope(index)),
    whatIf: (change) => planChanged(index, change),
    pendingByZone: () => countByZone(index, wholeScope(index)),
  };
}

/** Plans a snapshot, start to end. */
export function* planSnapshot(snapshot: Snapshot, options: PlanningOptions, catalogues?: Catalogues): PlanRun {
  const index = yield* unlessStopped(indexSnapshot(snapshot, options, catalogues));
  return index === undefined ? undecidedPlan(snapshot.pods) : yield* planScope(index, wholeScope(index));
}

function wholeScope({ queued, snapshot, options }: SnapshotIndex): Scope {
  return { pods: queued, pools: snapshot.pools, gone: [], packing: options.packing };
}

function planChanged(index: SnapshotIndex, change: Change): PlanRun {
  const scope = findScope(index, change);
  if (scope !== undefined) return planScope(index, scope);
  const options = { ...index.options, packing: undefined };
  return planSnapshot(applyChange(index.snapshot, change), options, index.catalogues);
}
