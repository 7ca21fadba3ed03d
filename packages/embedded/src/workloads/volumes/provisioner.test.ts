import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Client, isNotFound, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { startCluster } from '../../cluster.ts';
import { simulatedNode } from '../../simulated-node.ts';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  STORAGE_CLASSES,
  type StorageClass,
} from '@karpenter-ts/kubernetes';
import { SIMULATED_PROVISIONER } from './provisioner.ts';

const ZONE = 'topology.kubernetes.io/zone';

interface ProvisionerEnvironment {
  readonly client: Client;
  readonly clock: VirtualClock;
}

/** A cluster with a node in each of two zones and a class of each binding mode. */
async function startEnvironment(t: TestContext): Promise<ProvisionerEnvironment> {
  const clock = new VirtualClock();
  const nodes = ['zone-a', 'zone-b'].map((zone) => simulatedNode({ name: `node-${zone}`, zone }));
  const { client, stop } = await startCluster({ clock, seed: 1, nodes });
  t.after(() => clock.runUntil(stop()));
  for (const volumeBindingMode of ['Immediate', 'WaitForFirstConsumer']) {
    const storageClass: StorageClass = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: volumeBindingMode.toLowerCase() },
      provisioner: SIMULATED_PROVISIONER,
      volumeBindingMode,
    };
    await client.create(STORAGE_CLASSES, storageClass);
  }
  await clock.advance(2 * SECOND);
  return { client, clock };
}

async function createVolumeClaim(
  { client, clock }: ProvisionerEnvironment,
  name: string,
  storageClassName: string,
): Promise<void> {
  const volumeClaim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '4Gi' } } },
  };
  await client.create(PERSISTENT_VOLUME_CLAIMS, volumeClaim);
  await clock.advance(2 * SECOND);
}

async function volumeOf(
  { client }: ProvisionerEnvironment,
  volumeClaim: string,
): Promise<PersistentVolume | undefined> {
  const { spec } = await client.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    name: volumeClaim,
    namespace: 'default',
  });
  return spec.volumeName === undefined
    ? undefined
    : client.get<PersistentVolume>(PERSISTENT_VOLUMES, { name: spec.volumeName });
}

function zoneOf(volume: PersistentVolume | undefined): string | undefined {
  const terms = volume?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [] }) => matchExpressions).find(({ key }) => key === ZONE)?.values?.[0];
}

async function createPod({ client, clock }: ProvisionerEnvironment, volumeClaim: string, zone: string): Promise<Pod> {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      containers: [{ name: 'main', image: 'a' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: volumeClaim } }],
      nodeSelector: { [ZONE]: zone },
    },
  };
  await client.create(PODS, pod);
  await clock.advance(5 * SECOND);
  return client.get<Pod>(PODS, pod.metadata);
}

test('a claim gets a volume of its size in some zone at once', async (t) => {
  const env = await startEnvironment(t);
  await createVolumeClaim(env, 'data', 'immediate');
  const volume = await volumeOf(env, 'data');
  assert.equal(volume?.status?.phase, 'Bound');
  assert.deepEqual(volume?.spec.capacity, { storage: '4Gi' });
  assert.match(zoneOf(volume) ?? '', /^zone-[ab]$/);
});

test('claims of one workload are spread over the zones', async (t) => {
  const env = await startEnvironment(t);
  const zones = new Set<string | undefined>();
  for (const ordinal of [0, 1]) {
    await createVolumeClaim(env, `data-web-${ordinal}`, 'immediate');
    zones.add(zoneOf(await volumeOf(env, `data-web-${ordinal}`)));
  }
  assert.deepEqual(zones, new Set(['zone-a', 'zone-b']));
});

test('a late claim gets its volume in the zone of its pod', async (t) => {
  const env = await startEnvironment(t);
  await createVolumeClaim(env, 'data', 'waitforfirstconsumer');
  assert.equal(await volumeOf(env, 'data'), undefined);
  const pod = await createPod(env, 'data', 'zone-b');
  assert.equal(pod.spec.nodeName, 'node-zone-b');
  assert.equal(zoneOf(await volumeOf(env, 'data')), 'zone-b');
});

test('a volume goes with its claim', async (t) => {
  const env = await startEnvironment(t);
  await createVolumeClaim(env, 'data', 'immediate');
  const volume = await volumeOf(env, 'data');
  await env.client.delete(PERSISTENT_VOLUME_CLAIMS, { name: 'data', namespace: 'default' });
  await env.clock.advance(5 * SECOND);
  await assert.rejects(env.client.get(PERSISTENT_VOLUMES, { name: volume?.metadata.name ?? '' }), isNotFound);
});
