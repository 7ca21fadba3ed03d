import { isIP } from 'node:net';
import {
  compareQuantities,
  type Json,
  type JsonObject,
  memberOf,
  milliUnitsOf,
  parseQuantity,
  qualifiedNameProblems,
} from '@karpenter-ts/kubernetes';
import {
  duplicate,
  forbiddenField,
  InnerForm,
  invalidValue,
  notThere,
  type Problem,
  required,
} from '../../field-errors.ts';
import { isJsonObject } from '../../json-value.ts';
import { scalarText } from '../../object.ts';
import {
  all,
  atLeast,
  dnsLabel,
  dnsName,
  entriesOf,
  itemsOf,
  labelKey,
  labels,
  needs,
  oneOf,
  type Path,
  type StructRules,
  shaped,
  unique,
  within,
} from './struct-rule.ts';

const MAX_INT32 = 2 ** 31 - 1;
const IDS = ['runAsUser', 'runAsGroup', 'fsGroup'];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

const container = all(
  needs('name', 'image'),
  shaped(dnsLabel, 'name'),
  oneOf('terminationMessagePolicy', 'File', 'FallbackToLogsOnError'),
  oneOf('imagePullPolicy', 'Always', 'IfNotPresent', 'Never'),
  unique('ports', 'name'),
);

/** What pods are made of. */
export const POD_RULES: StructRules = {
  'core.PodSpec': all(
    needs('containers'),
    unique('volumes', 'name'),
    containerNameProblems,
    mountProblems,
    oneOf('restartPolicy', 'Always', 'OnFailure', 'Never'),
    oneOf('dnsPolicy', 'ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'),
    oneOf('preemptionPolicy', 'PreemptLowerPriority', 'Never'),
    labels('nodeSelector'),
    shaped(dnsName, 'serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'),
    shaped(dnsLabel, 'hostname', 'subdomain'),
    within('activeDeadlineSeconds', 1, MAX_INT32),
    gateProblems,
    repeatedSpreadProblems,
    dnsConfigProblems,
    (spec, path) =>
      itemsOf(spec, 'readinessGates').flatMap((gate, i) =>
        labelKey('conditionType')(gate, [...path, 'readinessGates', i]),
      ),
    osProblems,
  ),
  'core.HostAlias': shaped(addressProblems, 'ip'),
  'core.PodDNSConfig': (config, path) =>
    ((config['nameservers'] ?? []) as readonly string[]).flatMap((server, i) =>
      addressProblems(server).map((problem) => invalidValue([...path, 'nameservers', i], server, problem)),
    ),
  'core.PodSecurityContext': all(...IDS.map((id) => within(id, 0, MAX_INT32))),
  'core.SecurityContext': all(...IDS.map((id) => within(id, 0, MAX_INT32))),
  'core.PodResourceClaim': volumeClaimProblems,
  'core.PodTemplateSpec': (template, path) => {
    const metadata = template['metadata'];
    return isJsonObject(metadata) ? labels('labels')(metadata, [...path]) : [];
  },
  'core.Container': container,
  'core.ContainerPort': all(
    (port, path) =>
      port['containerPort'] ? within('containerPort', 1, 65535)(port, path) : [required([...path, 'containerPort'])],
    (port, path) => (port['hostPort'] ? within('hostPort', 1, 65535)(port, path) : []),
    oneOf('protocol', 'SCTP', 'TCP', 'UDP'),
    shaped(portNameProblems, 'name'),
  ),
  'core.EnvVar': needs('name'),
  'core.VolumeMount': needs('name', 'mountPath'),
  'core.Volume': all(needs('name'), shaped(dnsLabel, 'name'), volumeSourceProblems),
  'core.PersistentVolumeClaimVolumeSource': needs('claimName'),
  'core.SecretVolumeSource': needs('secretName'),
  'core.ConfigMapVolumeSource': needs('name'),
  'core.Probe': all(
    (probe, path) =>
      HANDLERS.some((handler) => probe[handler] !== undefined) ? [] : [required(path, 'must specify a handler type')],
    atLeast(0, 'initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'),
  ),
  'core.ResourceRequirements': resourceProblems,
};

function portNameProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

function volumeSourceProblems(volume: JsonObject, path: Path): readonly Problem[] {
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  return sources.slice(1).map((source) => forbiddenField([...path, source], 'may not specify more than 1 volume type'));
}

function containerNameProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const seen = new Set<Json | undefined>();
  return ['containers', 'initContainers'].flatMap((list) =>
    itemsOf(spec, list).flatMap(({ name = '' }, index) => {
      const isRepeated = seen.has(name);
      seen.add(name);
      return isRepeated ? [duplicate([...path, list, index, 'name'], name)] : [];
    }),
  );
}

function addressProblems(text: string): readonly string[] {
  return isIP(text) > 0 ? [] : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
}

function dnsConfigProblems({ dnsPolicy, dnsConfig }: JsonObject, path: Path): readonly Problem[] {
  if (dnsPolicy !== 'None' || dnsConfig !== undefined) return [];
  return [required([...path, 'dnsConfig'], 'must provide `dnsConfig` when `dnsPolicy` is None')];
}

function osProblems({ os }: JsonObject, path: Path): readonly Problem[] {
  return isJsonObject(os) ? oneOf('os', 'linux', 'windows')({ os: os['name'] }, path) : [];
}

