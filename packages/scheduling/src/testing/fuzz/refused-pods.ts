// Pods without a place although a new node could run them, found by trying every purchase of every pool.
import type { NodeSelectorRequirement, Pod } from '@karpenter-ts/kubernetes';
import { podName } from '../../model/pods/pod-id.ts';
import type { Plan } from '../../plan.ts';
import type { Pool, Snapshot } from '../../snapshot.ts';
import { allocatableOf, type Purchase, runsOn } from './launched-node.ts';
import { isTolerated, matchesExpression, requestsOf, selects } from './scheduler-filters.ts';

/** Pools with limits are left out: they may be used up. */
export function refusedForNothing(snapshot: Snapshot, plan: Plan): readonly string[] {
  const pools = snapshot.pools.filter(({ nodePool }) => nodePool.spec.limits === undefined);
  return plan.unschedulable
    .map(({ pod }) => pod)
    .filter((pod) => isIndependent(pod) && !isAvoided(pod, snapshot))
    .flatMap((pod) => {
      const pool = pools.find((one) => canServe(one, pod, snapshot.daemonPods));
      return pool === undefined
        ? []
        : [`${podName(pod)} is refused, but ${pool.nodePool.metadata.name} could serve it`];
    });
}

/** Whether the pod's fate depends on nothing but its node. */
function isIndependent({ spec }: Pod): boolean {
  const { affinity, topologySpreadConstraints = [], volumes = [] } = spec;
  const isTied = affinity?.podAffinity !== undefined || affinity?.podAntiAffinity !== undefined;
  return !isTied && topologySpreadConstraints.length === 0 && volumes.length === 0;
}

/** Whether any other pod keeps away from it. */
function isAvoided(pod: Pod, snapshot: Snapshot): boolean {
  const others = [...snapshot.pods, ...snapshot.nodes.flatMap(({ pods }) => pods)];
  return others.some((other) =>
    (other.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some((term) =>
      selects(term, other, pod, snapshot.namespaces),
    ),
  );
}

function canServe(pool: Pool, pod: Pod, daemons: readonly Pod[]): boolean {
  const { taints = [] } = pool.nodePool.spec.template.spec;
  const isBarred = taints.some((taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(pod, taint));
  const purchases = pool.instanceTypes.flatMap((type) =>
    type.offerings.filter(({ available }) => available).map((offering) => ({ type, offering })),
  );
  return !isBarred && purchases.some((purchase) => canRun(pool, purchase, pod, daemons));
}

/** Whether a node of this purchase can have labels that both its pool and the pod accept, and room beside the daemons. */
function canRun({ nodePool }: Pool, { type, offering }: Purchase, pod: Pod, daemons: readonly Pod[]): boolean {
  const { metadata, spec } = nodePool.spec.template;
  const fixed = new Map(Object.entries(metadata?.labels ?? {}));
  for (const { key, values = [] } of [...type.requirements, ...offering.requirements]) fixed.set(key, values[0]!);
  const poolAsks = spec.requirements.map(({ key, operator, values = [] }) => ({ key, operator, values }));
  const selector = Object.entries(pod.spec.nodeSelector ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (terms ?? [{}]).some(({ matchExpressions = [] }) => {
    const labels = findLabels(fixed, poolAsks, [...selector, ...matchExpressions]);
    if (labels === undefined) return false;
    const running = daemons.filter((daemon) => runsOn(daemon, { labels, taints: spec.taints ?? [] }));
    const free = new Map(allocatableOf(type));
    for (const one of [...running, pod]) {
      for (const [name, amount] of requestsOf(one)) free.set(name, (free.get(name) ?? 0n) - amount);
    }
    return [...free.values()].every((amount) => amount >= 0n);
  });
}

/** Labels that meet everything asked: a key the pool speaks of may have any value it allows, others must stay away. */
function findLabels(
  fixed: ReadonlyMap<string, string>,
  poolAsks: readonly NodeSelectorRequirement[],
  podAsks: readonly NodeSelectorRequirement[],
): Readonly<Record<string, string>> | undefined {
  const labels: Record<string, string> = Object.fromEntries(fixed);
  for (const key of new Set([...poolAsks, ...podAsks].map((one) => one.key))) {
    const asks = [...poolAsks, ...podAsks].filter((one) => one.key === key);
    const isOpen = !fixed.has(key) && poolAsks.some((one) => one.key === key);
    const named = asks.flatMap(({ values = [] }) => values);
    const choices = isOpen ? [...named, ...Array.from({ length: 40 }, (_, index) => String(index))] : [fixed.get(key)];
    const value = choices.findIndex((choice) => asks.every((one) => matchesExpression(one, choice)));
    if (value === -1) return undefined;
    if (choices[value] !== undefined) labels[key] = choices[value];
  }
  return labels;
}
