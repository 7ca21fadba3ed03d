import { defineGauge, LoggedRef, type Logger } from '@karpenter-ts/runtime';
import type { PendingPods } from '../pods/pending-pods.ts';
import { failedScheduling } from '../pods/scheduling-events.ts';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isOptOut, renderRejection } from '../state/pod-failure.ts';
import type { TimeSlices } from '../state/time-slices.ts';

const ignoredPods = defineGauge(
  'karpenter_scheduler_ignored_pods_count',
  [],
  'Number of pods ignored during scheduling by Karpenter',
);

type IgnoredPodDeps = Pick<ControllerDeps, 'events' | 'metrics'> & { readonly cluster: ClusterModel };

/** Tells users about the pods that are left out of a plan, and why (spec 02 §4.2). */
export async function reportIgnoredPods(
  { cluster, events, metrics }: IgnoredPodDeps,
  { ignored, unknownValues }: PendingPods,
  slices: TimeSlices,
  logger: Logger,
): Promise<void> {
  for (const { key, valid, invalid } of unknownValues) {
    const error = new Error('invalid values found for key');
    const fields = { key, 'valid-values': valid, 'invalid-values': invalid };
    logger.error('please correct found invalid values, proceeding with valid values', error, fields);
  }
  for (const { pod, rejection } of ignored) {
    if (slices.isOver) await slices.pause();
    const reason = renderRejection(rejection);
    cluster.decisions.fail(pod, rejection);
    logger.debug('ignoring pod', { Pod: new LoggedRef(pod.metadata), error: reason });
    if (!isOptOut(rejection)) events.publish(failedScheduling(pod, reason));
  }
  metrics.set(ignoredPods, {}, ignored.length);
}
