// The process whose figures count: one informer of pods. Told by arguments what to keep and where the server is.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type ApiObject, PODS } from '@karpenter-ts/kubernetes';
import { Client, HttpsTransport, Informer, keepFields, nullLogger, realClock } from '@karpenter-ts/runtime';
import type { InformerFigures } from './informer.ts';
import { benchPod } from './pods.ts';

const [variant = 'all', server = '', pods = '0', events = '0'] = process.argv.slice(2);

/** What a scheduler reads of a pod; mounts are left out, since their names differ from pod to pod. */
const KEPT = {
  kind: true,
  apiVersion: true,
  metadata: {
    name: true,
    namespace: true,
    uid: true,
    resourceVersion: true,
    creationTimestamp: true,
    deletionTimestamp: true,
    labels: true,
    annotations: true,
    ownerReferences: true,
  },
  spec: {
    nodeName: true,
    containers: { name: true, ports: true, resources: true },
    tolerations: true,
    affinity: true,
    nodeSelector: true,
    topologySpreadConstraints: true,
    volumes: { persistentVolumeClaim: true, ephemeral: true },
    priority: true,
    schedulerName: true,
    terminationGracePeriodSeconds: true,
  },
  status: { phase: true, conditions: { type: true, status: true } },
} as const;

const SHARED = [
  'metadata.labels',
  'metadata.annotations',
  'metadata.ownerReferences',
  'spec.containers',
  'spec.tolerations',
  'spec.affinity',
  'spec.topologySpreadConstraints',
  'spec.volumes',
  'status.conditions',
];

const connection = { server, insecureSkipTlsVerify: false, identity: { kind: 'none' }, impersonation: {} } as const;
const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env: {} });
const client = new Client({ transport, clock: realClock, userAgent: 'karpenter/bench' });
const informer = new Informer<ApiObject>({
  client,
  type: PODS,
  clock: realClock,
  logger: nullLogger,
  ...(variant === 'kept' ? { transform: keepFields<ApiObject>(KEPT), sharedParts: SHARED } : {}),
});

process.on('disconnect', () => process.exit()); // done, or whoever started it is gone

let updates = 0;
const done = Promise.withResolvers<void>();
informer.addHandler({
  onUpdate: () => {
    if (++updates === Number(events)) done.resolve();
  },
});

const duringSync = monitorEventLoopDelay({ resolution: 1 });
duringSync.enable();
const stop = new AbortController();
const atStart = process.cpuUsage();
const running = informer.start(stop.signal);
await informer.waitForSync(AbortSignal.timeout(120_000));
const syncCpuSeconds = secondsSince(atStart);
if (informer.size !== Number(pods)) throw new Error(`${informer.size} pods instead of ${pods}`);

duringSync.disable(); // a forced collection holds the loop and is none of the informer's doing
globalThis.gc?.();
globalThis.gc?.();
const heapMegabytes = process.memoryUsage().heapUsed / 1e6;

const duringEvents = monitorEventLoopDelay({ resolution: 1 });
duringEvents.enable();
const atSync = process.cpuUsage();
process.send?.('synced');
await done.promise;
const eventsCpuSeconds = secondsSince(atSync);
duringEvents.disable();
stop.abort();
await running;
process.send?.({
  syncCpuSeconds,
  heapMegabytes,
  eventsCpuSeconds,
  baselineCpuSeconds: parseEvents(Number(events)),
  loopDelayP999Milliseconds: Math.max(duringSync.percentile(99.9), duringEvents.percentile(99.9)) / 1e6,
  loopDelayMaxMilliseconds: Math.max(duringSync.max, duringEvents.max) / 1e6,
} satisfies InformerFigures);
process.disconnect();

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function parseEvents(count: number): number {
  const lines = Array.from({ length: 100 }, (_, i) => {
    const { metadata, body } = benchPod(i, 1);
    return JSON.stringify({ type: 'MODIFIED', object: { kind: 'Pod', apiVersion: 'v1', metadata, ...body } });
  });
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) JSON.parse(lines[i % lines.length] ?? '');
  return secondsSince(before);
}
