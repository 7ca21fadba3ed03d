import type { Catalogues } from './instance-types/catalogue.ts';
import { applyChange, type Change, findScope } from './overlay.ts';
import type { PlanRun, Reading } from './progress.ts';
import { countByZone, planScope, type Scope, undecidedPlan } from './run.ts';
import type { PlanningOptions, Snapshot } from './snapshot.ts';
import { indexSnapshot, type SnapshotIndex } from './snapshot-index.ts';

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
  pendingByZone(): ReadonlyMap<string, number>;
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
  const reading = indexSnapshot(snapshot, options, catalogues);
  for (;;) {
    const step = reading.next();
    if (step.done) return yield* planScope(step.value, wholeScope(step.value));
    if ((yield step.value) === 'stop') return undecidedPlan(snapshot.pods);
  }
}

function wholeScope({ queued, snapshot }: SnapshotIndex): Scope {
  return { pods: queued, pools: snapshot.pools, gone: [] };
}

function planChanged(index: SnapshotIndex, change: Change): PlanRun {
  const scope = findScope(index, change);
  if (scope !== undefined) return planScope(index, scope);
  return planSnapshot(applyChange(index.snapshot, change), index.options, index.catalogues);
}
