// Where a pod should have gone before (spec 02 §8.3). Judged only for pods whose fate depends on nobody else's.
import { findIncompatibilities, type Requirements, toLabelRequirements } from '@karpenter-ts/apis';
import type { InstanceType } from '../../../snapshot.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { podName } from '../../../model/pods/pod-id.ts';
import { difference, fits, type Nanos, requestsOf, sum } from '../amounts.ts';
import { canRun } from '../buying.ts';
import { usesClaims } from '../daemons.ts';
import { both, contradictsItself, findUntolerated, requiredAlternatives } from '../demands.ts';
import { roomOn } from './resources.ts';
import type { Rule } from '../rule.ts';
import { termSelects } from '../selection.ts';
import type { ExistingTarget, PlannedTarget, PoolFacts, CheckedPlan } from '../checked-plan.ts';

/** Nothing is bought for, or refused to, a pod that an existing node could have taken. */
export const existingNodesFirst: Rule = (checked) =>
  plainPods(checked, [...boughtFor(checked), ...refused(checked)]).flatMap((pod) =>
    checked.existing
      .filter((target) => checked.pools.length > 0 && takes(target, pod, checked))
      .map(({ hostname }) => `${podName(pod)} would fit on ${hostname}`),
  );

/** Of existing nodes the first that can take a pod does: those that are ready first, then by name (§7.8). */
export const existingNodesInOrder: Rule = (checked) => {
  const inOrder = checked.existing.toSorted(
    (a, b) => Number(b.node.initialized) - Number(a.node.initialized) || (a.node.name < b.node.name ? -1 : 1),
  );
  return inOrder.flatMap((target, index) =>
    plainPods(
      checked,
      target.placed.map(({ pod }) => pod),
    ).flatMap((pod) =>
      inOrder
        .slice(0, index)
        .filter((earlier) => takes(earlier, pod, checked))
        .map(({ hostname }) => `${podName(pod)} should be on ${hostname}`),
    ),
  );
};

/** No node is bought while one bought before could still take the pod, unless more nodes were found to be cheaper. */
export const earlierNodesFirst: Rule = (checked) =>
  checked.planned.flatMap((target, index) =>
    plainPods(checked, isUpstreams(target) ? openerOf(target) : []).flatMap((pod) =>
      checked.planned
        .slice(0, index)
        .filter((earlier) => couldJoin(earlier, pod, checked))
        .map(({ hostname }) => `${podName(pod)} needs no node of its own, ${hostname} has room`),
    ),
  );

/** No node is bought in a pool while a heavier one could provide it (§7.2); among equals, names decide upstream only. */
export const heavierPoolsFirst: Rule = (checked) =>
  checked.planned.flatMap((target) =>
    plainPods(checked, openerOf(target)).flatMap((pod) =>
      checked.pools
        .slice(0, checked.pools.indexOf(target.pool))
        .filter((pool) => isUpstreams(target) || weightOf(pool) > weightOf(target.pool))
        .filter((pool) => provides(pool, pod, checked))
        .map(({ name }) => `${podName(pod)} should have a node of pool ${name}`),
    ),
  );

/** No pod is refused that some pool has a node for. */
export const placeablePodsPlaced: Rule = (checked) =>
  plainPods(checked, refused(checked)).flatMap((pod) =>
    checked.pools
      .filter((pool) => provides(pool, pod, checked))
      .map(({ name }) => `pool ${name} has a node for ${podName(pod)}`),
  );

/** A node that is let alone for a while takes pending pods and pods of nodes being deleted only (§8.3, end). */
export const restingNodesSpared: Rule = ({ existing, snapshot: { deletingNodes } }) => {
  const isMoved = ({ spec }: Pod) =>
    spec.nodeName !== undefined && !deletingNodes.some(({ name }) => name === spec.nodeName);
  return existing
    .filter(({ node }) => node.refusesMovedPods)
    .flatMap(({ hostname, placed }) =>
      placed
        .filter(({ pod }) => isMoved(pod))
        .map(({ pod }) => `${podName(pod)} was moved to ${hostname}, which takes no moved pods`),
    );
};

function refused({ plan }: CheckedPlan): readonly Pod[] {
  return plan.unschedulable.map(({ pod }) => pod);
}

function boughtFor({ planned }: CheckedPlan): readonly Pod[] {
  return planned.flatMap(({ placed }) => placed.map(({ pod }) => pod));
}

function isUpstreams({ node }: PlannedTarget): boolean {
  return node.source === 'upstream';
}

