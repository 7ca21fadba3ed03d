import type { JsonObject } from '@karpenter-ts/kubernetes';
import { creating, MERGE, type Script, type ScriptedRequest, STRATEGIC } from './script.ts';

const LONG = 'f'.repeat(129);
const CONFIG_MAPS = '/api/v1/namespaces/NS/configmaps';
const EVENTS = '/api/v1/namespaces/NS/events';
const NEW_EVENTS = '/apis/events.k8s.io/v1/namespaces/NS/events';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/NS/leases';

const OPTIONS: readonly ScriptedRequest[] = [
  ['POST', `${CONFIG_MAPS}?fieldManager=${LONG}`, { metadata: { name: 'a' } }],
  ['POST', `${CONFIG_MAPS}?fieldManager=a%00b&dryRun=Some`, '{'],
  ['POST', `${CONFIG_MAPS}?dryRun=Some`, { metadata: { name: 'a' } }, 'text/plain'],
  ['POST', CONFIG_MAPS, { metadata: { name: 'a', finalizers: ['example.com/a'] } }],
  ['PUT', `${CONFIG_MAPS}/a?fieldManager=${LONG}`, {}],
  ['PUT', `${CONFIG_MAPS}/a?dryRun=Some`, {}, 'text/plain'],
  ['PATCH', `${CONFIG_MAPS}/a?fieldManager=${LONG}`, {}, MERGE],
  ['PATCH', `${CONFIG_MAPS}/a?dryRun=Some`, {}, 'text/plain'],
  ['PATCH', `${CONFIG_MAPS}/a?fieldValidation=Ignore`, '[]', MERGE],
  ['PATCH', `${CONFIG_MAPS}/a?fieldValidation=Ignore`, '[{"a":null},null]', MERGE],
  ['PATCH', `${CONFIG_MAPS}/a?fieldValidation=Ignore`, '"a"', MERGE],
  ['PATCH', `${CONFIG_MAPS}/a`, '[]', MERGE],
  ['PUT', `${CONFIG_MAPS}/missing`, { metadata: { name: 'missing', namespace: 'other' } }],
  ['PUT', `${CONFIG_MAPS}/a`, { metadata: { name: 'a', namespace: 'other', resourceVersion: '1' } }],
  ['PATCH', `${CONFIG_MAPS}/a`, { metadata: { namespace: 'other' } }, MERGE],
  ['PUT', `${CONFIG_MAPS}/a%2Fb`, { metadata: { name: 'a/b' } }],
  ['PUT', `${CONFIG_MAPS}/a`, { apiVersion: '/', kind: 'ConfigMap', metadata: { name: 'a' } }],
  ['DELETE', `${CONFIG_MAPS}/a`, 'null'],
  ['POST', '/api/v1/namespaces/NS/pods/a/eviction', { metadata: { name: 'a', namespace: 'other' } }],
  ['POST', '/api/v1/namespaces/NS/pods/a/binding', { metadata: { name: 'a', namespace: 'other' }, target: {} }],
];

