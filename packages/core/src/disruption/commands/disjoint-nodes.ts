import type { PossibleConsolidation } from '../consolidation/consolidation-option.ts';

/**
 * Nodes that consolidations of one pass remove or move pods to. Each was simulated as if it were alone, so two of them may
 * not have a node in common: both could count on the same room, or one on a node that the other removes.
 */
export class DisjointNodes {
  readonly #used = new Set<string>(); // by name

  /** Whether the consolidation has no node in common with those added before, which adds it. */
  add({ candidates, plan }: Pick<PossibleConsolidation, 'candidates' | 'plan'>): boolean {
    const moved = new Set(candidates.flatMap(({ reschedulablePods }) => reschedulablePods.map(uidOf)));
    const destinations = plan.existingNodes.filter(({ pods }) => pods.some(({ pod }) => moved.has(uidOf(pod))));
    const names = [
      ...candidates.map(({ stateNode }) => stateNode.existing.name),
      ...destinations.map(({ node }) => node),
    ];
    if (names.some((name) => this.#used.has(name))) return false;
    for (const name of names) this.#used.add(name);
    return true;
  }
}

function uidOf({ metadata }: { readonly metadata: { readonly uid?: string | undefined } }): string {
  return metadata.uid ?? '';
}
