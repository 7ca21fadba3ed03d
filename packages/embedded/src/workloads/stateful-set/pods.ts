import { isAlreadyExists, unlessGone } from '@karpenter-ts/runtime';
import { type ControllerRevision, type Pod, PODS, type StatefulSet } from '@karpenter-ts/kubernetes';
import { isNamespaceTerminating } from '../terminating-namespace.ts';
import type { WorkloadDeps } from '../workload-deps.ts';
import { ensureVolumeClaims, hasStaleVolumeClaim, syncVolumeClaimOwners } from './claims.ts';
import { hasIdentity, identityLabels, newPod, ordinalOf } from './identity.ts';
import type { Step } from './plan.ts';

export interface StatefulSetDeps extends WorkloadDeps {
  readonly publish: (set: StatefulSet, type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** Carries out one step. Returns false if the rest must wait for the next reconcile. */
export async function perform(deps: StatefulSetDeps, set: StatefulSet, step: Step): Promise<boolean> {
  switch (step.do) {
    case 'create':
      if (hasStaleVolumeClaim(deps, set, step.ordinal)) return false;
      await create(deps, set, step.ordinal, step.revision);
      return true;
    case 'delete':
      await remove(deps, set, step.pod);
      return true;
    case 'mend':
      await mend(deps, set, step.pod, step.ordinal);
      return true;
    default:
      return step satisfies never;
  }
}

async function create(
  deps: StatefulSetDeps,
  set: StatefulSet,
  ordinal: number,
  revision: ControllerRevision,
): Promise<void> {
  const wanted = newPod(set, revision, ordinal);
  await told(deps, set, 'Create', wanted.metadata.name, async () => {
    await ensureVolumeClaims(deps, set, ordinal);
    const pod = await deps.client.create<Pod>(PODS, wanted);
    await syncVolumeClaimOwners(deps, set, pod, ordinal);
  });
}

async function remove(deps: StatefulSetDeps, set: StatefulSet, pod: Pod): Promise<void> {
  const ordinal = ordinalOf(set, pod) ?? 0;
  await syncVolumeClaimOwners(deps, set, pod, ordinal);
  const { uid = '' } = pod.metadata;
  await told(deps, set, 'Delete', pod.metadata.name, () =>
    unlessGone(deps.client.delete(PODS, pod.metadata, { preconditions: { uid } })),
  );
}

async function mend(deps: StatefulSetDeps, set: StatefulSet, pod: Pod, ordinal: number): Promise<void> {
  if (pod.status?.phase === 'Pending') await ensureVolumeClaims(deps, set, ordinal);
  await syncVolumeClaimOwners(deps, set, pod, ordinal);
  if (hasIdentity(set, pod, ordinal)) return;
  const body = { metadata: { uid: pod.metadata.uid, labels: identityLabels(set, ordinal) } };
  await told(deps, set, 'Update', pod.metadata.name, async () => {
    await deps.client.patch(PODS, pod.metadata, { type: 'merge', body });
  });
}

/** Does something to a pod and tells users how it went. */
async function told(
  { publish }: StatefulSetDeps,
  set: StatefulSet,
  verb: 'Create' | 'Delete' | 'Update',
  pod: string,
  write: () => Promise<void>,
): Promise<void> {
  const what = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
  try {
    await write();
    publish(set, 'Normal', `Successful${verb}`, `${what} successful`);
  } catch (error) {
    if (isAlreadyExists(error)) return; // made by a pass whose work the cache does not show yet
    if (!isNamespaceTerminating(error)) {
      publish(set, 'Warning', `Failed${verb}`, `${what} failed error: ${(error as Error).message}`);
    }
    throw error;
  }
}
