import { type Controller, DONE, kindSource, type Result, unlessGone } from '@karpenter-ts/runtime';
import { managerKey } from '../caches.ts';
import {
  controllerKey,
  type Deployment,
  DEPLOYMENTS,
  type DeploymentStatus,
  type Pod,
  REPLICA_SETS,
  type ReplicaSet,
} from '@karpenter-ts/kubernetes';
import { isSameStatus } from '../object-status.ts';
import { candidatesFor, claimObjects } from '../ownership.ts';
import { isTerminal } from '../pod-state.ts';
import type { WorkloadDeps } from '../workload-deps.ts';
import { notePause } from './pause.ts';
import { type DeploymentDeps, ensureCurrent, resize, syncCurrent } from './replica-sets.ts';
import { type Revisions, revisionOf, sortRevisions } from './revision.ts';
import { currentSize, shrinkOld } from './rollout.ts';
import { activeSets, isBeingScaled, scale } from './scaling.ts';
import { isComplete, plainStatus, rolloutStatus, untilDeadline } from './status.ts';

/** A Deployment and its ReplicaSets, as this reconcile has updated them. */
interface Rollout extends Revisions {
  readonly deployment: Deployment;
}

/** The Deployment controller: moves pods from one template to the next, with a ReplicaSet for each. */
export function deploymentController(workloadDeps: WorkloadDeps): Controller {
  const deps = { ...workloadDeps, events: workloadDeps.recorder('deployment-controller') };
  const { caches } = deps;
  return {
    name: 'deployment',
    kind: { group: 'apps', kind: 'Deployment' },
    concurrency: 5,
    sources: [
      kindSource(caches.deployments),
      kindSource(caches.replicaSets, { keys: (set) => controllerKey(set, 'Deployment') }),
      // The Recreate strategy waits for the last old pod, whose deletion changes nothing else.
      kindSource(caches.pods, { when: ({ type }) => type === 'deleted', keys: (pod) => recreatedBy(deps, pod) }),
    ],
    reconcile: async (key) => {
      const known = caches.deployments.get(key);
      if (known === undefined) return DONE;
      const sets = await claimSets(deps, known);
      if (known.metadata.deletionTimestamp !== undefined) return writePlainStatus(deps, found(known, sets));
      const rollout = await syncCurrent(deps, found(await notePause(deps, known), sets));
      const { paused, strategy } = rollout.deployment.spec;
      if (paused || isBeingScaled(rollout.deployment, rollout)) return rescale(deps, rollout);
      return strategy.type === 'Recreate' ? recreate(deps, rollout) : rollingUpdate(deps, rollout);
    },
  };
}

function found(deployment: Deployment, sets: readonly ReplicaSet[]): Rollout {
  return { deployment, ...sortRevisions(deployment, sets) };
}

function recreatedBy({ caches }: WorkloadDeps, pod: Pod): readonly string[] {
  const set = controllerKey(pod, 'ReplicaSet').map((key) => caches.replicaSets.get(key));
  const keys = set.flatMap((owner) => (owner === undefined ? [] : controllerKey(owner, 'Deployment')));
  return keys.filter((key) => caches.deployments.get(key)?.spec.strategy.type === 'Recreate');
}

function claimSets({ client, caches }: WorkloadDeps, owner: Deployment): Promise<readonly ReplicaSet[]> {
  const candidates = candidatesFor(caches.replicaSets, owner);
  return claimObjects({ client, owner, ownerType: DEPLOYMENTS, type: REPLICA_SETS, candidates });
}

/** Only scales the ReplicaSets: the Deployment is paused, or its number of replicas has changed. */
async function rescale(deps: DeploymentDeps, rollout: Rollout): Promise<Result> {
  const { deployment, old } = rollout;
  for (const step of scale(deployment, rollout)) await resize(deps, deployment, step);
  if (deployment.spec.paused) await dropHistory(deps, deployment, old);
  return writePlainStatus(deps, rollout);
}

/** One step of a rolling update, up or down; the change it makes triggers the next. */
async function rollingUpdate(deps: DeploymentDeps, before: Rollout): Promise<Result> {
  const rollout = await ensureCurrent(deps, before);
  const { deployment, current, old } = rollout;
  const grown = { set: current, replicas: currentSize(deployment, rollout) };
  const steps = grown.replicas === current.spec.replicas ? shrinkOld(deployment, current, old) : [grown];
  for (const step of steps) await resize(deps, deployment, step);
  if (steps.length === 0 && isComplete(deployment, deployment.status)) await dropHistory(deps, deployment, old);
  return writeRolloutStatus(deps, rollout);
}

/** The Recreate strategy: deletes all old pods before new ones are created. */
async function recreate(deps: DeploymentDeps, before: Rollout): Promise<Result> {
  const { old } = before;
  const shrinking = activeSets(old);
  for (const set of shrinking) await resize(deps, before.deployment, { set, replicas: 0 });
  if (shrinking.length > 0 || hasOldPods(deps, before)) return writeRolloutStatus(deps, before);
  const rollout = await ensureCurrent(deps, before);
  const { deployment, current } = rollout;
  await resize(deps, deployment, { set: current, replicas: deployment.spec.replicas });
  if (isComplete(deployment, deployment.status)) await dropHistory(deps, deployment, old);
  return writeRolloutStatus(deps, rollout);
}

function hasOldPods({ caches }: WorkloadDeps, { old }: Rollout): boolean {
  return old.some(
    ({ metadata, status }) =>
      (status?.replicas ?? 0) > 0 ||
      caches.pods.byIndex('manager', managerKey(metadata.namespace, metadata.uid)).some((pod) => !isTerminal(pod)),
  );
}

/** Deletes the oldest ReplicaSets beyond the revision history limit. */
async function dropHistory({ client }: WorkloadDeps, { spec }: Deployment, old: readonly ReplicaSet[]): Promise<void> {
  const kept = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const excess = kept.length - (spec.revisionHistoryLimit ?? Number.POSITIVE_INFINITY);
  if (excess <= 0) return;
  for (const set of kept.toSorted((a, b) => revisionOf(a) - revisionOf(b)).slice(0, excess)) {
    if (!isIdle(set)) continue;
    await unlessGone(client.delete(REPLICA_SETS, set.metadata));
  }
}

/** Whether the ReplicaSet has no pods, and its controller has observed that. */
function isIdle({ metadata, spec, status }: ReplicaSet): boolean {
  const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
  return isObserved && spec.replicas === 0 && (status?.replicas ?? 0) === 0;
}

async function writePlainStatus(deps: WorkloadDeps, rollout: Rollout): Promise<Result> {
  await writeStatus(deps, rollout.deployment, plainStatus(rollout.deployment, rollout, deps.clock.now()));
  return DONE;
}

async function writeRolloutStatus(deps: WorkloadDeps, rollout: Rollout): Promise<Result> {
  const { deployment } = rollout;
  const now = deps.clock.now();
  const status = rolloutStatus(deployment, rollout, now);
  if (await writeStatus(deps, deployment, status)) return DONE;
  const wait = untilDeadline(deployment, status, now);
  return wait === undefined ? DONE : { requeueAfter: wait };
}

/** Whether there was anything to write. */
async function writeStatus(
  { client }: WorkloadDeps,
  deployment: Deployment,
  status: DeploymentStatus,
): Promise<boolean> {
  if (isSameStatus(deployment.status, status)) return false;
  await unlessGone(client.update(DEPLOYMENTS, { ...deployment, status }, { subresource: 'status' }));
  return true;
}
