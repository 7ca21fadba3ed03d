import { isDeepStrictEqual } from 'node:util';
import { type EventRecorder, isAlreadyExists } from '@karpenter-ts/runtime';
import {
  controllerRef,
  type Deployment,
  DEPLOYMENTS,
  isControlledBy,
  type ObjectRef,
  REPLICA_SETS,
  type ReplicaSet,
} from '@karpenter-ts/kubernetes';
import { findCondition } from '../conditions.ts';
import { isSameTemplate, templateHash } from '../template-hash.ts';
import { isNamespaceTerminating } from '../terminating-namespace.ts';
import { subjectOf, type WorkloadDeps } from '../workload-deps.ts';
import { nextRevision, REVISION, type Revisions, revisionAnnotations, sizeAnnotations } from './revision.ts';
import { currentSize } from './rollout.ts';
import type { Resize } from './scaling.ts';
import { hasDeadline, withVerdict } from './status.ts';

export interface DeploymentDeps extends WorkloadDeps {
  readonly events: EventRecorder;
}

type Rollout = Revisions & { readonly deployment: Deployment };

const MAX_NAME = 253;

/** Updates the annotations of the current ReplicaSet, if there is one, and the Deployment's revision. */
export async function syncCurrent(deps: DeploymentDeps, rollout: Rollout): Promise<Rollout> {
  if (rollout.current === undefined) return rollout;
  const { deployment, old } = rollout;
  const current = await annotate(deps, deployment, rollout.current, nextRevision(old));
  const revision = current.metadata.annotations?.[REVISION] ?? '';
  const isTold = findCondition(deployment.status?.conditions, 'Progressing') !== undefined;
  const message = `Found new replica set "${current.metadata.name}"`;
  const progress = isTold ? undefined : { reason: 'FoundNewReplicaSet', message };
  return { deployment: await noteRevision(deps, deployment, revision, progress), current, old };
}

/** Like `syncCurrent`, and creates the current ReplicaSet if there is none. */
export async function ensureCurrent(
  deps: DeploymentDeps,
  rollout: Rollout,
): Promise<Rollout & { readonly current: ReplicaSet }> {
  const { deployment, current, old } = rollout;
  if (current !== undefined) return { deployment, current, old };
  const revision = nextRevision(old);
  const wanted = newSet(deployment, rollout, revision);
  const { set, isNew } = await createSet(deps, deployment, wanted);
  if (isNew && wanted.spec.replicas > 0) {
    publishScaling(deps, deployment, { set, from: 0, to: wanted.spec.replicas });
  }
  const message = `Created new replica set "${set.metadata.name}"`;
  const progress = isNew ? { reason: 'NewReplicaSetCreated', message } : undefined;
  return { deployment: await noteRevision(deps, deployment, String(revision), progress), current: set, old };
}

/** Scales a ReplicaSet, and records the desired replicas in its annotations. Writes only if something differs. */
export async function resize(deps: DeploymentDeps, deployment: Deployment, { set, replicas }: Resize): Promise<void> {
  const { metadata, spec } = set;
  const annotations = { ...metadata.annotations, ...sizeAnnotations(deployment) };
  if (spec.replicas === replicas && isDeepStrictEqual(annotations, metadata.annotations)) return;
  const resized = { ...set, metadata: { ...metadata, annotations }, spec: { ...spec, replicas } };
  await deps.client.update(REPLICA_SETS, resized);
  if (spec.replicas !== replicas) publishScaling(deps, deployment, { set, from: spec.replicas, to: replicas });
}

function publishScaling(
  { events }: DeploymentDeps,
  deployment: Deployment,
  { set, from, to }: { readonly set: ReplicaSet; readonly from: number; readonly to: number },
): void {
  const direction = from < to ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
  events.publish({ on: subjectOf(deployment, DEPLOYMENTS), type: 'Normal', reason: 'ScalingReplicaSet', message });
}

async function annotate(
  { client }: WorkloadDeps,
  deployment: Deployment,
  set: ReplicaSet,
  revision: number,
): Promise<ReplicaSet> {
  const annotations = revisionAnnotations(deployment, set, revision);
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  const isSame = isDeepStrictEqual(annotations, set.metadata.annotations ?? {});
  if (isSame && minReadySeconds === (set.spec.minReadySeconds ?? 0)) return set;
  const metadata = { ...set.metadata, annotations };
  return client.update<ReplicaSet>(REPLICA_SETS, { ...set, metadata, spec: { ...set.spec, minReadySeconds } });
}

