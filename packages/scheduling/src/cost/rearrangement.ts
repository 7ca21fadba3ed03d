import { Acceptance } from '../packing/new-nodes/acceptance.ts';
import { NONE_HELD, InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import { addPod } from '../packing/new-nodes/add-pod.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import { initialStateOf } from '../packing/plan-scope.ts';
import type { Effort } from './effort.ts';
import type { NodeAssignment } from './node-assignment.ts';
import type { UpstreamRun } from './upstream-run.ts';

/** What it takes to announce a class and to place a pod, in steps, with some for each rule that counts it. */
const STEPS_PER_CLASS = 40;
const STEPS_PER_POD = 60;

/** The nodes with all pods on them, or the first pod that was refused. */
export type Rearranged = { readonly nodes: readonly InFlightNode[] } | { readonly refused: HistoryEntry };

/**
 * Places every pod again, in upstream's order and at the stage upstream placed it, through the same checks, but on other
 * new nodes.
 */
export function* rearrange(
  run: UpstreamRun,
  assignments: readonly NodeAssignment[],
  effort: Effort,
): Reading<Rearranged> {
  const { index, scope, classes, history } = run;
  const { internTables, demands, resources, options } = index;
  const { sets, taints } = internTables;
  const { topology, reservations } = initialStateOf(index, scope);
  const acceptance = new Acceptance({ sets, taints, reservations, reservedCapacity: options.reservedCapacity });
  for (const { kind } of classes) {
    effort.spend(STEPS_PER_CLASS);
    if (effort.isPauseDue()) yield IMPROVING;
    topology.announce(kind);
    topology.bindingRules(kind, kind.constraints.stages[0]!);
  }
  const nodes = assignments.map((assignment, i) => openNode(assignment, i, resources.names.length));
  for (const { held } of nodes) reservations.exchange(NONE_HELD, held);
  const nodeOf = nodesOf(assignments, nodes);
  for (const entry of history) {
    const { queued, stage, on } = entry;
    const { kind } = queued.podClass;
    const binding = topology.bindingRules(kind, stage);
    effort.spend(STEPS_PER_POD + topology.countRules(kind, binding));
    if (effort.isPauseDue()) yield IMPROVING;
    if (!(on instanceof InFlightNode)) {
      topology.record(kind, on);
      continue;
    }
    const node = nodeOf.get(entry)!;
    const demand = demands.of(queued.podClass, stage);
    const result = acceptance.check(node, demand, topology.restriction(kind, stage, binding), 'Keep');
    if (!result.isAccepted) return { refused: entry };
    addPod({ reservations, topology }, node, { queued, stage }, demand, result);
  }
  return { nodes };
}

function openNode(assignment: NodeAssignment, index: number, width: number): InFlightNode {
  const { template, set, variants, held, minValuesRelaxed } = assignment;
  const node = new InFlightNode(index, template, width);
  node.set = set;
  node.variants.copyFrom(variants);
  node.held = held;
  node.minValuesRelaxed = minValuesRelaxed;
  return node;
}

function nodesOf(
  assignments: readonly NodeAssignment[],
  nodes: readonly InFlightNode[],
): ReadonlyMap<HistoryEntry, InFlightNode> {
  const nodeOf = new Map<HistoryEntry, InFlightNode>();
  for (const [i, { entries }] of assignments.entries()) for (const entry of entries) nodeOf.set(entry, nodes[i]!);
  return nodeOf;
}
