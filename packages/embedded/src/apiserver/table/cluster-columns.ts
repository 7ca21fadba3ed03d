import { canonicalQuantity, type JsonObject } from '@karpenter-ts/kubernetes';
import { type KubeObject, listAt, objectAt, textAt } from '../object.ts';
import { AGE, type Column, column, flag, formatLabels, integer, NAME, numberAt, wide } from './column.ts';
import { EVENT_COLUMNS } from './event-columns.ts';

const info = (field: string) => (node: KubeObject) => textAt(node, 'status', 'nodeInfo', field) || '<unknown>';
const size = (object: KubeObject, ...fields: readonly string[]): number =>
  fields.reduce((sum, field) => sum + Object.keys(objectAt(object, field)).length, 0);

const BINDING_COLUMNS: readonly Column[] = [
  NAME,
  column('Role', (object) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`),
  AGE,
  wide('Users', (object) => subjectsOf(object, 'User')),
  wide('Groups', (object) => subjectsOf(object, 'Group')),
  wide('ServiceAccounts', (object) => subjectsOf(object, 'ServiceAccount')),
];

/** The columns of the other kinds, by kind. */
export const CLUSTER_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  ClusterRoleBinding: BINDING_COLUMNS,
  ConfigMap: [NAME, column('Data', (object) => size(object, 'data', 'binaryData')), AGE],
  Endpoints: [NAME, column('Endpoints', endpointsOf), AGE],
  Event: EVENT_COLUMNS,
  Lease: [NAME, column('Holder', (object) => textAt(object, 'spec', 'holderIdentity')), AGE],
  Namespace: [NAME, column('Status', (object) => textAt(object, 'status', 'phase')), AGE],
  Node: [
    NAME,
    column('Status', nodeStatus),
    column('Roles', rolesOf),
    AGE,
    column('Version', (object) => textAt(object, 'status', 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', (object) => addressOf(object, 'InternalIP')),
    wide('External-IP', (object) => addressOf(object, 'ExternalIP')),
    wide('OS-Image', info('osImage')),
    wide('Kernel-Version', info('kernelVersion')),
    wide('Container-Runtime', info('containerRuntimeVersion')),
  ],
  PriorityClass: [
    NAME,
    integer('Value', (object) => numberAt(object, 'value')),
    flag('Global-Default', (object) => object['globalDefault'] === true),
    AGE,
    column('PreemptionPolicy', (object) => textAt(object, 'preemptionPolicy')),
  ],
  ResourceQuota: [
    NAME,
    column('Request', (object) => usage(object, (name) => !name.startsWith('limits.'))),
    column('Limit', (object) => usage(object, (name) => name.startsWith('limits.'))),
    AGE,
  ],
  RoleBinding: BINDING_COLUMNS,
  Secret: [
    NAME,
    column('Type', (object) => textAt(object, 'type')),
    column('Data', (object) => size(object, 'data')),
    AGE,
  ],
  Service: [
    NAME,
    column('Type', (object) => textAt(object, 'spec', 'type')),
    column('Cluster-IP', (object) => textsIn(objectAt(object, 'spec'), 'clusterIPs')[0] ?? '<none>'),
    column('External-IP', externalIpOf),
    column('Port(s)', (object) => listAt(object, 'spec', 'ports').map(formatPort).join(',') || '<none>'),
    AGE,
    wide('Selector', (object) => formatLabels(objectAt(object, 'spec', 'selector'))),
  ],
  ServiceAccount: [NAME, AGE],
};

function nodeStatus(node: KubeObject): string {
  const ready = listAt(node, 'status', 'conditions').findLast(({ type }) => type === 'Ready');
  const status = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return objectAt(node, 'spec')['unschedulable'] === true ? `${status},SchedulingDisabled` : status;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function rolesOf({ metadata }: KubeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX)) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === 'kubernetes.io/role') roles.add(value);
  }
  roles.delete('');
  return [...roles].sort().join(',') || '<none>';
}

function addressOf(node: KubeObject, kind: string): string {
  const address = listAt(node, 'status', 'addresses').find(({ type }) => type === kind);
  return address === undefined ? '<none>' : textAt(address, 'address');
}

function externalIpOf(service: KubeObject): string {
  const external = textsIn(objectAt(service, 'spec'), 'externalIPs');
  switch (textAt(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer': {
      const ingress = listAt(service, 'status', 'loadBalancer', 'ingress');
      const balanced = new Set(ingress.map((entry) => textAt(entry, 'ip') || textAt(entry, 'hostname')));
      balanced.delete('');
      return [...[...balanced].sort(), ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function formatPort(port: JsonObject): string {
  const nodePort = numberAt(port, 'nodePort');
  return `${numberAt(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textAt(port, 'protocol')}`;
}

const MAX_ENDPOINTS = 3;

function endpointsOf(object: KubeObject): string {
  const subsets = listAt(object, 'subsets');
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap((subset) => {
    const addresses = listAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
    const ports = listAt(subset, 'ports').map((port) => numberAt(port, 'port'));
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)));
  });
  const shown = all.slice(0, MAX_ENDPOINTS).join(',');
  return all.length > MAX_ENDPOINTS ? `${shown} + ${all.length - MAX_ENDPOINTS} more...` : shown;
}

function usage(quota: KubeObject, isShown: (resource: string) => boolean): string {
  const used = objectAt(quota, 'status', 'used');
  const hard = objectAt(quota, 'status', 'hard');
  const names = Object.keys(hard).filter(isShown).sort();
  return names.map((name) => `${name}: ${amount(used, name)}/${amount(hard, name)}`).join(', ');
}

const amount = (resources: JsonObject, name: string): string => canonicalQuantity(textAt(resources, name) || '0');

function subjectsOf(binding: KubeObject, kind: string): string {
  const subjects = listAt(binding, 'subjects').filter((subject) => subject['kind'] === kind);
  return subjects
    .map(
      (subject) => `${kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/` : ''}${textAt(subject, 'name')}`,
    )
    .join(', ');
}

function textsIn(object: JsonObject, field: string): readonly string[] {
  const list = object[field];
  return Array.isArray(list) ? (list as readonly string[]) : [];
}
