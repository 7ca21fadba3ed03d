import { canonicalQuantity, type JsonObject } from '@karpenter-ts/kubernetes';
import { isNumber } from '../json-value.ts';
import { type KubeObject, listAt, objectAt, textAt } from '../object.ts';
import { AGE, type Column, column, flag, integer, NAME, wide } from './column.ts';

const VOLUME_MODE = wide('VolumeMode', (object) => textAt(object, 'spec', 'volumeMode') || '<unset>');
const STORAGE_CLASS = column('StorageClass', storageClassOf);
const ATTRIBUTES_CLASS = column(
  'VolumeAttributesClass',
  (object) => textAt(object, 'spec', 'volumeAttributesClassName') || '<unset>',
);
const STATUS = column('Status', (object) =>
  object.metadata.deletionTimestamp ? 'Terminating' : textAt(object, 'status', 'phase'),
);

const spec = (field: string) => (object: KubeObject) => textAt(object, 'spec', field);
const isSet = (field: string, otherwise: boolean) => (object: KubeObject) => {
  const value = objectAt(object, 'spec')[field];
  return typeof value === 'boolean' ? value : otherwise;
};

/** The columns of volumes and what makes them, by kind. */
export const STORAGE_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  CSIDriver: [
    NAME,
    flag('AttachRequired', isSet('attachRequired', true)),
    flag('PodInfoOnMount', isSet('podInfoOnMount', false)),
    flag('StorageCapacity', isSet('storageCapacity', false)),
    column('TokenRequests', tokenRequests),
    flag('RequiresRepublish', isSet('requiresRepublish', false)),
    column('Modes', (object) => textsAt(object, 'volumeLifecycleModes').join(',') || '<none>'),
    AGE,
  ],
  CSINode: [NAME, integer('Drivers', (object) => listAt(object, 'spec', 'drivers').length), AGE],
  PersistentVolume: [
    NAME,
    column('Capacity', (object) => storageIn(objectAt(object, 'spec', 'capacity'))),
    column('Access Modes', (object) => accessModes(objectAt(object, 'spec'))),
    column('Reclaim Policy', spec('persistentVolumeReclaimPolicy')),
    STATUS,
    column('Claim', claimOf),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    column('Reason', (object) => textAt(object, 'status', 'reason')),
    AGE,
    VOLUME_MODE,
  ],
  PersistentVolumeClaim: [
    NAME,
    STATUS,
    column('Volume', spec('volumeName')),
    column('Capacity', (object) => (isBound(object) ? storageIn(objectAt(object, 'status', 'capacity')) : '')),
    column('Access Modes', (object) => (isBound(object) ? accessModes(objectAt(object, 'status')) : '')),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    AGE,
    VOLUME_MODE,
  ],
  StorageClass: [
    { ...NAME, cell: (object) => `${object.metadata.name}${isDefault(object) ? ' (default)' : ''}` },
    column('Provisioner', (object) => textAt(object, 'provisioner')),
    column('ReclaimPolicy', (object) => textAt(object, 'reclaimPolicy') || 'Delete'),
    column('VolumeBindingMode', (object) => textAt(object, 'volumeBindingMode') || 'Immediate'),
    column('AllowVolumeExpansion', (object) => object['allowVolumeExpansion'] === true),
    AGE,
  ],
  VolumeAttachment: [
    NAME,
    { ...column('Attacher', spec('attacher')), format: 'name' },
    column('PV', (object) => textAt(object, 'spec', 'source', 'persistentVolumeName')),
    column('Node', spec('nodeName')),
    flag('Attached', (object) => objectAt(object, 'status')['attached'] === true),
    AGE,
  ],
};

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(part: JsonObject): string {
  const modes = part['accessModes'];
  const present = Object.keys(MODES).filter((mode) => Array.isArray(modes) && modes.includes(mode));
  return present.map((mode) => MODES[mode]!).join(',');
}

function storageIn(resources: JsonObject): string {
  const storage = resources['storage'];
  return typeof storage === 'string' || isNumber(storage) ? canonicalQuantity(String(storage)) : '0';
}

/** The annotation is older than the field, and still counts. */
function storageClassOf(object: KubeObject): string {
  return (
    object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
    textAt(object, 'spec', 'storageClassName')
  );
}

function isDefault({ metadata: { annotations } }: KubeObject): boolean {
  const keys = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];
  return keys.some((key) => annotations?.[key] === 'true');
}

const isBound = (claim: KubeObject): boolean => textAt(claim, 'spec', 'volumeName') !== '';

function claimOf(volume: KubeObject): string {
  if (objectAt(volume, 'spec')['claimRef'] === undefined) return '';
  return `${textAt(volume, 'spec', 'claimRef', 'namespace')}/${textAt(volume, 'spec', 'claimRef', 'name')}`;
}

function tokenRequests(driver: KubeObject): string {
  if (objectAt(driver, 'spec')['tokenRequests'] === undefined) return '<unset>';
  return listAt(driver, 'spec', 'tokenRequests')
    .map((request) => textAt(request, 'audience'))
    .join(',');
}

function textsAt(object: KubeObject, field: string): readonly string[] {
  const list = objectAt(object, 'spec')[field];
  return Array.isArray(list) ? (list as readonly string[]) : [];
}
