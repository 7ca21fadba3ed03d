import { type Client, unlessGone } from '@karpenter-ts/runtime';
import { type ObjectRef, type Pod, PODS, type PodTemplate } from '@karpenter-ts/kubernetes';
import { plainDeletionOrder } from '../deletion-order.ts';
import { isReady } from '../pod-state.ts';
import type { PodWriter } from '../pod-writer.ts';
import { forAll } from '../slow-start.ts';
import { indexOf, isIndexed, pendingIndexes, templateForIndex } from './indexes.ts';
import { replacesOnlyFailed, type Tally, TRACKING } from './tally.ts';
import { isSuspended } from './verdict.ts';

/** The Job's counters after its pods were brought to the right number. */
export interface Managed {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** Milliseconds after which failed pods may be replaced. */
  readonly wait?: number;
}

/** Pods to delete, or how many to create. */
export type PodPlan = { readonly remove: readonly Pod[] } | { readonly create: number };

/**
 * As many pods as may run at once for the remaining completions. Surplus pods are deleted first; missing ones are
 * created in the next reconcile.
 */
export function planPods(tally: Tally): PodPlan {
  const { job, active, succeeded, terminating } = tally;
  if (isSuspended(job)) return { remove: active };
  const { parallelism = 1, completions } = job.spec;
  const wanted =
    completions === undefined
      ? succeeded > 0
        ? active.length
        : parallelism
      : Math.max(0, Math.min(completions - succeeded, parallelism));
  const remove = findSurplus(tally, Math.max(0, active.length - wanted));
  if (remove.length > 0) return { remove };
  return { create: Math.max(0, wanted - active.length - (replacesOnlyFailed(job) ? terminating : 0)) };
}

/** Pods with a duplicate index or none are deleted in any case; then those that do least. */
function findSurplus({ job, active }: Tally, atLeast: number): readonly Pod[] {
  const order = plainDeletionOrder(active);
  if (!isIndexed(job)) return order.slice(0, atLeast);
  const kept = new Map<number | undefined, Pod>();
  for (const pod of order) kept.set(indexOf(job, pod), pod); // the last of each index: the one that does most
  kept.delete(undefined);
  const left = [...kept.values()];
  const repeated = order.filter((pod) => !left.includes(pod));
  return [...repeated, ...left.slice(0, Math.max(0, atLeast - repeated.length))];
}

/** Carries out a plan. */
export async function managePods(
  { client, writer }: { readonly client: Client; readonly writer: PodWriter },
  tally: Tally,
  plan: PodPlan,
): Promise<Managed> {
  const { job, active, ready, terminating } = tally;
  if ('create' in plan) {
    const templates = templatesFor(tally, plan.create);
    await writer.create(job, templates);
    return { active: active.length + templates.length, ready, terminating };
  }
  await forAll(plan.remove, (pod) => release(client, pod)); // first: these do not count as failed
  await writer.delete(job, plan.remove);
  const removed = plan.remove.length;
  return {
    active: active.length - removed,
    ready: ready - plan.remove.filter(isReady).length,
    terminating: terminating + removed,
  };
}

function templatesFor({ job, active, doneIndexes }: Tally, count: number): readonly PodTemplate[] {
  const { template } = job.spec;
  const finalizers = [...(template.metadata?.finalizers ?? []), TRACKING];
  const tracked = { ...template, metadata: { ...template.metadata, finalizers } };
  if (!isIndexed(job)) return Array.from({ length: count }, () => tracked);
  const taken = new Set([...doneIndexes, ...active.map((pod) => indexOf(job, pod) ?? -1)]);
  return pendingIndexes(job, taken, count).map((index) => templateForIndex(job, tracked, index));
}

/** Removes the Job's finalizer from a pod. */
export async function release(client: Client, pod: { readonly metadata: ObjectRef }): Promise<void> {
  const body = { metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING] } };
  await unlessGone(client.patch(PODS, pod.metadata, { type: 'strategic', body }));
}
