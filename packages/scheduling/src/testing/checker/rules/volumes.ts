import {
  findIncompatibilities,
  HOSTNAME_LABEL,
  type ProviderProfile,
  type Requirements,
  toLabelRequirements,
  toRequirements,
} from '@karpenter-ts/apis';
import type { PersistentVolumeClaim, Pod } from '@karpenter-ts/kubernetes';
import { podName } from '../../../model/pods/pod-id.ts';
import type { Snapshot } from '../../../snapshot.ts';
import { both, implies } from '../demands.ts';
import type { Rule } from '../rule.ts';
import { targetsOf } from '../checked-plan.ts';

/** A node that receives pods attaches no more volumes of a driver than it can, each shared claim counted once (§14). */
export const volumesAttachable: Rule = ({ existing, snapshot }) =>
  existing.flatMap(({ node, hostname, placed }) => {
    if (placed.length === 0) return [];
    const attached = [...node.pods, ...placed.map(({ pod }) => pod)].flatMap((pod) => attachments(pod, snapshot));
    return Object.entries(node.volumeLimits)
      .filter(([driver, limit]) => {
        const claims = attached.filter((attachment) => attachment.driver === driver).map(({ claim }) => claim);
        return new Set(claims).size > limit;
      })
      .map(([driver, limit]) => `${hostname} would attach more than ${limit} volumes of ${driver}`);
  });

/** A node can reach the volumes of its pods: one combination of what they allow holds there (§15). */
export const volumesReachable: Rule = (checked) =>
  targetsOf(checked).flatMap((target) => {
    const { profile } = checked.options;
    return target.placed
      .filter(({ pod }) => {
        const alternatives = volumeAlternatives(pod, checked.snapshot, profile);
        return !alternatives.some((asked) => {
          if (target.kind === 'planned')
            return [...asked.values()].every((one) => implies(target.node.requirements.get(one.key), one));
          const labels = { [HOSTNAME_LABEL]: target.hostname, ...target.node.labels };
          return findIncompatibilities(toLabelRequirements(labels, profile), asked).length === 0;
        });
      })
      .map(({ pod }) => `${target.hostname} cannot reach the volumes of ${podName(pod)}`);
  });

/** A pod is placed only if all objects behind its volumes are known (weakness 21). */
export const volumesKnown: Rule = (checked) =>
  targetsOf(checked).flatMap(({ placed }) =>
    placed
      .filter(({ pod }) => hasUnknownVolumes(pod, checked.snapshot))
      .map(({ pod }) => `a volume of ${podName(pod)} is not known`),
  );

/** Whether an object behind a volume of the pod does not exist. */
export function hasUnknownVolumes(pod: Pod, snapshot: Snapshot): boolean {
  return claimsOf(pod, snapshot).some((claim) => isObscure(claim, snapshot));
}

function isObscure(claim: PersistentVolumeClaim | undefined, { volumes }: Snapshot): boolean {
  if (claim === undefined) return true;
  const { volumeName, storageClassName } = claim.spec;
  if (volumeName) return !volumes.persistentVolumes.some(({ metadata }) => metadata.name === volumeName);
  return (
    Boolean(storageClassName) && !volumes.storageClasses.some(({ metadata }) => metadata.name === storageClassName)
  );
}

/** The claims behind a pod's volumes; `undefined` for one that does not exist. */
function claimsOf(pod: Pod, { volumes }: Snapshot): readonly (PersistentVolumeClaim | undefined)[] {
  const namespace = pod.metadata.namespace ?? 'default';
  const names = (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${pod.metadata.name}-${name}`] : [];
  });
  return names.map((name) =>
    volumes.volumeClaims.find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace,
    ),
  );
}

const CSI_DRIVERS: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
};

function attachments(pod: Pod, snapshot: Snapshot): readonly { readonly driver: string; readonly claim: string }[] {
  return claimsOf(pod, snapshot).flatMap((claim) => {
    const driver = claim && findDriver(claim, snapshot);
    if (!claim || driver === undefined) return [];
    return [{ driver, claim: `${claim.metadata.namespace ?? 'default'}/${claim.metadata.name}` }];
  });
}

function findDriver({ spec }: PersistentVolumeClaim, { volumes }: Snapshot): string | undefined {
  if (spec.volumeName) {
    const volume = volumes.persistentVolumes.find(({ metadata }) => metadata.name === spec.volumeName);
    return volume?.spec.csi?.driver ?? (volume?.spec.awsElasticBlockStore ? 'ebs.csi.aws.com' : undefined);
  }
  const { provisioner } = volumes.storageClasses.find(({ metadata }) => metadata.name === spec.storageClassName) ?? {};
  return provisioner === undefined ? undefined : (CSI_DRIVERS[provisioner] ?? provisioner);
}

/** Each way in which all volumes of a pod can be reached; one without constraints if any node will do. */
function volumeAlternatives(pod: Pod, snapshot: Snapshot, profile: ProviderProfile): readonly Requirements[] {
  const combinations = claimsOf(pod, snapshot)
    .map((claim) => (claim === undefined ? [] : claimAlternatives(claim, snapshot, profile)))
    .filter((alternatives) => alternatives.length > 0)
    .reduce<readonly Requirements[]>(
      (before, alternatives) => before.flatMap((one) => alternatives.map((other) => both(one, other))),
      [new Map()],
    );
  const possible = combinations.filter((asked) =>
    [...asked.values()].every(({ complement, values }) => complement || values.size > 0),
  );
  return possible.length > 0 ? possible : combinations;
}

function claimAlternatives(
  { spec }: PersistentVolumeClaim,
  { volumes }: Snapshot,
  profile: ProviderProfile,
): readonly Requirements[] {
  if (!spec.volumeName) {
    const storageClass = volumes.storageClasses.find(({ metadata }) => metadata.name === spec.storageClassName);
    return (storageClass?.allowedTopologies ?? [])
      .map(({ matchLabelExpressions = [] }) => matchLabelExpressions.map((one) => ({ ...one, operator: 'In' })))
      .filter((expressions) => expressions.length > 0)
      .map((expressions) => toRequirements(expressions, profile));
  }
  const volume = volumes.persistentVolumes.find(({ metadata }) => metadata.name === spec.volumeName);
  const isOfOneHost = volume?.spec.local !== undefined || volume?.spec.hostPath !== undefined;
  return (volume?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [])
    .map(({ matchExpressions = [] }) => matchExpressions)
    .filter((expressions) => expressions.length > 0)
    .map((expressions) => expressions.filter(({ key }) => !(isOfOneHost && key === HOSTNAME_LABEL)))
    .map((expressions) => toRequirements(expressions, profile));
}
