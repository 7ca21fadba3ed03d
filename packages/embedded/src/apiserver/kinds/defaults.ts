// The API defaults, struct by struct: a default applies wherever its struct occurs, in a pod as in a pod template.
import type { Json } from '@karpenter-ts/kubernetes';
import { isJsonObject } from '../json-value.ts';
import { scalarText } from '../object.ts';

/** An object that is being defaulted. */
export type Draft = Record<string, Json | undefined>;

/** Completes a freshly read struct of this type. */
export function setDefaults(type: string, draft: Draft): void {
  DEFAULTS.get(type)?.(draft);
}

/** Sets what is missing. Empty text is there only if it means something, and stays. */
function fill(draft: Draft, values: Draft): void {
  for (const name of Object.keys(values)) draft[name] ??= values[name];
}

/** A nested object to change; the caller puts it back. */
function part(draft: Draft, name: string): Draft {
  const value = draft[name];
  return isJsonObject(value) ? { ...value } : {};
}

/** Changes a nested object. */
function change(draft: Draft, name: string, edit: (nested: Draft) => void): void {
  const nested = part(draft, name);
  edit(nested);
  draft[name] = nested;
}

function changeEach(draft: Draft, name: string, edit: (item: Draft) => void): void {
  const list = draft[name];
  if (!Array.isArray(list)) return;
  draft[name] = (list as readonly Json[]).map((item) => {
    const copy = { ...(item as Draft) };
    edit(copy);
    return copy;
  });
}

const simply =
  (values: Draft) =>
  (draft: Draft): void =>
    fill(draft, values);

const FILE_MODE = 0o644;

