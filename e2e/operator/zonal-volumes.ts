import { ZONE_LABEL } from '@karpenter-ts/apis';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '@karpenter-ts/kubernetes';
import type { Tenant } from './tenant.ts';

const ONE_GIBIBYTE = { storage: '1Gi' };
const ACCESS = { accessModes: ['ReadWriteOnce'] };

interface ZonalVolume {
  readonly name: string;
  readonly zone: string;
  readonly storageClass?: string;
  /** The claim that has it; without one it is free. */
  readonly claim?: string;
}

/** Creates a volume that can be used in one zone only, and the claim that has it. */
export async function addZonalVolume(tenant: Tenant, volume: ZonalVolume): Promise<void> {
  const { name, zone, storageClass = '', claim } = volume;
  const inZone = { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [zone] }] };
  if (claim !== undefined) await claimVolume(tenant, { name: claim, storageClass, volume: name });
  await tenant.create(PERSISTENT_VOLUMES, {
    metadata: { name },
    spec: {
      ...ACCESS,
      capacity: ONE_GIBIBYTE,
      storageClassName: storageClass,
      csi: { driver: 'e2e.test', volumeHandle: name },
      nodeAffinity: { required: { nodeSelectorTerms: [inZone] } },
      ...(claim && { claimRef: { namespace: tenant.name, name: claim } }),
    },
  });
}

/** Creates a class whose volumes are in one zone and are chosen once a pod that wants one has a Node. */
export async function addZonalClass(tenant: Tenant, { name, zone }: Pick<ZonalVolume, 'name' | 'zone'>): Promise<void> {
  const inZone = { matchLabelExpressions: [{ key: ZONE_LABEL, values: [zone] }] };
  await tenant.create(STORAGE_CLASSES, {
    metadata: { name },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [inZone],
  });
}

interface VolumeClaim {
  readonly name: string;
  readonly storageClass: string;
  readonly volume?: string;
}

/** Creates a claim, for this volume or for any of the class. */
export async function claimVolume(tenant: Tenant, { name, storageClass, volume }: VolumeClaim): Promise<void> {
  const spec = { ...ACCESS, storageClassName: storageClass, resources: { requests: ONE_GIBIBYTE } };
  await tenant.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name },
    spec: { ...spec, ...(volume && { volumeName: volume }) },
  });
}