/** What the real server answers with 500. */
const MISJUDGED: readonly ScriptedRequest[] = [
  ['POST', CONFIG_MAPS, { metadata: { name: 'b', resourceVersion: '5' } }],
  ['POST', `${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'b', resourceVersion: 'x' } }],
  ['PUT', `${LEASES}/a`, { metadata: { name: 'a', resourceVersion: 'x' } }],
  ['PUT', `${LEASES}/a`, { metadata: { name: 'a', uid: 'other' } }],
  ['PUT', `${LEASES}/a`, { metadata: { name: 'a', resourceVersion: '5' } }],
  ['PUT', `${LEASES}/a`, { metadata: { name: 'a', resourceVersion: '5' } }],
  ['PUT', `${LEASES}/a`, { metadata: { name: 'a', resourceVersion: 'x' } }],
  [
    'POST',
    '/api/v1/namespaces/NS/pods',
    { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'x' }] } },
  ],
  ['PATCH', '/api/v1/namespaces/NS/pods/p', { spec: { containers: [{ image: 'y' }] } }, STRATEGIC],
  ['POST', '/api/v1/namespaces/NS/pods/p/binding', { metadata: { name: 'p' }, target: { kind: 'Pod' } }],
];

const EVENT: JsonObject = { involvedObject: { namespace: 'NS' }, reason: 'Tested' };
const NEW_EVENT: JsonObject = {
  regarding: { namespace: 'NS' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'example.com/a',
  reportingInstance: 'a-0',
  action: 'Test',
  reason: 'Tested',
  type: 'Normal',
};
const named = (name: string, event: JsonObject, more: JsonObject = {}): JsonObject => ({
  metadata: { name },
  ...event,
  ...more,
});

const EVENT_REQUESTS: readonly ScriptedRequest[] = [
  ...creating(EVENTS, [
    named('Not_Dns', EVENT),
    named('a%b', EVENT),
    { ...named('a', EVENT), metadata: { name: 'a', finalizers: ['x'] } },
    named('a', EVENT, { eventTime: '2026-01-01T00:00:00.000000Z', reason: 'r'.repeat(129), message: 'm'.repeat(1025) }),
    named('a', EVENT, { eventTime: '2026-01-01T00:00:00.000000Z', reportingComponent: 'a b', action: 'a'.repeat(129) }),
  ]),
  ...creating(NEW_EVENTS, [
    named('Not_Dns', NEW_EVENT),
    named('a', NEW_EVENT, { eventTime: null, type: 'Loud' }),
    named('a', NEW_EVENT, { series: { count: 1 } }),
    named('a', NEW_EVENT, { deprecatedCount: 1, deprecatedSource: { host: 'a' }, regarding: {} }),
    named('a', NEW_EVENT, {
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
    }),
    named('a', NEW_EVENT, { reportingController: '', reportingInstance: '', action: '', reason: '' }),
  ]),
  ['POST', NEW_EVENTS, named('a', NEW_EVENT)],
  ['PATCH', `${NEW_EVENTS}/a`, { reason: 'Other', note: 'n', type: 'Warning', reportingController: 'b' }, MERGE],
  ['PATCH', `${NEW_EVENTS}/a`, { series: { count: 1, lastObservedTime: null } }, MERGE],
  ['PATCH', `${NEW_EVENTS}/a`, { metadata: { labels: { a: 'b' } } }, MERGE],
];

const CSI = { driver: 'd', volumeHandle: 'h' };
const VOLUME = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const volume = (spec: JsonObject): JsonObject => ({ metadata: { name: 'NS' }, spec: { ...VOLUME, ...spec } });
const claim = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'a' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const drivers = (...list: readonly JsonObject[]): JsonObject => ({ metadata: { name: 'NS' }, spec: { drivers: list } });

const STORAGE: readonly ScriptedRequest[] = [
  ...creating('/api/v1/persistentvolumes', [
    volume({ csi: { ...CSI, driver: 'A_b' } }),
    volume({ csi: { ...CSI, driver: '' } }),
    volume({ csi: { ...CSI, driver: 'd'.repeat(64) } }),
    volume({ csi: { driver: 'd' } }),
    volume({ csi: CSI, hostPath: { path: '/a' } }),
    volume({ local: { path: '/a/../b' } }),
    volume({ local: { path: '' }, nodeAffinity: {} }),
    volume({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    volume({ hostPath: { path: '/a', type: 'Wrong' } }),
    volume({ csi: CSI, storageClassName: 'A b' }),
    volume({ csi: CSI, capacity: { storage: '0', cpu: '1' } }),
    volume({ csi: CSI, accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
  ]),
  ['POST', '/api/v1/persistentvolumes', volume({ csi: CSI })],
  ['PATCH', '/api/v1/persistentvolumes/NS', { spec: { csi: { volumeHandle: 'other' } } }, MERGE],
  ['PATCH', '/api/v1/persistentvolumes/NS', { spec: { volumeMode: 'Block' } }, MERGE],
  ['PATCH', '/api/v1/persistentvolumes/NS', { spec: { storageClassName: 'other' } }, MERGE],
  ['PATCH', '/api/v1/persistentvolumes/NS', { metadata: { finalizers: null } }, MERGE],
  ['DELETE', '/api/v1/persistentvolumes/NS'],
  ...creating('/api/v1/namespaces/NS/persistentvolumeclaims', [
    claim({ storageClassName: 'A b' }),
    claim({ volumeMode: '' }),
    claim({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }),
    claim({ resources: { requests: { storage: '-1' } } }),
  ]),
  ...creating('/apis/storage.k8s.io/v1/storageclasses', [
    { metadata: { name: 'NS' }, provisioner: 'a', reclaimPolicy: '' },
    { metadata: { name: 'NS' }, provisioner: 'a', volumeBindingMode: '' },
  ]),
  ...creating('/apis/storage.k8s.io/v1/csinodes', [
    drivers({ name: 'A b', nodeID: 'n', topologyKeys: ['zone', 'zone', '-'] }),
    drivers({ name: 'd', nodeID: 'n' }, { name: 'd', nodeID: 'n'.repeat(257), allocatable: { count: -1 } }),
    drivers({ name: '', nodeID: '' }),
  ]),
  ['POST', '/apis/storage.k8s.io/v1/csinodes', drivers({ name: 'd', nodeID: 'n', allocatable: { count: 1 } })],
  ['PATCH', '/apis/storage.k8s.io/v1/csinodes/NS', { spec: { drivers: [{ name: 'd', nodeID: 'n', allocatable: { count: 2 } }] } }, STRATEGIC],
  ['DELETE', '/apis/storage.k8s.io/v1/csinodes/NS'],
  ...creating('/apis/storage.k8s.io/v1/volumeattachments', [
    { metadata: { name: 'NS' }, spec: { attacher: 'A b', nodeName: 'n', source: { persistentVolumeName: 'a/b' } } },
    { metadata: { name: 'NS' }, spec: { attacher: 'd', nodeName: 'N', source: {} } },
  ]),
]; // biome-ignore format: a request a line

const KINDS: readonly ScriptedRequest[] = [
  ...creating('/apis/policy/v1/namespaces/NS/poddisruptionbudgets', [
    { metadata: { name: 'Not_Dns', finalizers: ['x'] }, spec: { minAvailable: 1 } },
    { metadata: { name: 'a/b' }, spec: { minAvailable: 1 } },
  ]),
  ...creating(LEASES, [{ metadata: { name: 'b', finalizers: ['x'] } }]),
  ...creating('/apis/scheduling.k8s.io/v1/priorityclasses', [{ metadata: { name: 'NS' }, value: 1, preemptionPolicy: '' }]),
  ...creating('/api/v1/nodes', [
    { metadata: { name: 'NS' }, status: { capacity: { cpu: '-1', 'example.com/gpu': '1500m' } } },
  ]),
  ...creating('/api/v1/namespaces', [{ metadata: { name: 'NS-x' }, spec: { finalizers: ['x', 'A b'] } }]),
  ...creating(CONFIG_MAPS, [
    { metadata: { name: 'b', generation: -1 } },
    { metadata: { name: 'b' }, binaryData: { a: [1, 2, null] } },
    { metadata: { name: 'b' }, binaryData: { a: [256] } },
    { metadata: { name: 'b' }, binaryData: { a: ['x'] } },
  ]),
  ...creating('/api/v1/namespaces/NS/secrets', [
    { metadata: { name: 'b' }, type: 'kubernetes.io/basic-auth', data: { username: '' } },
    { metadata: { name: 'b' }, type: 'kubernetes.io/basic-auth' },
    { metadata: { name: 'b' }, type: 'kubernetes.io/ssh-auth' },
    { metadata: { name: 'b' }, type: 'kubernetes.io/service-account-token' },
    { metadata: { name: 'b', annotations: { 'kubernetes.io/service-account.name': 'a' } }, type: 'kubernetes.io/service-account-token' },
  ]),
  ...creating('/apis/apps/v1/namespaces/NS/statefulsets', [
    {
      metadata: { name: 'a.b' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'x' }] } } },
    },
  ]),
  ['POST', '/api/v1/namespaces/NS/services', { metadata: { name: 'b' }, spec: { selector: { a: 'b' }, ports: [{ port: 80 }] } }],
  ['PATCH', '/api/v1/namespaces/NS/services/b', { spec: { clusterIP: 'None', clusterIPs: ['None'] } }, MERGE],
]; // biome-ignore format: a request a line

/** Images by what is pulled when: only the first have no tag. */
const IMAGES = [
  'x',
  'a.b/c',
  'a:5000/b',
  'Host/b',
  'Upper',
  'a/Upper',
  'a:latest',
  'a:1',
  'a@sha256:0',
  'a b',
  'a_b.c/d-e',
];
const pull = (image: string): JsonObject => ({ metadata: { name: 'i' }, spec: { containers: [{ name: 'a', image }] } });

/** Requests that are refused for small reasons, found by fuzzing. */
export const refusalScript: Script = {
  name: 'refusals',
  requests: [
    ...OPTIONS,
    ...MISJUDGED,
    ...EVENT_REQUESTS,
    ...STORAGE,
    ...KINDS,
    ...creating('/api/v1/namespaces/NS/pods', IMAGES.map(pull)),
  ],
};
