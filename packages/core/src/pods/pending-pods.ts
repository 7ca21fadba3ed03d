import { defineGauge, LoggedRef, type Logger } from '@karpenter-ts/runtime';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { failedScheduling } from './scheduling-events.ts';
import { PodValidation } from './pod-validation.ts';
import { isProvisionable } from './predicates.ts';
import type { TimeSlices } from '../state/time-slices.ts';

const ignoredPods = defineGauge(
  'karpenter_scheduler_ignored_pods_count',
  [],
  'Number of pods ignored during scheduling by Karpenter',
);

export type PendingPodDeps = Pick<ControllerDeps, 'caches' | 'events' | 'metrics' | 'provider'> & {
  readonly cluster: ClusterModel;
};

/**
 * The pending pods that a node could be created for. Pods that no node could run are left out, and users are told why
 * (spec 02 §4).
 */
export async function selectPendingPods(
  deps: PendingPodDeps,
  slices: TimeSlices,
  logger: Logger,
): Promise<readonly Pod[]> {
  const { caches, provider, metrics } = deps;
  const validation = new PodValidation({ provider, objects: caches, logger });
  if (slices.isOver) await slices.pause(); // with many pods, listing them takes a slice by itself
  const unbound = caches.pods.byIndex('node', '');
  const accepted: Pod[] = [];
  let ignored = 0;
  for (const pod of unbound) {
    if (slices.isOver) await slices.pause();
    if (!isProvisionable(pod)) continue;
    const rejection = validation.findRejection(pod);
    if (rejection === undefined) {
      accepted.push(pod);
      continue;
    }
    ignored++;
    const { reason, isOptOut } = rejection;
    deps.cluster.decisions.fail(pod, `ignoring pod, ${reason}`);
    logger.debug('ignoring pod', { Pod: new LoggedRef(pod.metadata), error: reason });
    if (!isOptOut) deps.events.publish(failedScheduling(pod, reason));
  }
  metrics.set(ignoredPods, {}, ignored);
  return accepted;
}
