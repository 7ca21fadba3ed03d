import type { JsonObject } from '@karpenter-ts/kubernetes';
import { forbiddenField, invalidValue, type Problem } from '../../field-errors.ts';
import { isSameJson, without } from '../../json-value.ts';
import { type KubeObject, listAt, objectAt, textAt, withMetadata } from '../../object.ts';
import type { ObjectLookup } from '../../strategy.ts';
import type { KindRules } from './kind-rules.ts';

/** Adds the protection finalizer, which keeps volumes and volume claims while they are in use. */
function protectedBy(finalizer: string) {
  return (object: KubeObject): KubeObject => {
    const { finalizers = [] } = object.metadata;
    return finalizers.includes(finalizer) ? object : withMetadata(object, { finalizers: [...finalizers, finalizer] });
  };
}

const protectVolume = protectedBy('kubernetes.io/pv-protection');
const protectClaim = protectedBy('kubernetes.io/pvc-protection');

export const PERSISTENT_VOLUME: KindRules = {
  traits: { returnsDeleted: true },
  initialStatus: ({ metadata }) => ({ phase: 'Pending', lastPhaseTransitionTime: metadata.creationTimestamp! }),
  admit: (volume, old) => (old ? volume : protectVolume(volume)),
  prepareStatus: volumeStatus,
  validateUpdate: volumeUpdateProblems,
};

/** Records when the phase changed. */
function volumeStatus(volume: KubeObject, old: KubeObject): KubeObject {
  const status = objectAt(volume, 'status');
  const { lastPhaseTransitionTime: since } = objectAt(old, 'status');
  if (textAt(volume, 'status', 'phase') !== textAt(old, 'status', 'phase')) return volume;
  return since === undefined ? volume : { ...volume, status: { lastPhaseTransitionTime: since, ...status } };
}

/** What of a volume's spec is not where the volume is. */
const VOLUME_TERMS = [
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
];

/** The source of a volume is immutable. */
function volumeUpdateProblems(volume: KubeObject, old: KubeObject): readonly Problem[] {
  const [spec, before] = [objectAt(volume, 'spec'), objectAt(old, 'spec')];
  const source = (terms: JsonObject): JsonObject => without(terms, ...VOLUME_TERMS);
  const problems: Problem[] = [];
  if (!isSameJson(source(spec), source(before))) {
    const why = 'spec.persistentvolumesource is immutable after creation\n';
    problems.push(forbiddenField(['spec', 'persistentvolumesource'], why));
  }
  const fixed = before['nodeAffinity'] === undefined ? ['volumeMode'] : ['volumeMode', 'nodeAffinity'];
  for (const field of fixed) {
    if (!isSameJson(spec[field], before[field])) {
      problems.push(invalidValue([field], spec[field] ?? null, 'field is immutable'));
    }
  }
  return problems;
}

export const PERSISTENT_VOLUME_CLAIM: KindRules = {
  traits: { returnsDeleted: true },
  initialStatus: () => ({ phase: 'Pending' }),
  admit: (volumeClaim, old, lookup) => (old ? volumeClaim : protectClaim(withDefaultClass(volumeClaim, lookup))),
  validateUpdate: volumeClaimUpdateProblems,
};

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

function withDefaultClass(volumeClaim: KubeObject, lookup: ObjectLookup): KubeObject {
  const spec = objectAt(volumeClaim, 'spec');
  if (spec['storageClassName'] !== undefined) return volumeClaim;
  const classes = lookup.list('storage.k8s.io/storageclasses');
  const defaults = classes.filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
  const newest = defaults.sort((a, b) => (a.metadata.creationTimestamp! < b.metadata.creationTimestamp! ? 1 : -1))[0];
  return newest ? { ...volumeClaim, spec: { ...spec, storageClassName: newest.metadata.name } } : volumeClaim;
}

/** Binding sets the volume once. A bound volume claim may request more storage. */
function volumeClaimUpdateProblems(volumeClaim: KubeObject, old: KubeObject): readonly Problem[] {
  const isBound = textAt(volumeClaim, 'status', 'phase') === 'Bound';
  const free = [
    ...(textAt(old, 'spec', 'volumeName') === '' ? ['volumeName'] : []),
    ...(isBound ? ['volumeAttributesClassName', 'resources'] : []),
    ...(objectAt(old, 'spec')['storageClassName'] === undefined ? ['storageClassName'] : []),
  ];
  const fixed = (one: KubeObject): JsonObject => without(objectAt(one, 'spec'), ...free);
  if (isSameJson(fixed(volumeClaim), fixed(old))) return [];
  const why =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';
  return [forbiddenField(['spec'], why)];
}

export const STORAGE_CLASS: KindRules = {
  traits: { returnsDeleted: true },
  validateUpdate: (next, old) => [
    ...['parameters', 'provisioner', 'reclaimPolicy']
      .filter((field) => !isSameJson(next[field], old[field]))
      .map((field) => forbiddenField([field], `updates to ${field} are forbidden.`)),
    ...(isSameJson(next['volumeBindingMode'], old['volumeBindingMode'])
      ? []
      : [invalidValue(['volumeBindingMode'], next['volumeBindingMode'] ?? null, 'field is immutable')]),
  ],
};

export const CSI_NODE: KindRules = {
  traits: { returnsDeleted: true, needsVersion: true },
  validateUpdate: driverChanges,
};

/** Drivers come and go, but one that is there stays as it is, but for how much it can take. */
function driverChanges(node: KubeObject, old: KubeObject): readonly Problem[] {
  const drivers = (one: KubeObject) => listAt(one, 'spec', 'drivers').map((driver) => without(driver, 'allocatable'));
  const before = drivers(old);
  return drivers(node)
    .filter((driver) => before.some((other) => other['name'] === driver['name'] && !isSameJson(other, driver)))
    .map((driver) => invalidValue(['spec', 'drivers'], driver, 'field is immutable'));
}

export const CSI_DRIVER: KindRules = {
  traits: { returnsDeleted: true, needsVersion: true },
};
export const VOLUME_ATTACHMENT: KindRules = {
  traits: { returnsDeleted: true, needsVersion: true },
  validateUpdate: (attachment, old) =>
    isSameJson(attachment['spec'], old['spec'])
      ? []
      : [invalidValue(['spec'], attachment['spec'] ?? null, 'field is immutable')],
};
