import type { PersistentVolume, Pod } from '@karpenter-ts/kubernetes';
import { type Backing, volumeClaimId, type VolumeObjects } from '../model/pods/volume-objects.ts';

/** A claim that counts against the limit of its CSI driver. */
export interface AttachedVolumeClaim {
  readonly driver: string;
  readonly volumeClaim: string;
}

/** Drivers that took over from what was built into Kubernetes (spec 02 §14). */
const CSI_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
]);

/** The claims of a pod whose driver is known; what is missing does not count. */
export function attachedVolumeClaims(pod: Pod, objects: VolumeObjects): readonly AttachedVolumeClaim[] {
  const volumeClaims: AttachedVolumeClaim[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const backing = objects.findBacking(pod, volume);
    if (backing === undefined || backing.kind === 'missing') continue;
    const driver = driverOf(backing);
    if (driver !== undefined) volumeClaims.push({ driver, volumeClaim: volumeClaimId(backing.volumeClaim) });
  }
  return volumeClaims;
}

/** The CSI driver behind a volume; undefined if it has none, or none that is known. */
export function driverOf(backing: Exclude<Backing, { kind: 'missing' }>): string | undefined {
  if (backing.kind === 'bound') return driverOfVolume(backing.volume);
  const provisioner = backing.storageClass?.provisioner;
  return provisioner === undefined ? undefined : (CSI_DRIVERS.get(provisioner) ?? provisioner);
}

function driverOfVolume({ spec }: PersistentVolume): string | undefined {
  return spec.csi?.driver ?? (spec.awsElasticBlockStore === undefined ? undefined : 'ebs.csi.aws.com');
}

/** The claims attached to one node, and how many its drivers allow. */
export class VolumeUsage {
  readonly #limits: Readonly<Record<string, number>>;
  readonly #volumeClaims: Map<string, Set<string>>;

  constructor(limits: Readonly<Record<string, number>>, volumeClaims = new Map<string, Set<string>>()) {
    this.#limits = limits;
    this.#volumeClaims = volumeClaims;
  }

  /** Independent of this one. */
  clone(): VolumeUsage {
    return new VolumeUsage(
      this.#limits,
      new Map([...this.#volumeClaims].map(([driver, set]) => [driver, new Set(set)])),
    );
  }

  add(volumeClaims: readonly AttachedVolumeClaim[]): void {
    for (const { driver, volumeClaim } of volumeClaims) {
      const set = this.#volumeClaims.get(driver);
      if (set === undefined) this.#volumeClaims.set(driver, new Set([volumeClaim]));
      else set.add(volumeClaim);
    }
  }

  /** Whether all drivers stay within their limits with these claims too. A claim shared by pods counts once. */
  allows(volumeClaims: readonly AttachedVolumeClaim[]): boolean {
    for (const driver in this.#limits) {
      const present = this.#volumeClaims.get(driver);
      const added = new Set(volumeClaims.filter((one) => one.driver === driver).map(({ volumeClaim }) => volumeClaim));
      for (const volumeClaim of present ?? []) added.add(volumeClaim);
      if (added.size > this.#limits[driver]!) return false;
    }
    return true;
  }
}
