import type { CsiNode } from '@karpenter-ts/kubernetes';
import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { classNameOf, type StorageModel } from '../model/storage-model.ts';
import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const EXCEEDED = rejection('node(s) exceed max volume count', true);

/** The node must not exceed the volume limits of its CSINode. */
export const volumeLimits: Filter = {
  name: 'NodeVolumeLimits',
  scope: 'cluster',
  helpedBy: ['node added', 'pod removed', 'storage changed'],
  concerns: (_pod, other) => other.volumeClaims.length > 0,
  prepare(pod, snapshot) {
    if (pod.volumeClaims.length === 0) return NOTHING_TO_CHECK;
    return { kind: 'check', check: (node) => (isOverLimit(pod, node, snapshot) ? EXCEEDED : undefined) };
  },
};

function isOverLimit(pod: PodClass, node: NodeEntry, { storage }: Snapshot): boolean {
  const limits = limitsOf(storage.csiNodes.get(node.name));
  if (limits.size === 0) return false;
  const attached = attachedVolumes(node, storage);
  const wanted = volumesOf(pod, storage);
  for (const [driver, limit] of limits) {
    const there = attached.get(driver) ?? new Set();
    const more = (wanted.get(driver) ?? new Set()).difference(there);
    if (more.size > 0 && there.size + more.size > limit) return true;
  }
  return false;
}

function limitsOf(csiNode: CsiNode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  }
  return limits;
}

/** Volume ids by driver: a volume that several pods use counts once. */
type Volumes = Map<string, Set<string>>;

/** The volumes of the node's pods, and those still attached to it without a pod. */
function attachedVolumes(node: NodeEntry, storage: StorageModel): Volumes {
  const volumes: Volumes = new Map();
  for (const pod of node.podCounts.keys()) addVolumes(volumes, pod, storage);
  for (const { spec } of storage.attachments.values()) {
    if (spec.nodeName !== node.name) continue;
    const csi = storage.volumes.get(spec.source.persistentVolumeName ?? '')?.spec.csi;
    if (csi !== undefined) addVolume(volumes, spec.attacher, csi.volumeHandle ?? '');
  }
  return volumes;
}

function volumesOf(pod: PodClass, storage: StorageModel): Volumes {
  const volumes: Volumes = new Map();
  addVolumes(volumes, pod, storage);
  return volumes;
}

/** A volume claim without a volume counts for the driver that will provision it. */
function addVolumes(volumes: Volumes, pod: PodClass, storage: StorageModel): void {
  for (const { key } of pod.volumeClaims) {
    const volumeClaim = storage.volumeClaims.get(key);
    if (volumeClaim === undefined) continue;
    const volume = storage.volumes.get(volumeClaim.spec.volumeName ?? '');
    const driver = storage.classes.get(classNameOf(volumeClaim))?.provisioner;
    if (volume?.spec.csi !== undefined) addVolume(volumes, volume.spec.csi.driver, volume.spec.csi.volumeHandle ?? '');
    else if (volume === undefined && driver !== undefined) addVolume(volumes, driver, `claim ${key}`);
  }
}

function addVolume(volumes: Volumes, driver: string, name: string): void {
  const known = volumes.get(driver);
  if (known === undefined) volumes.set(driver, new Set([name]));
  else known.add(name);
}
