import {
  compareQuantities,
  type JsonObject,
  parseQuantity,
  qualifiedNameProblems,
  ZERO_QUANTITY,
} from '@karpenter-ts/apis';
import { forbiddenField, invalidValue, mapKey, notSupported, type Problem, required } from '../../field-errors.ts';
import { isJsonObject } from '../../json-value.ts';
import { objectAt, scalarText } from '../../object.ts';
import {
  all,
  atLeast,
  dnsName,
  entriesOf,
  itemsOf,
  needs,
  oneOf,
  type Path,
  type StructRules,
  shaped,
  within,
} from './struct-rule.ts';

const VOLUME_SOURCES =
  'hostPath nfs iscsi fc local csi awsElasticBlockStore gcePersistentDisk azureDisk azureFile cephfs cinder flexVolume flocker glusterfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume'.split(
    ' ',
  );
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Kinds that are neither pods nor make any. */
export const OTHER_RULES: StructRules = {
  'core.ConfigMap': all(configKeyProblems('data'), configKeyProblems('binaryData'), sharedKeyProblems),
  'core.Secret': all(configKeyProblems('data'), secretTypeProblems),
  'core.ServicePort': all(within('port', 1, 65535), oneOf('protocol', 'SCTP', 'TCP', 'UDP')),
  'core.ServiceSpec': all(
    oneOf('type', 'ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'),
    oneOf('sessionAffinity', 'ClientIP', 'None'),
    portNameProblems,
    (spec, path) =>
      spec['ports'] === undefined && spec['type'] !== 'ExternalName' && spec['clusterIP'] !== 'None'
        ? [required([...path, 'ports'])]
        : [],
  ),
  'core.PersistentVolumeClaimSpec': all(
    (spec, path) =>
      spec['accessModes'] ? [] : [required([...path, 'accessModes'], 'at least 1 access mode is required')],
    accessModeProblems,
    (spec, path) => {
      const { requests } = isJsonObject(spec['resources']) ? spec['resources'] : {};
      const place = [...path, 'resources', '[storage]'];
      if (!isJsonObject(requests) || requests['storage'] === undefined) return [required(place)];
      const size = requests['storage'] as string;
      const isSome = compareQuantities(parseQuantity(size), ZERO_QUANTITY) > 0;
      return isSome ? [] : [invalidValue(place, size, 'must be greater than zero')];
    },
    oneOf('volumeMode', 'Block', 'Filesystem'),
  ),
  'core.PersistentVolumeSpec': all(
    (spec, path) => (spec['accessModes'] ? [] : [required([...path, 'accessModes'])]),
    accessModeProblems,
    (spec, path) => {
      const { capacity = null } = spec;
      const place = [...path, 'capacity'];
      if (isJsonObject(capacity) && capacity['storage'] !== undefined) return [];
      return [...(capacity ? [] : [required(place)]), notSupported(place, capacity, ['storage'])];
    },
    (spec, path) =>
      VOLUME_SOURCES.some((source) => spec[source] !== undefined) ? [] : [required(path, 'must specify a volume type')],
    oneOf('persistentVolumeReclaimPolicy', 'Delete', 'Recycle', 'Retain'),
    oneOf('volumeMode', 'Block', 'Filesystem'),
  ),
  'coordination.LeaseSpec': all(
    (spec, path) => {
      const seconds = spec['leaseDurationSeconds'];
      if (typeof seconds !== 'number' || seconds > 0) return [];
      return [invalidValue([...path, 'leaseDurationSeconds'], seconds, 'must be greater than 0')];
    },
    atLeast(0, 'leaseTransitions'),
  ),
  'scheduling.PriorityClass': all(priorityProblems, oneOf('preemptionPolicy', 'PreemptLowerPriority', 'Never')),
  'storage.StorageClass': all(
    needs('provisioner'),
    shaped((text) => qualifiedNameProblems(text.toLowerCase()), 'provisioner'),
    oneOf('reclaimPolicy', 'Delete', 'Retain'),
    oneOf('volumeBindingMode', 'Immediate', 'WaitForFirstConsumer'),
  ),
  'storage.CSINodeDriver': needs('name', 'nodeID'),
  'storage.VolumeAttachmentSpec': all(needs('attacher'), (spec, path) => {
    const { nodeName = '', source } = spec;
    const wrong = dnsName(nodeName as string).map((problem) => invalidValue([...path, 'nodeName'], nodeName, problem));
    if (Object.keys((source ?? {}) as JsonObject).length === 1) return wrong;
    const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
    return [...wrong, required([...path, 'source'], why)];
  }),
  'rbac.ClusterRoleBinding': (binding, path) =>
    oneOf('kind', 'ClusterRole')(objectAt(binding, 'roleRef'), [...path, 'roleRef']),
  'rbac.RoleBinding': (binding, path) =>
    oneOf('kind', 'Role', 'ClusterRole')(objectAt(binding, 'roleRef'), [...path, 'roleRef']),
  'rbac.RoleRef': needs('name'),
};

const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function configKeyProblems(field: string) {
  return (value: JsonObject, path: Path): readonly Problem[] =>
    entriesOf(value, field, path).flatMap(([key, , place]) => {
      if (!/^[-._a-zA-Z0-9]+$/.test(key)) return [invalidValue(place, key, CONFIG_KEY)];
      return key === '.' || key === '..' ? [invalidValue(place, key, `must not be '${key}'`)] : [];
    });
}

/** What secrets of some types must hold. */
const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
};

function secretTypeProblems(secret: JsonObject, path: Path): readonly Problem[] {
  const data = objectAt(secret, 'data');
  const keys = SECRET_KEYS[scalarText(secret['type'])] ?? [];
  return keys.filter((key) => data[key] === undefined).map((key) => required([...path, 'data', mapKey(key)]));
}

/** Of several ports each has a name. */
function portNameProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const ports = itemsOf(spec, 'ports');
  return ports.flatMap((port, i) => [
    ...(ports.length > 1 ? needs('name')(port, [...path, 'ports', i]) : []),
    ...within('targetPort', 1, 65535)(port, [...path, 'ports', i]),
  ]);
}

function sharedKeyProblems(value: JsonObject, path: Path): readonly Problem[] {
  const binary = isJsonObject(value['binaryData']) ? value['binaryData'] : {};
  return entriesOf(value, 'data', path).flatMap(([key, , place]) =>
    Object.hasOwn(binary, key) ? [invalidValue(place, key, 'duplicate of key present in binaryData')] : [],
  );
}

function accessModeProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const modes = (spec['accessModes'] ?? []) as readonly string[];
  return modes.flatMap((mode) => oneOf('accessModes', ...ACCESS_MODES)({ accessModes: mode }, path));
}

const HIGHEST_USER_PRIORITY = 1_000_000_000;
const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function priorityProblems(priorityClass: JsonObject): readonly Problem[] {
  const { value = 0, metadata } = priorityClass;
  const name = scalarText((metadata as JsonObject | undefined)?.['name']);
  if (!name.startsWith('system-')) {
    if ((value as number) <= HIGHEST_USER_PRIORITY) return [];
    return [forbiddenField(['value'], `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`)];
  }
  if (SYSTEM_CLASSES[name] === value) return [];
  const why =
    SYSTEM_CLASSES[name] === undefined
      ? `${name} is not a known system priority class`
      : `value of ${name} PriorityClass must be ${SYSTEM_CLASSES[name]}`;
  return [
    forbiddenField(
      ['metadata', 'name'],
      `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`,
    ),
  ];
}