function weightOf({ nodePool }: PoolFacts): number {
  return nodePool.spec.weight ?? 0;
}

function openerOf({ placed }: PlannedTarget): readonly Pod[] {
  return placed.slice(0, 1).map(({ pod }) => pod);
}

/** Those without preferences, topology, ports, volumes or claims, whom nobody keeps away. */
function plainPods(checked: CheckedPlan, pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => isPlain(pod) && !isKeptAway(pod, checked));
}

/** Whether nothing bears on where the pod goes but its size and its tolerations. */
export function isAtEase(pod: Pod, checked: CheckedPlan): boolean {
  const { affinity, nodeSelector = {} } = pod.spec;
  if (affinity !== undefined || Object.keys(nodeSelector).length > 0 || checked.pools.some(hasReservations))
    return false;
  return isPlain(pod) && !isKeptAway(pod, checked);
}

function isPlain(pod: Pod): boolean {
  const { affinity = {}, containers = [], topologySpreadConstraints = [], volumes = [] } = pod.spec;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const hasPreference = (nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;
  const hasTopology =
    podAffinity !== undefined || podAntiAffinity !== undefined || topologySpreadConstraints.length > 0;
  const hasPorts = containers.some(({ ports = [] }) => ports.length > 0);
  return terms.length <= 1 && !hasPreference && !hasTopology && !hasPorts && volumes.length === 0 && !usesClaims(pod);
}

function isKeptAway(pod: Pod, checked: CheckedPlan): boolean {
  const others = [...checked.snapshot.pods, ...checked.residents.map((resident) => resident.pod)];
  return others.some((other) => {
    const { requiredDuringSchedulingIgnoredDuringExecution: terms = [] } = other.spec.affinity?.podAntiAffinity ?? {};
    return terms.some((term) => termSelects(other, term, checked.snapshot)(pod));
  });
}

/** Whether the node could take the pod even after all the plan puts there. Nodes only fill up, so then it could before. */
function takes(target: ExistingTarget, pod: Pod, checked: CheckedPlan): boolean {
  const { node } = target;
  if (node.refusesMovedPods || Object.keys(node.volumeLimits).length > 0) return false;
  if (findUntolerated(pod, node.taints) !== undefined) return false;
  const labels = toLabelRequirements(node.labels, checked.options.profile);
  const [asked] = requiredAlternatives(pod, checked.options.profile);
  if (findIncompatibilities(labels, asked!).length > 0) return false;
  return fits(requestsOf(pod), difference(roomOn(target, checked), target.requests));
}

/** The same of a new node. */
function couldJoin(target: PlannedTarget, pod: Pod, checked: CheckedPlan): boolean {
  const { node, pool, types } = target;
  return canTake({ pool, requirements: node.requirements, types, present: target.requests }, pod, checked);
}

/** Whether a node of the pool could be opened for the pod. A reservation that is taken closes all pools after its own. */
function provides(pool: PoolFacts, pod: Pod, checked: CheckedPlan): boolean {
  if (pool.nodePool.spec.limits !== undefined || checked.pools.some(hasReservations)) return false;
  return canTake({ pool, requirements: pool.template, types: pool.instanceTypes, present: new Map() }, pod, checked);
}

interface NodeToBe {
  readonly pool: PoolFacts;
  readonly requirements: Requirements;
  readonly types: readonly InstanceType[];
  readonly present: Nanos;
}

/** `minValues` and reservations may refuse a pod that fits: of pools that have them nothing is said. */
function canTake({ pool, requirements, types, present }: NodeToBe, pod: Pod, checked: CheckedPlan): boolean {
  const { profile } = checked.options;
  if (hasMinValues(pool) || hasReservations(pool) || findUntolerated(pod, pool.taints) !== undefined) return false;
  if (contradictsItself(pod, checked.options)) return false;
  const asked = requiredAlternatives(pod, profile)[0]!;
  if (findIncompatibilities(requirements, asked, profile.wellKnownLabels).length > 0) return false;
  const requests = sum(present, requestsOf(pod));
  return types.some((type) => canRun(requests, type, pool, both(requirements, asked), checked));
}

function hasMinValues({ template }: PoolFacts): boolean {
  return [...template.values()].some(({ minValues }) => minValues !== undefined);
}

function hasReservations({ instanceTypes }: PoolFacts): boolean {
  return instanceTypes.some(({ offerings }) => offerings.some(({ reservation }) => reservation !== undefined));
}
