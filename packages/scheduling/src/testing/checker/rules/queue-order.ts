import type { Pod } from '@karpenter-ts/kubernetes';
import { podId, podName } from '../../../model/pods/pod-id.ts';
import { requestsOf } from '../amounts.ts';
import { isAtEase } from './first-fit.ts';
import type { Rule } from '../rule.ts';
import { targetsOf } from '../checked-plan.ts';

/**
 * The largest pods come first, then the oldest (§8.1). Pods that others bear on may have to wait for another lap; those
 * that nothing bears on are placed the first time they are looked at, so on any node they stand in the order of the queue.
 */
export const podsInQueueOrder: Rule = (checked) =>
  targetsOf(checked).flatMap(({ hostname, placed }) => {
    const pods = placed.map(({ pod }) => pod).filter((pod) => isAtEase(pod, checked));
    return pods
      .filter((pod, index) => index > 0 && comparePods(pods[index - 1]!, pod) > 0)
      .map((pod) => `${podName(pod)} came to ${hostname} after one that had to wait for it`);
  });

function comparePods(a: Pod, b: Pod): number {
  return (
    compare(amountOf(b, 'cpu'), amountOf(a, 'cpu')) ||
    compare(amountOf(b, 'memory'), amountOf(a, 'memory')) ||
    compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compare(podId(a), podId(b))
  );
}

function amountOf(pod: Pod, resource: string): bigint {
  return requestsOf(pod).get(resource) ?? 0n;
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : +(a > b);
}
