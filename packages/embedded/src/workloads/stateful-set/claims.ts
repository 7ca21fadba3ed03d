import {
  controllerRef,
  type OwnerReference,
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  type RetentionPolicy,
  STATEFUL_SETS,
  type StatefulSet,
} from '@karpenter-ts/kubernetes';
import { isAlreadyExists } from '@karpenter-ts/runtime';
import { claimName, isInRange, podName } from './identity.ts';
import type { StatefulSetDeps } from './pods.ts';

/** Creates the missing volume claims of an ordinal. Throws if one is being deleted: the pod must wait for its end. */
export async function ensureVolumeClaims(deps: StatefulSetDeps, set: StatefulSet, ordinal: number): Promise<void> {
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, template, ordinal);
    const known = deps.caches.persistentVolumeClaims.get(`${set.metadata.namespace}/${name}`);
    if (known?.metadata.deletionTimestamp !== undefined) throw new Error(`pvc ${name} is being deleted`);
    if (known === undefined) await createVolumeClaim(deps, set, template, ordinal);
  }
}

async function createVolumeClaim(
  deps: StatefulSetDeps,
  set: StatefulSet,
  template: PersistentVolumeClaim,
  ordinal: number,
): Promise<void> {
  const { client } = deps;
  const name = claimName(set, template, ordinal);
  const metadata = {
    ...template.metadata,
    name,
    namespace: set.metadata.namespace,
    labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
  };
  const pod = podName(set, ordinal);
  try {
    await client.create(PERSISTENT_VOLUME_CLAIMS, { ...template, metadata });
    const message = `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`;
    deps.publish(set, 'Normal', 'SuccessfulCreate', message);
  } catch (error) {
    if (isAlreadyExists(error)) return;
    const message = `Create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${(error as Error).message}`;
    deps.publish(set, 'Warning', 'FailedCreate', message);
    throw error;
  }
}

/**
 * Sets the owner references of volume claims, so that they are deleted with the set, or with a pod that scaling
 * removes, as the retention policy says. Volume claims with another controller are left alone.
 */
export async function syncVolumeClaimOwners(
  { client, caches }: StatefulSetDeps,
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
): Promise<void> {
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const volumeClaim = caches.persistentVolumeClaims.get(
      `${set.metadata.namespace}/${claimName(set, template, ordinal)}`,
    );
    if (volumeClaim === undefined) continue;
    const owners = volumeClaim.metadata.ownerReferences ?? [];
    const wanted = wantedOwners(set, pod, ordinal, owners);
    if (wanted === undefined || isSameOwners(owners, wanted)) continue;
    const metadata = { ...volumeClaim.metadata, ownerReferences: wanted };
    await client.update(PERSISTENT_VOLUME_CLAIMS, { ...volumeClaim, metadata });
  }
}

/** Undefined if the policy does not concern it. */
function wantedOwners(
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
  owners: readonly OwnerReference[],
): readonly OwnerReference[] | undefined {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' }: RetentionPolicy =
    set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const ours = [controllerRef(set, STATEFUL_SETS), controllerRef(pod, PODS)] as const;
  const isOurs = ({ apiVersion, kind, name }: OwnerReference): boolean =>
    ours.some((owner) => owner.apiVersion === apiVersion && owner.kind === kind && owner.name === name);
  const namesakes = owners.filter(isOurs).some(({ uid }) => ours.every((owner) => owner.uid !== uid));
  const others = owners.filter((owner) => !isOurs(owner));
  if (namesakes || others.some((owner) => owner.controller === true)) return undefined;
  const isScaledAway = !isInRange(set, ordinal);
  if (isScaledAway && whenScaled === 'Delete') return [...others, ours[1]];
  return whenDeleted === 'Delete' && !(isScaledAway && whenScaled === 'Delete') ? [...others, ours[0]] : others;
}

function isSameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  return a.length === b.length && a.every(({ uid }, i) => uid === b[i]?.uid);
}

/** Whether a volume claim still belongs to the last pod of this ordinal: the next pod must not get it. */
export function hasStaleVolumeClaim({ caches }: StatefulSetDeps, set: StatefulSet, ordinal: number): boolean {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return (set.spec.volumeClaimTemplates ?? []).some((template) => {
    const volumeClaim = caches.persistentVolumeClaims.get(
      `${set.metadata.namespace}/${claimName(set, template, ordinal)}`,
    );
    const owners = volumeClaim?.metadata.ownerReferences ?? [];
    return owners.some(({ kind, name }) => kind === 'Pod' && name === podName(set, ordinal));
  });
}
