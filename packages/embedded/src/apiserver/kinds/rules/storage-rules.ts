import {
  compareQuantities,
  type JsonObject,
  parseQuantity,
  qualifiedNameProblems,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  type Problem,
  required,
  tooLong,
} from '../../field-errors.ts';
import { objectAt } from '../../object.ts';
import {
  all,
  atLeast,
  dnsName,
  entriesOf,
  needs,
  oneOf,
  type Path,
  type StructRule,
  type StructRules,
  shaped,
  unique,
} from './struct-rule.ts';

/** Volumes, claims to them, and what provides them. */
export const STORAGE_RULES: StructRules = {
  'core.PersistentVolumeClaimSpec': all(
    (spec, path) =>
      spec['accessModes'] ? [] : [required([...path, 'accessModes'], 'at least 1 access mode is required')],
    accessModeProblems,
    (spec, path) => {
      const { storage } = objectAt(spec, 'resources', 'requests');
      const place = [...path, 'resources', '[storage]'];
      return storage === undefined ? [required(place)] : sizeProblems(storage as string, place);
    },
    shaped(dnsName, 'storageClassName', 'volumeAttributesClassName'),
    oneOf('volumeMode', 'Block', 'Filesystem'),
  ),
  'core.PersistentVolumeSpec': all(
    (spec, path) => (spec['accessModes'] ? [] : [required([...path, 'accessModes'])]),
    accessModeProblems,
    capacityProblems,
    oneOf('persistentVolumeReclaimPolicy', 'Delete', 'Recycle', 'Retain'),
    volumeSourceProblems,
    shaped(dnsName, 'storageClassName'),
    oneOf('volumeMode', 'Block', 'Filesystem'),
  ),
  'core.VolumeNodeAffinity': (affinity, path) =>
    affinity['required'] ? [] : [required([...path, 'required'], 'must specify required node constraints')],
  'core.CSIPersistentVolumeSource': all(driverProblems('driver'), needs('volumeHandle')),
  'core.LocalVolumeSource': all(needs('path'), withoutStepsBack('path')),
  'core.HostPathVolumeSource': all(
    needs('path'),
    withoutStepsBack('path'),
    oneOf('type', '', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'),
  ),
  'storage.StorageClass': all(
    needs('provisioner'),
    shaped((text) => qualifiedNameProblems(text.toLowerCase()), 'provisioner'),
    (storageClass, path) =>
      storageClass['reclaimPolicy'] === '' ? [] : oneOf('reclaimPolicy', 'Delete', 'Retain')(storageClass, path),
    oneOf('volumeBindingMode', 'Immediate', 'WaitForFirstConsumer'),
  ),
  'storage.CSINodeSpec': unique('drivers', 'name'),
  'storage.CSINodeDriver': all(driverProblems('name'), needs('nodeID'), nodeIdProblems, topologyKeyProblems),
  'storage.VolumeNodeResources': atLeast(0, 'count'),
  'storage.VolumeAttachmentSource': shaped(dnsName, 'persistentVolumeName'),
  'storage.VolumeAttachmentSpec': all(driverProblems('attacher'), (spec, path) => {
    const { nodeName = '', source } = spec;
    const wrong = dnsName(nodeName as string).map((problem) => invalidValue([...path, 'nodeName'], nodeName, problem));
    if (Object.keys((source ?? {}) as JsonObject).length === 1) return wrong;
    const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
    return [...wrong, required([...path, 'source'], why)];
  }),
};

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function accessModeProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const modes = (spec['accessModes'] ?? []) as readonly string[];
  const problems = modes.flatMap((mode) => oneOf('accessModes', ...ACCESS_MODES)({ accessModes: mode }, path));
  const isAlone = !modes.includes('ReadWriteOncePod') || modes.every((mode) => mode === 'ReadWriteOncePod');
  if (isAlone) return problems;
  return [
    ...problems,
    forbiddenField([...path, 'accessModes'], 'may not use ReadWriteOncePod with other access modes'),
  ];
}

function sizeProblems(size: string, place: Path): readonly Problem[] {
  const isSome = compareQuantities(parseQuantity(size), ZERO_QUANTITY) > 0;
  return isSome ? [] : [invalidValue(place, size, 'must be greater than zero')];
}

function capacityProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const { capacity = null } = spec;
  const place = [...path, 'capacity'];
  const names = Object.keys(objectAt(spec, 'capacity'));
  return [
    ...(names.length === 0 ? [required(place)] : []),
    ...(names.length === 1 && names[0] === 'storage' ? [] : [notSupported(place, capacity, ['storage'])]),
    ...entriesOf(spec, 'capacity', path).flatMap(([, size, at]) => sizeProblems(size, at)),
  ];
}

/** In the order in which they are looked at: of several, the first is taken. */
const VOLUME_SOURCES =
  'hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc azureFile flexVolume vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi'.split(
    ' ',
  );

function volumeSourceProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const [first, ...others] = VOLUME_SOURCES.filter((source) => spec[source] !== undefined);
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const problems: Problem[] = others.map((source) =>
    forbiddenField([...path, source], 'may not specify more than 1 volume type'),
  );
  if (first === 'local' && spec['nodeAffinity'] === undefined) {
    problems.push(required([...path, 'nodeAffinity'], 'Local volume requires node affinity'));
  }
  const { path: root } = objectAt(spec, 'hostPath');
  if (root === '/' && spec['persistentVolumeReclaimPolicy'] === 'Recycle') {
    const why = "may not be 'recycle' for a hostPath mount of '/'";
    problems.push(forbiddenField([...path, 'persistentVolumeReclaimPolicy'], why));
  }
  return problems;
}

const DRIVER_CHARACTERS = 63;

function driverProblems(field: string): StructRule {
  return (value, path) => {
    const driver = (value[field] ?? '') as string;
    const place = [...path, field];
    if (driver === '') return [required(place)];
    return [
      ...(driver.length > DRIVER_CHARACTERS ? [tooLong(place, `may not be more than ${DRIVER_CHARACTERS} bytes`)] : []),
      ...dnsName(driver.toLowerCase()).map((problem) => invalidValue(place, driver, problem)),
    ];
  };
}

const NODE_ID_CHARACTERS = 256;

function nodeIdProblems({ nodeID = '' }: JsonObject, path: Path): readonly Problem[] {
  if ((nodeID as string).length <= NODE_ID_CHARACTERS) return [];
  return [invalidValue([...path, 'nodeID'], nodeID, `must be ${NODE_ID_CHARACTERS} characters or less`)];
}

function topologyKeyProblems(driver: JsonObject, path: Path): readonly Problem[] {
  const keys = (driver['topologyKeys'] ?? []) as readonly string[];
  return keys.flatMap((key, index) => [
    ...(key === '' ? [required(path)] : []),
    ...(keys.indexOf(key) < index ? [duplicate(path, key)] : []),
    ...qualifiedNameProblems(key).map((problem) => invalidValue(path, key, problem)),
  ]);
}

function withoutStepsBack(field: string): StructRule {
  return (value, path) => {
    const text = (value[field] ?? '') as string;
    return text.split('/').includes('..') ? [invalidValue([...path, field], text, "must not contain '..'")] : [];
  };
}