/**
 * Records the current revision and, if there is progress, the time from which the progress deadline counts. It is
 * written through the status subresource, because there an annotation can change without a new generation.
 */
async function noteRevision(
  { client, clock }: WorkloadDeps,
  deployment: Deployment,
  revision: string,
  progress: { readonly reason: string; readonly message: string } | undefined,
): Promise<Deployment> {
  const { metadata, status } = deployment;
  const isProgress = progress !== undefined && hasDeadline(deployment);
  if (metadata.annotations?.[REVISION] === revision && !isProgress) return deployment;
  const conditions = isProgress
    ? withVerdict(status?.conditions, { type: 'Progressing', status: 'True', ...progress }, clock.now())
    : status?.conditions;
  const noted = {
    ...deployment,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [REVISION]: revision } },
    status: { ...status, ...(conditions && { conditions }) },
  };
  return client.update<Deployment>(DEPLOYMENTS, noted, { subresource: 'status' });
}

function newSet(deployment: Deployment, revisions: Revisions, revision: number): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const hash = { 'pod-template-hash': templateHash(spec.template, status?.collisionCount) };
  const labels = { ...spec.template.metadata?.labels, ...hash };
  const name = metadata.name.slice(0, MAX_NAME - 1 - hash['pod-template-hash'].length);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash['pod-template-hash']}`,
      namespace: metadata.namespace,
      labels,
      annotations: { ...revisionAnnotations(deployment, undefined, revision), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerRef(deployment, DEPLOYMENTS)],
    },
    spec: {
      replicas: currentSize(deployment, revisions),
      ...(spec.minReadySeconds && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, ...hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}

/**
 * The name may be taken: by a ReplicaSet created earlier that the cache does not show, or by one of another template.
 */
async function createSet(
  deps: DeploymentDeps,
  deployment: Deployment,
  wanted: ReplicaSet,
): Promise<{ readonly set: ReplicaSet; readonly isNew: boolean }> {
  try {
    return { set: await deps.client.create<ReplicaSet>(REPLICA_SETS, wanted), isNew: true };
  } catch (error) {
    if (isAlreadyExists(error)) {
      const set = await findExisting(deps, deployment, wanted.metadata);
      if (set !== undefined) return { set, isNew: false };
    } else if (!isNamespaceTerminating(error)) await reportFailure(deps, deployment, wanted, error as Error);
    throw error;
  }
}

/**
 * Returns the existing ReplicaSet if it is ours and has our template. Otherwise counts a collision, so that the next
 * name differs.
 */
async function findExisting(
  { client }: WorkloadDeps,
  deployment: Deployment,
  ref: ObjectRef,
): Promise<ReplicaSet | undefined> {
  const set = await client.get<ReplicaSet>(REPLICA_SETS, ref);
  const { spec, status } = deployment;
  if (isControlledBy(set, deployment) && isSameTemplate(set.spec.template, spec.template)) return set;
  const collided = { ...deployment, status: { ...status, collisionCount: (status?.collisionCount ?? 0) + 1 } };
  await client.update(DEPLOYMENTS, collided, { subresource: 'status' });
  return undefined;
}

async function reportFailure(
  { client, clock, events }: DeploymentDeps,
  deployment: Deployment,
  { metadata }: ReplicaSet,
  error: Error,
): Promise<void> {
  const reason = 'ReplicaSetCreateError';
  const message = `Failed to create new replica set "${metadata.name}": ${error.message}`;
  events.publish({ on: subjectOf(deployment, DEPLOYMENTS), type: 'Warning', reason, message });
  if (!hasDeadline(deployment)) return;
  const verdict = { type: 'Progressing', status: 'False', reason, message };
  const conditions = withVerdict(deployment.status?.conditions, verdict, clock.now());
  const told = { ...deployment, status: { ...deployment.status, conditions } };
  await client.update(DEPLOYMENTS, told, { subresource: 'status' });
}
