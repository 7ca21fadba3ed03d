// A plan, carried out by a scheduler that knows nothing of how it was made.
import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { podId, podName } from '../../model/pods/pod-id.ts';
import type { ExistingNode, Snapshot } from '../../snapshot.ts';
import { makeNode } from '../builders.ts';
import type { Placement } from '../placement-order.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import { launch, type Provider, runsOn } from './launched-node.ts';
import { amountsOf, nodeRefusal, peerRefusal, type SimulatedCluster, type SimulatedNode } from './scheduler-filters.ts';
import type { PlannedNode } from '../../plan.ts';

/** What a planner decided: the nodes to buy, and every pod with its node in the order they were placed. */
export interface Decisions {
  readonly newNodes: readonly PlannedNode[];
  readonly placements: readonly Placement[];
}

/** How often a pod is planned again. A pod that is placed each time and never bound would be planned for ever. */
const ROUNDS = 4;

/**
 * Buys the planned nodes and binds each pod to its node, in the order of the plan. A pod that is refused is tried again
 * after the others, as kube-scheduler does. What is left is planned again on the cluster as it is by then, as the
 * provisioner does: a planner may not know in which zone a node ends up, and so where its pods will count.
 *
 * Returns what must not happen, one line each: a pod that its node itself refuses, and a pod that every plan places and
 * that is never bound.
 */
export function carryOut(
  snapshot: Snapshot,
  planOf: (snapshot: Snapshot) => Decisions,
  choose: Provider,
  random: Random,
): readonly string[] {
  let current = snapshot;
  let problems: readonly string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { newNodes, placements } = planOf(current);
    const launched = newNodes.map((planned) => launch(planned, current, choose, random));
    const cluster: SimulatedCluster = {
      nodes: [...current.nodes.map((node) => existing(node, snapshot.daemonPods)), ...launched.map(named(round))],
      namespaces: snapshot.namespaces,
      volumes: snapshot.volumes,
    };
    const nodes = new Map(cluster.nodes.map((node) => [node.name, node]));
    const nodeOf = ({ node }: Placement): SimulatedNode => nodes.get(node) ?? nodes.get(nameOf(node, round))!;
    const refused = bindAll(placements, nodeOf, cluster);
    const impossible = refused.flatMap((one) => describe(one, nodeRefusal(one.pod, nodeOf(one), cluster)));
    if (impossible.length > 0 || refused.length === 0) return impossible;
    problems = refused.flatMap((one) => describe(one, peerRefusal(one.pod, nodeOf(one), cluster)));
    const left = new Set(refused.map(({ pod }) => podId(pod)));
    current = {
      ...snapshot,
      nodes: cluster.nodes.map(toExistingNode),
      pods: snapshot.pods.filter((pod) => left.has(podId(pod))),
    };
  }
  return problems;
}

/** Returns those that can be bound in no order that starts with the plan's. */
function bindAll(
  placements: readonly Placement[],
  nodeOf: (placement: Placement) => SimulatedNode,
  cluster: SimulatedCluster,
): readonly Placement[] {
  let waiting = placements;
  for (;;) {
    const refused = waiting.filter((one) => !bind(one.pod, nodeOf(one), cluster));
    if (refused.length === 0 || refused.length === waiting.length) return refused;
    waiting = refused;
  }
}

function bind(pod: Pod, node: SimulatedNode, cluster: SimulatedCluster): boolean {
  if ((nodeRefusal(pod, node, cluster) ?? peerRefusal(pod, node, cluster)) !== undefined) return false;
  node.pods.push(pod);
  return true;
}

function describe({ pod, node }: Placement, refusal: string | undefined): readonly string[] {
  return refusal === undefined ? [] : [`${podName(pod)} never runs on ${node}: ${refusal}`];
}

/** Placeholders are the same in every plan, names of nodes are not. */
function nameOf(placeholder: string, round: number): string {
  return `round-${round}-${placeholder}`;
}

function named(round: number): (node: SimulatedNode) => SimulatedNode {
  return ({ name, labels, ...node }) => {
    const own = nameOf(name, round);
    return { ...node, name: own, labels: { ...labels, [HOSTNAME_LABEL]: own } };
  };
}

/** The Node with its pods; daemons that are still to come count from the start. */
function existing({ name, labels, taints, allocatable, pods }: ExistingNode, daemons: readonly Pod[]): SimulatedNode {
  const node = { name, labels: { [HOSTNAME_LABEL]: name, ...labels }, taints, allocatable: amountsOf(allocatable) };
  const isThere = (daemon: Pod) => pods.some((pod) => podId(pod) === podId(daemon));
  const toCome = daemons.filter((daemon) => runsOn(daemon, node) && !isThere(daemon));
  return { ...node, pods: [...pods, ...toCome] };
}

function toExistingNode({ name, labels, taints, allocatable, pods }: SimulatedNode): ExistingNode {
  const amounts = [...allocatable].map(([resource, amount]) => [
    resource,
    resource === 'cpu' ? `${amount}m` : `${amount}`,
  ]);
  const bound = pods.map((pod) => ({ ...pod, spec: { ...pod.spec, nodeName: name } }));
  return makeNode(name, { labels, taints, allocatable: Object.fromEntries(amounts), pods: bound });
}