function volumeClaimProblems(claim: JsonObject, path: Path): readonly Problem[] {
  const { name = '', resourceClaimName = null, resourceClaimTemplateName = null } = claim;
  if (resourceClaimName !== null || resourceClaimTemplateName !== null) return [];
  const shown = new InnerForm({ Name: name, ResourceClaimName: null, ResourceClaimTemplateName: null });
  return [invalidValue(path, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')];
}

/** Mounts name volumes of the pod, each at a path of its own. */
function mountProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const volumes = new Set(itemsOf(spec, 'volumes').map(({ name }) => name));
  return ['containers', 'initContainers'].flatMap((list) =>
    itemsOf(spec, list).flatMap((one, index) => {
      const paths = new Set<Json | undefined>();
      return itemsOf(one, 'volumeMounts').flatMap((mount, at) => {
        const place = [...path, list, index, 'volumeMounts', at];
        const { name = '', mountPath = '' } = mount;
        const problems = volumes.has(name) ? [] : [notThere([...place, 'name'], name)];
        if (paths.has(mountPath)) problems.push(invalidValue([...place, 'mountPath'], mountPath, 'must be unique'));
        paths.add(mountPath);
        return problems;
      });
    }),
  );
}

function gateProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const seen = new Set<Json | undefined>();
  return itemsOf(spec, 'schedulingGates').flatMap(({ name = '' }, index) => {
    const place = [...path, 'schedulingGates', index];
    const problems = qualifiedNameProblems(name as string).map((problem) => invalidValue(place, name, problem));
    if (seen.has(name)) problems.push(duplicate(place, name));
    seen.add(name);
    return problems;
  });
}

function repeatedSpreadProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const constraints = itemsOf(spec, 'topologySpreadConstraints');
  const keys = constraints.map(
    ({ topologyKey, whenUnsatisfiable }) => `{${scalarText(topologyKey)}, ${scalarText(whenUnsatisfiable)}}`,
  );
  return keys.flatMap((key, index) =>
    keys.includes(key, index + 1)
      ? [duplicate([...path, 'topologySpreadConstraints', index, '{topologyKey, whenUnsatisfiable}'], key)]
      : [],
  );
}

const STANDARD: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Standard, too, but of other things than containers. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'storage',
  'pods',
  'services',
  'secrets',
  'configmaps',
  'requests.cpu',
  'limits.cpu',
  'requests.memory',
  'limits.memory',
]);

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

/** Devices and huge pages are not overcommitted: a container gets exactly what it asks for. */
const isExact = (name: string): boolean =>
  isHugePages(name) || (name.includes('/') && !name.includes('kubernetes.io/'));

function resourceProblems(requirements: JsonObject, path: Path): readonly Problem[] {
  const limits = requirements['limits'];
  const problems: Problem[] = hugePageProblems(requirements, path);
  for (const [name, quantity, place] of entriesOf(requirements, 'limits', path)) {
    problems.push(...resourceNameProblems(name, place), ...amountProblems(name, quantity, place));
  }
  for (const [name, quantity, place] of entriesOf(requirements, 'requests', path)) {
    problems.push(...resourceNameProblems(name, place), ...amountProblems(name, quantity, place));
    const limit = isJsonObject(limits) ? memberOf(limits, name) : undefined;
    if (limit === undefined) {
      const why = 'Limit must be set for non overcommitable resources';
      if (isExact(name)) problems.push(required([...path, 'limits'], why));
      continue;
    }
    if (limit === quantity) continue;
    const order = compareQuantities(parseQuantity(quantity), parseQuantity(limit as string));
    if (order === 0 || (order < 0 && !isExact(name))) continue;
    const relation = isExact(name) ? 'equal to' : 'less than or equal to';
    problems.push(
      invalidValue([...path, 'requests'], quantity, `must be ${relation} ${name} limit of ${scalarText(limit)}`),
    );
  }
  return problems;
}

function hugePageProblems({ limits, requests }: JsonObject, path: Path): Problem[] {
  const names = [limits, requests].flatMap((list) => (isJsonObject(list) ? Object.keys(list) : []));
  const isAlone = names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory');
  return isAlone ? [forbiddenField(path, 'HugePages require cpu or memory')] : [];
}

function resourceNameProblems(name: string, place: Path): readonly Problem[] {
  const wrong = qualifiedNameProblems(name);
  const isPlain = !name.includes('/');
  const elsewhere = invalidValue(place, name, 'must be a standard resource for containers');
  if (wrong.length > 0) {
    return [...wrong.map((problem) => invalidValue(place, name, problem)), ...(isPlain ? [elsewhere] : [])];
  }
  if (!isPlain || STANDARD.has(name) || isHugePages(name)) return [];
  const unknown = invalidValue(place, name, 'must be a standard resource type or fully qualified');
  return ELSEWHERE.has(name) ? [elsewhere] : [unknown, elsewhere];
}

/** What is wrong with how much there is of a resource. */
export function amountProblems(name: string, quantity: string, place: Path): readonly Problem[] {
  if (!quantity.startsWith('-') && !name.includes('/')) return [];
  const milli = milliUnitsOf(parseQuantity(quantity));
  const problems = milli < 0n ? [invalidValue(place, quantity, 'must be greater than or equal to 0')] : [];
  if (name.includes('/') && milli % 1000n !== 0n) problems.push(invalidValue(place, quantity, 'must be an integer'));
  return problems;
}