const DEFAULTS: ReadonlyMap<string, (draft: Draft) => void> = new Map([
  // Pods
  ['core.Pod', defaultPod],
  ['core.PodSpec', defaultPodSpec],
  ['core.Container', defaultContainer],
  ['core.EphemeralContainer', defaultContainer],
  ['core.ContainerPort', simply({ protocol: 'TCP' })],
  ['core.Probe', simply({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 })],
  ['core.HTTPGetAction', simply({ path: '/', scheme: 'HTTP' })],
  ['core.GRPCAction', (draft) => void (draft['service'] ??= '')],
  ['core.ObjectFieldSelector', simply({ apiVersion: 'v1' })],
  ['core.Volume', defaultVolume],
  ['core.SecretVolumeSource', simply({ defaultMode: FILE_MODE })],
  ['core.ConfigMapVolumeSource', simply({ defaultMode: FILE_MODE })],
  ['core.DownwardAPIVolumeSource', simply({ defaultMode: FILE_MODE })],
  ['core.ProjectedVolumeSource', simply({ defaultMode: FILE_MODE })],
  ['core.ServiceAccountTokenProjection', simply({ expirationSeconds: 3600 })],
  ['core.HostPathVolumeSource', (draft) => void (draft['type'] ??= '')],
  // The rest of the core group
  ['core.Namespace', defaultNamespace],
  ['core.NamespaceStatus', simply({ phase: 'Active' })],
  ['core.NodeSpec', (draft) => draft['podCIDR'] && fill(draft, { podCIDRs: [draft['podCIDR']] })],
  ['core.NodeStatus', (draft) => draft['capacity'] && fill(draft, { allocatable: draft['capacity'] })],
  ['core.PersistentVolumeSpec', simply({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' })],
  ['core.PersistentVolumeStatus', simply({ phase: 'Pending' })],
  ['core.PersistentVolumeClaimSpec', simply({ volumeMode: 'Filesystem' })],
  ['core.PersistentVolumeClaimStatus', simply({ phase: 'Pending' })],
  ['core.ReplicationController', defaultReplicationController],
  ['core.ReplicationControllerSpec', simply({ replicas: 1 })],
  ['core.Secret', defaultSecret],
  ['core.ServiceSpec', defaultServiceSpec],
  ['core.ServicePort', defaultServicePort],
  ['core.EndpointPort', simply({ protocol: 'TCP' })],
  ['core.LimitRangeItem', defaultLimitRangeItem],
  // Workloads
  ['apps.DeploymentSpec', defaultDeploymentSpec],
  ['apps.ReplicaSetSpec', simply({ replicas: 1 })],
  ['apps.StatefulSetSpec', defaultStatefulSetSpec],
  ['apps.DaemonSetSpec', defaultDaemonSetSpec],
  ['batch.Job', defaultJob],
  ['batch.JobSpec', defaultJobSpec],
  ['batch.PodFailurePolicyOnPodConditionsPattern', (draft) => void (draft['status'] ||= 'True')],
  // Others
  ['storage.StorageClass', simply({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' })],
  ['storage.CSIDriverSpec', defaultCsiDriverSpec],
  ['scheduling.PriorityClass', simply({ preemptionPolicy: 'PreemptLowerPriority' })],
  ['rbac.RoleRef', (draft) => void (draft['apiGroup'] ||= 'rbac.authorization.k8s.io')],
  [
    'rbac.Subject',
    (draft) => draft['kind'] !== 'ServiceAccount' && fill(draft, { apiGroup: 'rbac.authorization.k8s.io' }),
  ],
  ['apiextensions.CustomResourceDefinitionSpec', simply({ conversion: { strategy: 'None' } })],
  ['apiextensions.CustomResourceDefinitionNames', defaultCrdNames],
]);

function defaultPod(pod: Draft): void {
  change(pod, 'spec', (spec) => {
    fill(spec, { enableServiceLinks: true });
    for (const list of ['containers', 'initContainers']) {
      changeEach(spec, list, (container) => {
        const { limits, requests } = part(container, 'resources');
        if (isJsonObject(limits)) {
          change(container, 'resources', (resources) => {
            resources['requests'] = { ...limits, ...(isJsonObject(requests) ? requests : {}) };
          });
        }
        if (spec['hostNetwork'] === true) {
          changeEach(container, 'ports', (port) => fill(port, { hostPort: port['containerPort'] }));
        }
      });
    }
  });
}

function defaultPodSpec(spec: Draft): void {
  fill(spec, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  });
  if ((spec['terminationGracePeriodSeconds'] as number) < 0) spec['terminationGracePeriodSeconds'] = 1;
  // The old name of a field and its new one are always written together.
  const account = spec['serviceAccountName'] ?? spec['serviceAccount'];
  if (account !== undefined) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
}

function defaultContainer(container: Draft): void {
  fill(container, {
    imagePullPolicy: isLatest(container['image']) ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
}

/** An image without tag and digest is the latest one, if it is an image at all. */
function isLatest(image: Json | undefined): boolean {
  if (typeof image !== 'string' || image.length > IMAGE_CHARACTERS || image.includes('@')) return false;
  const { repository, tag } = IMAGE.exec(image)?.groups ?? {};
  return repository !== undefined && (tag === undefined || tag === 'latest');
}

const IMAGE_CHARACTERS = 255 + 1 + 128; // a repository, a colon, a tag

/** A host stands in front if it looks like one: it has a dot, a port or capitals. The rest must be in lower case. */
const IMAGE =
  /^(?:(?:[a-zA-Z0-9-]*[.:A-Z][a-zA-Z0-9.:-]*|localhost)\/)?(?<repository>[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::(?<tag>\w[\w.-]*))?$/;

function defaultVolume(volume: Draft): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume['emptyDir'] = {};
}

function defaultNamespace(namespace: Draft): void {
  const { name } = part(namespace, 'metadata');
  if (name === undefined || name === '') return;
  change(namespace, 'metadata', (metadata) => {
    metadata['labels'] = { ...part(metadata, 'labels'), 'kubernetes.io/metadata.name': name };
  });
}

function defaultReplicationController(controller: Draft): void {
  const template = part(part(controller, 'spec'), 'template');
  const { labels } = part(template, 'metadata');
  if (!isJsonObject(labels)) return;
  change(controller, 'spec', (spec) => fill(spec, { selector: labels }));
  change(controller, 'metadata', (metadata) => fill(metadata, { labels }));
}

/** Text may be sent as it is; it is kept encoded. */
function defaultSecret(secret: Draft): void {
  fill(secret, { type: 'Opaque' });
  const texts = Object.entries(part(secret, 'stringData'));
  delete secret['stringData'];
  if (texts.length === 0) return;
  const encoded = texts.map(([key, text]) => [key, Buffer.from(scalarText(text)).toString('base64')]);
  secret['data'] = { ...part(secret, 'data'), ...(Object.fromEntries(encoded) as Draft) };
}

function defaultServiceSpec(spec: Draft): void {
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  const isExternal = spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  else fill(spec, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } });
  if (isExternal) fill(spec, { externalTrafficPolicy: 'Cluster' });
  if (spec['type'] !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
  if (spec['type'] === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
}

function defaultServicePort(port: Draft): void {
  fill(port, { protocol: 'TCP' });
  if (port['targetPort'] === 0 || port['targetPort'] === '') port['targetPort'] = port['port'];
}

function defaultLimitRangeItem(item: Draft): void {
  if (item['type'] !== 'Container') return;
  const limits = { ...part(item, 'max'), ...part(item, 'default') };
  const requests = { ...part(item, 'min'), ...limits, ...part(item, 'defaultRequest') };
  if (Object.keys(limits).length > 0) item['default'] = limits;
  if (Object.keys(requests).length > 0) item['defaultRequest'] = requests;
}

function defaultDeploymentSpec(spec: Draft): void {
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  defaultRollingUpdate(spec, 'strategy', { maxUnavailable: '25%', maxSurge: '25%' });
}

function defaultDaemonSetSpec(spec: Draft): void {
  fill(spec, { revisionHistoryLimit: 10 });
  defaultRollingUpdate(spec, 'updateStrategy', { maxUnavailable: 1, maxSurge: 0 });
}

function defaultStatefulSetSpec(spec: Draft): void {
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' });
  const { type, rollingUpdate } = part(spec, 'updateStrategy');
  // A type without the details is left without them: only who names neither gets both.
  if (!type || rollingUpdate) defaultRollingUpdate(spec, 'updateStrategy', { partition: 0 });
  change(spec, 'persistentVolumeClaimRetentionPolicy', simply({ whenDeleted: 'Retain', whenScaled: 'Retain' }));
  changeEach(spec, 'volumeClaimTemplates', (claim) => fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' }));
}

function defaultRollingUpdate(spec: Draft, field: string, values: Draft): void {
  change(spec, field, (strategy) => {
    fill(strategy, { type: 'RollingUpdate' });
    if (strategy['type'] === 'RollingUpdate') change(strategy, 'rollingUpdate', simply(values));
  });
}

function defaultJob(job: Draft): void {
  const { labels } = part(part(part(job, 'spec'), 'template'), 'metadata');
  if (labels !== undefined) change(job, 'metadata', (metadata) => fill(metadata, { labels }));
}

function defaultJobSpec(spec: Draft): void {
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  fill(spec, {
    parallelism: 1,
    backoffLimit: spec['backoffLimitPerIndex'] === undefined ? 6 : 2 ** 31 - 1,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
}

function defaultCsiDriverSpec(spec: Draft): void {
  fill(spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  });
}

function defaultCrdNames(names: Draft): void {
  const { kind } = names;
  if (typeof kind === 'string' && kind !== '') fill(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
}
