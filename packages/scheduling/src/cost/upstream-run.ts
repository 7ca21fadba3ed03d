import type { InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import type { PodClass } from '../model/pods/pod-class.ts';
import type { Plan } from '../plan.ts';
import type { PlanScope } from '../packing/plan-scope.ts';
import type { IndexedSnapshot } from '../packing/indexed-snapshot.ts';
import type { Topology } from '../topology/topology.ts';
import type { PackingOptions } from '../snapshot.ts';

/** A run that made upstream's plan, with all that is needed to make another from it. */
export interface UpstreamRun {
  readonly index: IndexedSnapshot;
  readonly scope: PlanScope;
  /** Of all pods it tried. */
  readonly classes: readonly PodClass[];
  readonly history: readonly HistoryEntry[];
  readonly nodes: readonly InFlightNode[];
  readonly topology: Topology;
  readonly plan: Plan;
  /** How far it may be left. */
  readonly packing: PackingOptions;
}
