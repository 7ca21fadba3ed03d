import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { Caches } from '../state/caches.ts';
import type { TimeSlices } from '../state/time-slices.ts';
import type { Rejection } from '../state/pod-failure.ts';
import { PodValidation, type UnknownValues } from './pod-validation.ts';
import { isProvisionable } from './predicates.ts';

/** What was found among the pods without a node. */
export interface PendingPods {
  /** A node could be created for these. */
  readonly selected: readonly Pod[];
  /** No node that could be created would run these. */
  readonly ignored: readonly IgnoredPod[];
  /** Values in the pods' requirements that no node has, beside others that some have. */
  readonly unknownValues: readonly UnknownValues[];
}

interface IgnoredPod {
  readonly pod: Pod;
  /** Equal rejections are one object. */
  readonly rejection: Rejection;
}

/** The pending pods that a node could be created for, and those that are left out with the reason (spec 02 §4). */
export async function selectPendingPods(
  { caches, provider }: { readonly caches: Caches; readonly provider: CloudProvider },
  slices: TimeSlices,
): Promise<PendingPods> {
  const validation = new PodValidation({ provider, objects: caches });
  if (slices.isOver) await slices.pause(); // with many pods, listing them takes a slice by itself
  const unbound = caches.pods.byIndex('node', '');
  const selected: Pod[] = [];
  const ignored: IgnoredPod[] = [];
  for (const pod of unbound) {
    if (slices.isOver) await slices.pause();
    if (!isProvisionable(pod)) continue;
    const rejection = validation.findRejection(pod);
    if (rejection === undefined) selected.push(pod);
    else ignored.push({ pod, rejection });
  }
  return { selected, ignored, unknownValues: validation.unknownValues };
}
