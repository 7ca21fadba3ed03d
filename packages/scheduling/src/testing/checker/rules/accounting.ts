import { podId, podName } from '../../../model/pods/pod-id.ts';
import type { Plan } from '../../../plan.ts';
import type { Snapshot } from '../../../snapshot.ts';
import { usesClaims } from '../daemons.ts';
import type { Rule } from '../rule.ts';
import { hasUnknownVolumes } from './volumes.ts';

/** What the plan names and the snapshot does not know. Nothing else can be judged while there is any. */
export function findUnknownNames(snapshot: Snapshot, plan: Plan): readonly string[] {
  const nodes = new Set(snapshot.nodes.map(({ name }) => name));
  const types = new Map(
    snapshot.pools.map(({ nodePool, instanceTypes }) => [
      nodePool.metadata.name,
      new Set(instanceTypes.map(({ name }) => name)),
    ]),
  );
  return [
    ...plan.existingNodes.filter(({ node }) => !nodes.has(node)).map(({ node }) => `there is no node ${node}`),
    ...plan.newNodes.flatMap(({ nodePool, instanceTypes }) => {
      const known = types.get(nodePool);
      if (known === undefined) return [`there is no pool ${nodePool}`];
      return instanceTypes.filter((type) => !known.has(type)).map((type) => `pool ${nodePool} has no type ${type}`);
    }),
  ];
}

/** Every pod of the snapshot is placed once, or refused once, or left undecided once; and no other pod. */
export const everyPodOnce: Rule = ({ snapshot, plan }) => {
  const seen = new Map<string, number>();
  const decided = [
    ...[...plan.newNodes, ...plan.existingNodes].flatMap(({ pods }) => pods.map(({ pod }) => pod)),
    ...plan.unschedulable.map(({ pod }) => pod),
    ...plan.undecided,
  ];
  for (const pod of decided) seen.set(podId(pod), (seen.get(podId(pod)) ?? 0) + 1);
  const expected = new Set(snapshot.pods.map(podId));
  return [
    ...snapshot.pods
      .filter((pod) => seen.get(podId(pod)) !== 1)
      .map((pod) => `${podName(pod)} is decided ${seen.get(podId(pod)) ?? 0} times`),
    ...decided.filter((pod) => !expected.has(podId(pod))).map((pod) => `${podName(pod)} is not to be placed`),
  ];
};

/** What a pod is refused for is so: no pools, devices by claim, volumes nobody knows. */
export const refusalsTrue: Rule = ({ snapshot, plan, options }) =>
  plan.unschedulable
    .filter(({ pod, failure }) => {
      if (failure.why === 'NoPools') return snapshot.pools.length > 0;
      if (failure.why === 'DynamicResources') return !options.ignoreDraRequests || !usesClaims(pod);
      return failure.why === 'VolumeLookup' && !hasUnknownVolumes(pod, snapshot);
    })
    .map(({ pod, failure }) => `${podName(pod)} is refused for ${failure.why}`);

/** A node nobody is on is not bought. */
export const noEmptyNodes: Rule = ({ plan }) =>
  plan.newNodes.filter(({ pods }) => pods.length === 0).map(({ placeholder }) => `${placeholder} has no pods`);
