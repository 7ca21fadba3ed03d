import { Catalogues } from '../model/instance-types/catalogues.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { podId } from '../model/pods/pod-id.ts';
import type { Plan } from '../plan.ts';
import { planSnapshot } from '../planner.ts';
import type { PlanRun } from '../progress.ts';
import type { PlanningOptions, Snapshot } from '../snapshot.ts';

/** A pod and where it went: an existing node by name, or a new one by placeholder. */
export interface Placement {
  readonly pod: Pod;
  readonly node: string;
}

/**
 * All placements of a plan in the order they were made, which the plan itself does not tell across nodes: a run stopped
 * one step later has one more. Costs a run for each step.
 */
export function placementsInOrder(snapshot: Snapshot, options: PlanningOptions): readonly Placement[] {
  const catalogues = new Catalogues();
  const turns = new Map<string, number>();
  for (let steps = 0; ; steps++) {
    const { plan, isWhole } = stopAfter(steps, planSnapshot(snapshot, options, catalogues));
    const placements = placementsOf(plan);
    for (const { pod } of placements) if (!turns.has(podId(pod))) turns.set(podId(pod), turns.size);
    const turnOf = ({ pod }: Placement) => turns.get(podId(pod))!;
    if (isWhole) return placements.toSorted((a, b) => turnOf(a) - turnOf(b));
  }
}

/** What a run comes to that is stopped after so many steps, and whether it had ended by then. */
export function stopAfter(steps: number, run: PlanRun): { readonly plan: Plan; readonly isWhole: boolean } {
  let result = run.next();
  for (let step = 0; step < steps && !result.done; step++) result = run.next();
  const isWhole = result.done === true;
  while (!result.done) result = run.next('stop');
  return { plan: result.value, isWhole };
}

/** Existing nodes first, each node's in the order they were made. */
export function placementsOf(plan: Plan): readonly Placement[] {
  return [
    ...plan.existingNodes.flatMap(({ node, pods }) => pods.map(({ pod }) => ({ pod, node }))),
    ...plan.newNodes.flatMap(({ placeholder, pods }) => pods.map(({ pod }) => ({ pod, node: placeholder }))),
  ];
}
