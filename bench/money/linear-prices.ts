import { DEFAULT_PLANNING, type Plan } from '@karpenter-ts/scheduling';
import type { Fleet } from '@karpenter-ts/cli/fleet';
import {
  diversePods,
  REFERENCE_PROFILE,
  referenceCatalogue,
  referenceSnapshot,
} from '@karpenter-ts/scheduling/testing';

/** The reference benchmark, whose prices are linear in size. */
export function referenceFleet(pods: number, seed: number): Fleet {
  return {
    snapshot: referenceSnapshot(diversePods(pods, seed), referenceCatalogue()),
    options: { ...DEFAULT_PLANNING, profile: REFERENCE_PROFILE },
  };
}

/** Whether two plans buy the same. */
export function buysTheSame(a: Plan, b: Plan): boolean {
  const outline = ({ newNodes }: Plan): string =>
    JSON.stringify(
      newNodes.map(({ pods, instanceTypes }) => [pods.map(({ pod }) => pod.metadata.name), instanceTypes]),
    );
  return outline(a) === outline(b);
}
