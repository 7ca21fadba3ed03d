import {
  controllerRef,
  type ControllerRevision,
  type PersistentVolumeClaim,
  type Pod,
  type PodTemplate,
  STATEFUL_SETS,
  type StatefulSet,
  type Volume,
} from '@karpenter-ts/kubernetes';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
const REVISION = 'controller-revision-hash';

/** The ordinal of a pod, if its name is one of this set's. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const [, parent, ordinal] = /^(.*)-([0-9]+)$/.exec(pod.metadata.name) ?? [];
  return parent === metadata.name ? Number(ordinal) : undefined;
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

export function startOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** Whether the set wants a pod of this ordinal. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOrdinal(set) && ordinal < startOrdinal(set) + set.spec.replicas;
}

/** The name of the revision a pod was made from. */
export function podRevision({ metadata }: Pod): string {
  return metadata.labels?.[REVISION] ?? '';
}

/** Whether a pod has the name, labels and volumes of its ordinal. */
export function hasIdentity(set: StatefulSet, pod: Pod, ordinal: number): boolean {
  const { metadata, spec } = pod;
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return (
    metadata.labels?.[POD_NAME] === metadata.name &&
    (set.spec.volumeClaimTemplates ?? []).every(
      (template) =>
        volumes.get(template.metadata.name)?.persistentVolumeClaim?.claimName === claimName(set, template, ordinal),
    )
  );
}

export function claimName({ metadata }: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata.name}-${metadata.name}-${ordinal}`;
}

/** The labels that tell pods of a set apart. */
export function identityLabels(set: StatefulSet, ordinal: number): Readonly<Record<string, string>> {
  return { [POD_NAME]: podName(set, ordinal), [POD_INDEX]: String(ordinal) };
}

/** The pod of this ordinal, made from this revision of the template. */
export function newPod(set: StatefulSet, revision: ControllerRevision, ordinal: number): Pod {
  const { $patch: _, ...template } = revision.data.spec.template;
  const { metadata, spec }: PodTemplate = template;
  const name = podName(set, ordinal);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      labels: { ...metadata?.labels, ...identityLabels(set, ordinal), [REVISION]: revision.metadata.name },
      ownerReferences: [controllerRef(set, STATEFUL_SETS)],
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec.serviceName && { subdomain: set.spec.serviceName }),
      volumes: withClaims(set, spec.volumes ?? [], ordinal),
    },
  };
}

/** The volumes, preceded by those of the volume claim templates; the latter replace volumes of the same name. */
function withClaims(set: StatefulSet, volumes: readonly Volume[], ordinal: number): readonly Volume[] {
  const volumeClaims = (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  return [
    ...volumeClaims,
    ...volumes.filter(({ name }) => !volumeClaims.some((volumeClaim) => volumeClaim.name === name)),
  ];
}
