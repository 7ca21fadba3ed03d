import { formatRequirements } from '@karpenter-ts/apis';
import { renderFailure } from '../explanation/render.ts';
import { podName } from '../model/pods/pod-id.ts';
import type { Plan, PlacedPod } from '../plan.ts';

/** All that a plan decides, in a form that compares and prints well. Equal plans have equal outlines. */
export function outlineOf(plan: Plan) {
  return {
    newNodes: plan.newNodes.map((node) => ({
      nodePool: node.nodePool,
      pods: node.pods.map(outlineOfPod),
      instanceTypes: node.instanceTypes,
      ...(node.lastResorts > 0 && { lastResorts: node.lastResorts }),
      requirements: formatRequirements(node.requirements),
      requests: [...node.requests].map(([resource, { nanos }]) => `${resource}: ${nanos}n`).sort(),
      capacityTypes: node.capacityTypes,
      pricePerHour: node.pricePerHour,
      reservations: node.reservations,
      minValuesRelaxed: node.minValuesRelaxed,
    })),
    existingNodes: plan.existingNodes.map(({ node, pods }) => ({ node, pods: pods.map(outlineOfPod) })),
    unschedulable: plan.unschedulable.map(({ pod, failure }) => `${podName(pod)}: ${renderFailure(failure)}`).sort(),
    undecided: plan.undecided.map(podName).sort(),
    unusablePools: plan.unusablePools,
  };
}

function outlineOfPod({ pod, relaxations }: PlacedPod): string {
  return [podName(pod), ...relaxations.map(({ gaveUp }) => gaveUp)].join(' ');
}

/** The names of all pods that have a place. */
export function placedPods(plan: Plan): ReadonlySet<string> {
  return new Set([...plan.newNodes, ...plan.existingNodes].flatMap(({ pods }) => pods.map(({ pod }) => podName(pod))));
}
