import {
  controllerOf,
  labelSelectorFrom,
  matchesLabels,
  type Pod,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
  type ReplicaSetStatus,
  timestamp,
} from '@karpenter-ts/kubernetes';
import { type Controller, DONE, kindSource, type Result, unlessGone } from '@karpenter-ts/runtime';
import { managerKey } from './caches.ts';
import { deletionOrder } from './deletion-order.ts';
import { Expectations } from './expectations.ts';
import { findCondition, withCondition, withoutCondition } from './conditions.ts';
import { isSameStatus, omitEmpty } from './object-status.ts';
import { candidatesFor, claimObjects } from './ownership.ts';
import { podSource } from './pod-source.ts';
import { isActive, isAvailable, isTerminating, isReady, isTerminal, nextAvailability } from './pod-state.ts';
import { PodWriter } from './pod-writer.ts';
import type { WorkloadDeps } from './workload-deps.ts';

/** Keeps as many pods of a template as a ReplicaSet asks for. */
export function replicaSetController(deps: WorkloadDeps): Controller {
  const { client, clock, caches } = deps;
  const expectations = new Expectations(clock);
  const events = deps.recorder('replicaset-controller');
  const writer = new PodWriter({ client, events, expectations, type: REPLICA_SETS });
  return {
    name: 'replicaset',
    kind: { group: 'apps', kind: 'ReplicaSet' },
    concurrency: 5,
    sources: [kindSource(caches.replicaSets), podSource({ pods: caches.pods, sets: caches.replicaSets, expectations })],
    reconcile: async (key) => {
      const set = caches.replicaSets.get(key);
      if (set === undefined) {
        expectations.forget(key);
        return DONE;
      }
      const isCacheCurrent = expectations.areMet(key);
      const pods = candidatesFor(caches.pods, set);
      const active = await claimPods(deps, set, pods.filter(isActive));
      let failure: Error | undefined;
      if (isCacheCurrent && set.metadata.deletionTimestamp === undefined) {
        failure = await adjust(deps, writer, set, active).then(undefined, (error: Error) => error);
      }
      await writeStatus(deps, set, nextStatus(set, pods, active, { now: clock.now(), failure }));
      if (failure !== undefined) throw failure;
      return awaitAvailability(deps, set, active);
    },
  };
}

function claimPods({ client }: WorkloadDeps, owner: ReplicaSet, candidates: readonly Pod[]): Promise<readonly Pod[]> {
  return claimObjects({ client, owner, ownerType: REPLICA_SETS, type: PODS, candidates });
}

async function adjust(deps: WorkloadDeps, writer: PodWriter, set: ReplicaSet, active: readonly Pod[]): Promise<void> {
  const missing = set.spec.replicas - active.length;
  if (missing > 0)
    await writer.create(
      set,
      Array.from({ length: missing }, () => set.spec.template),
    );
  if (missing >= 0) return;
  const order = deletionOrder(active, siblings(deps, set), deps.clock.now());
  await writer.delete(set, order.slice(0, -missing));
}

/**
 * The pods of all ReplicaSets with the same owner, because the ReplicaSets of a Deployment are spread as one workload.
 */
function siblings({ caches }: WorkloadDeps, set: ReplicaSet): readonly Pod[] {
  const owner = controllerOf(set.metadata);
  const sets = owner === undefined ? [] : caches.replicaSets.byIndex('manager', owner.uid);
  return sets.flatMap(({ metadata }) => caches.pods.byIndex('manager', managerKey(metadata.namespace, metadata.uid)));
}

function nextStatus(
  set: ReplicaSet,
  pods: readonly Pod[],
  active: readonly Pod[],
  { now, failure }: { readonly now: number; readonly failure: Error | undefined },
): ReplicaSetStatus {
  const { spec, metadata, status } = set;
  const ofTemplate = labelSelectorFrom({ matchLabels: spec.template.metadata?.labels ?? {} });
  const ofSet = labelSelectorFrom(spec.selector);
  const countsAsTerminating = (pod: Pod): boolean =>
    isTerminating(pod) &&
    !isTerminal(pod) &&
    controllerOf(pod.metadata)?.uid === metadata.uid &&
    matchesLabels(ofSet, pod.metadata.labels);
  return omitEmpty(
    {
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) => matchesLabels(ofTemplate, pod.metadata.labels)).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, now, spec.minReadySeconds)).length,
      terminatingReplicas: pods.filter(countsAsTerminating).length,
      observedGeneration: metadata.generation ?? 0,
      conditions: failureConditions(status, failure, { now, isCreation: active.length < spec.replicas }),
    },
    ['replicas', 'terminatingReplicas'],
  );
}

/** The ReplicaFailure condition, from the first failure until a reconcile without one. */
function failureConditions(
  status: ReplicaSetStatus | undefined,
  failure: Error | undefined,
  { now, isCreation }: { readonly now: number; readonly isCreation: boolean },
): NonNullable<ReplicaSetStatus['conditions']> {
  const conditions = status?.conditions ?? [];
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  if (findCondition(conditions, 'ReplicaFailure') !== undefined) return conditions;
  return withCondition(conditions, {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: isCreation ? 'FailedCreate' : 'FailedDelete',
    message: failure.message,
  });
}

async function writeStatus({ client }: WorkloadDeps, set: ReplicaSet, status: ReplicaSetStatus): Promise<void> {
  if (isSameStatus(set.status, status)) return;
  await unlessGone(client.update(REPLICA_SETS, { ...set, status }, { subresource: 'status' }));
}

/** No event tells that a pod has been ready for minReadySeconds, so the key is requeued for then. */
function awaitAvailability({ clock }: WorkloadDeps, { spec }: ReplicaSet, active: readonly Pod[]): Result {
  const wait = nextAvailability(active, clock.now(), spec.minReadySeconds);
  return wait === undefined ? DONE : { requeueAfter: wait };
}
