import {
  BIND_COMPLETED,
  compareQuantities,
  labelSelectorFrom,
  matchesLabels,
  parseQuantity,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Quantity,
  type ResourceList,
  type StorageClass,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';
import { nodeMatcher, type SelectableNode } from './node-selector.ts';
import { classNameOf, type StorageModel } from './storage-model.ts';

/** A pod's volume claims, by what they need. */
export interface PodVolumeClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Unbound volume claims with delayed binding, the smallest first. */
  readonly delayed: readonly PersistentVolumeClaim[];
}

/** What must be bound or provisioned before a pod can start on a node. */
export interface VolumePlan {
  /** Volume claims and the existing volumes they will be bound to. */
  readonly bindings: readonly { readonly volumeClaim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Claims whose volumes are to be made for the node. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

/** Why there is no plan. */
export type VolumeConflict = 'volume elsewhere' | 'volume missing' | 'nothing to bind';

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Both sides agree: the claim names a volume, and the volume's controller has said so. */
export function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec.volumeName) && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** Whether the claim waits for a pod to be placed. */
export function isDelayed(volumeClaim: PersistentVolumeClaim, storage: StorageModel): boolean {
  if (volumeClaim.spec.volumeName) return false;
  return storage.classes.get(classNameOf(volumeClaim))?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** How the pod's claims are satisfied on this node. Bound volumes must be in reach; the others found or made there. */
export function planVolumes(
  { bound, delayed }: PodVolumeClaims,
  node: SelectableNode,
  storage: StorageModel,
): VolumePlan | { readonly conflicts: readonly VolumeConflict[] } {
  const conflicts: VolumeConflict[] = [];
  const unreachable = findUnreachable(bound, node, storage);
  const plan = planDelayed(delayed, node, storage);
  if (unreachable === 'volume elsewhere') conflicts.push(unreachable);
  if (plan === undefined) conflicts.push('nothing to bind');
  if (unreachable === 'volume missing') conflicts.push(unreachable);
  return plan === undefined || conflicts.length > 0 ? { conflicts } : plan;
}

/** Whether pods on the node can use the volume. */
export function isInReach(volume: PersistentVolume, node: SelectableNode): boolean {
  const required = volume.spec.nodeAffinity?.required;
  return required === undefined || nodeMatcher(required)(node);
}

function findUnreachable(
  bound: readonly PersistentVolumeClaim[],
  node: SelectableNode,
  storage: StorageModel,
): VolumeConflict | undefined {
  for (const volumeClaim of bound) {
    const volume = storage.volumes.get(volumeClaim.spec.volumeName ?? '');
    if (volume === undefined) return 'volume missing';
    if (!isInReach(volume, node)) return 'volume elsewhere';
  }
  return undefined;
}

function planDelayed(
  volumeClaims: readonly PersistentVolumeClaim[],
  node: SelectableNode,
  storage: StorageModel,
): VolumePlan | undefined {
  const bindings: { volumeClaim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const provisions: PersistentVolumeClaim[] = [];
  for (const volumeClaim of volumeClaims) {
    const selected = storage.findSelectedNode(volumeClaimKey(volumeClaim));
    if (selected !== undefined && selected !== node.name) return undefined;
    const taken = new Set(bindings.map(({ volume }) => volume.metadata.name));
    const volume = selected === undefined ? findVolume(volumeClaim, node, storage, taken) : undefined;
    if (volume !== undefined) bindings.push({ volumeClaim, volume });
    else if (canProvision(storage.classes.get(classNameOf(volumeClaim)), node)) provisions.push(volumeClaim);
    else return undefined;
  }
  return { bindings, provisions };
}

function canProvision(storageClass: StorageClass | undefined, { labels }: SelectableNode): boolean {
  if (storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return false;
  const topologies = storageClass.allowedTopologies ?? [];
  if (topologies.length === 0) return true;
  return topologies.some(
    ({ matchLabelExpressions: wanted = [] }) =>
      wanted.length > 0 && wanted.every(({ key, values }) => values.includes(labels[key] ?? '')),
  );
}

/** The volume kept for the claim, else the smallest free one that will do. */
function findVolume(
  volumeClaim: PersistentVolumeClaim,
  node: SelectableNode,
  storage: StorageModel,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  let smallest: PersistentVolume | undefined;
  for (const volume of storage.volumes.values()) {
    if (taken.has(volume.metadata.name) || !isOffered(volume, volumeClaim, storage)) continue;
    if (volume.spec.claimRef !== undefined) return isInReach(volume, node) ? volume : undefined;
    if (!isSuitable(volume, volumeClaim) || !isInReach(volume, node)) continue;
    if (smallest === undefined || compareQuantities(volumeSize(volume), volumeSize(smallest)) < 0) smallest = volume;
  }
  return smallest;
}

/** Nobody else's, large enough, of the right sort. */
function isOffered(volume: PersistentVolume, volumeClaim: PersistentVolumeClaim, storage: StorageModel): boolean {
  const { claimRef } = volume.spec;
  if (claimRef !== undefined && !isFor(claimRef, volumeClaim)) return false;
  const promise = storage.findPromise(volume);
  if (promise !== undefined && promise !== volumeClaimKey(volumeClaim)) return false;
  if (volume.metadata.deletionTimestamp !== undefined) return false;
  return (
    compareQuantities(volumeSize(volume), volumeClaimSize(volumeClaim)) >= 0 &&
    (volume.spec.volumeMode ?? 'Filesystem') === (volumeClaim.spec.volumeMode ?? 'Filesystem') &&
    (volume.spec.volumeAttributesClassName ?? '') === (volumeClaim.spec.volumeAttributesClassName ?? '')
  );
}

function isFor(
  claimRef: NonNullable<PersistentVolume['spec']['claimRef']>,
  { metadata }: PersistentVolumeClaim,
): boolean {
  return (
    claimRef.name === metadata.name &&
    claimRef.namespace === metadata.namespace &&
    (!claimRef.uid || claimRef.uid === metadata.uid)
  );
}

function isSuitable(volume: PersistentVolume, volumeClaim: PersistentVolumeClaim): boolean {
  const { selector, accessModes = [] } = volumeClaim.spec;
  return (
    volume.status?.phase === 'Available' &&
    classNameOf(volume) === classNameOf(volumeClaim) &&
    (selector === undefined || matchesLabels(labelSelectorFrom(selector), volume.metadata.labels)) &&
    accessModes.every((mode) => volume.spec.accessModes?.includes(mode))
  );
}

function volumeSize({ spec }: PersistentVolume): Quantity {
  return sizeOf(spec.capacity);
}

/** How much storage the claim asks for. */
export function volumeClaimSize({ spec }: PersistentVolumeClaim): Quantity {
  return sizeOf(spec.resources?.requests);
}

function sizeOf(list: ResourceList | undefined): Quantity {
  const text = list?.['storage'];
  return text === undefined ? ZERO_QUANTITY : parseQuantity(text);
}

export function volumeClaimKey({ metadata }: PersistentVolumeClaim): string {
  return `${metadata.namespace}/${metadata.name}`;
}
