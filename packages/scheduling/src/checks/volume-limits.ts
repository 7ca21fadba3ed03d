import type { PersistentVolume, Pod } from '@karpenter-ts/kubernetes';
import { type Backing, claimId, type VolumeObjects } from './volume-objects.ts';

/** A claim that counts against the limit of its CSI driver. */
export interface AttachedClaim {
  readonly driver: string;
  readonly claim: string;
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
export function attachedClaims(pod: Pod, objects: VolumeObjects): readonly AttachedClaim[] {
  const claims: AttachedClaim[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const backing = objects.findBacking(pod, volume);
    if (backing === undefined || backing.kind === 'missing') continue;
    const driver = driverOf(backing);
    if (driver !== undefined) claims.push({ driver, claim: claimId(backing.claim) });
  }
  return claims;
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
  readonly #claims: Map<string, Set<string>>;

  constructor(limits: Readonly<Record<string, number>>, claims = new Map<string, Set<string>>()) {
    this.#limits = limits;
    this.#claims = claims;
  }

  /** Independent of this one. */
  clone(): VolumeUsage {
    return new VolumeUsage(this.#limits, new Map([...this.#claims].map(([driver, set]) => [driver, new Set(set)])));
  }

  add(claims: readonly AttachedClaim[]): void {
    for (const { driver, claim } of claims) {
      const set = this.#claims.get(driver);
      if (set === undefined) this.#claims.set(driver, new Set([claim]));
      else set.add(claim);
    }
  }

  /** Whether all drivers stay within their limits with these claims too. A claim shared by pods counts once. */
  allows(claims: readonly AttachedClaim[]): boolean {
    for (const driver in this.#limits) {
      const present = this.#claims.get(driver);
      const added = new Set(claims.filter((one) => one.driver === driver).map(({ claim }) => claim));
      for (const claim of present ?? []) added.add(claim);
      if (added.size > this.#limits[driver]!) return false;
    }
    return true;
  }
}
