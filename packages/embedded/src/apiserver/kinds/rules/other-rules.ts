import { type JsonObject, memberOf } from '@karpenter-ts/kubernetes';
import { forbiddenField, invalidValue, mapKey, type Problem, required } from '../../field-errors.ts';
import { isJsonObject } from '../../json-value.ts';
import { objectAt, scalarText } from '../../object.ts';
import {
  all,
  atLeast,
  choice,
  entriesOf,
  itemsOf,
  needs,
  oneOf,
  type Path,
  type StructRules,
  within,
} from './struct-rule.ts';

/** Kinds that are neither pods nor make any, and hold no volumes. */
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
  'coordination.LeaseSpec': all(
    (spec, path) => {
      const seconds = spec['leaseDurationSeconds'];
      if (typeof seconds !== 'number' || seconds > 0) return [];
      return [invalidValue([...path, 'leaseDurationSeconds'], seconds, 'must be greater than 0')];
    },
    atLeast(0, 'leaseTransitions'),
  ),
  'scheduling.PriorityClass': all(priorityProblems, choice('preemptionPolicy', 'PreemptLowerPriority', 'Never')),
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
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
};

function secretTypeProblems(secret: JsonObject, path: Path): readonly Problem[] {
  const data = objectAt(secret, 'data');
  const type = scalarText(secret['type']);
  const missing = (keys: readonly string[]): readonly Problem[] =>
    keys.filter((key) => data[key] === undefined).map((key) => required([...path, 'data', mapKey(key)]));
  if (type === 'kubernetes.io/service-account-token') return accountProblems(secret);
  if (type !== 'kubernetes.io/basic-auth') return missing(memberOf(SECRET_KEYS, type) ?? []);
  const problems = missing(['username', 'password']); // one of them will do
  return problems.length === 2 ? problems : [];
}

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

function accountProblems(secret: JsonObject): readonly Problem[] {
  if (objectAt(secret, 'metadata', 'annotations')[ACCOUNT_NAME]) return [];
  return [required(['metadata', 'annotations', mapKey(ACCOUNT_NAME)])];
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
