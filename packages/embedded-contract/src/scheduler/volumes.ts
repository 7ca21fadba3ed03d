import assert from 'node:assert/strict';
import {
  BIND_COMPLETED,
  CSI_NODES,
  type CsiNode,
  type ObjectReference,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  SELECTED_NODE,
  STORAGE_CLASSES,
  type StorageClass,
} from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerEnvironment, schedulerCase, type PodOptions } from './scheduler-environment.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** Volumes: where they are, where they are made, and how many a node takes. */
export const volumeCases: readonly ContractCase[] = [
  schedulerCase('a pod goes where its bound volume can be reached', async (env) => {
    await env.zones('z1', 'z2', 'z3');
    await boundVolumeClaim(env, 'data', { nodeAffinity: inZone('z2') });
    await env.pod('pod', using('data'));
    assert.equal(await env.nodeOf('pod'), 'z2');
  }),
  schedulerCase('a pod whose volume no node reaches is told so', async (env) => {
    await env.zones('z1', 'z2');
    await boundVolumeClaim(env, 'data', { nodeAffinity: inZone('z9') });
    await env.pod('pod', using('data'));
    await env.unschedulableMessage('pod', /2 node\(s\) didn't match PersistentVolume's node affinity[,.]/);
  }),
  schedulerCase('the zone label of a volume keeps pods to that zone', async (env) => {
    await env.zones('z1', 'z2');
    await boundVolumeClaim(env, 'data', { labels: { [ZONE]: 'z1' } });
    await env.pod('pod', using('data'));
    assert.equal(await env.nodeOf('pod'), 'z1');
    await boundVolumeClaim(env, 'far', { labels: { [ZONE]: 'z9' } });
    await env.pod('waiting', using('far'));
    await env.unschedulableMessage('waiting', /2 node\(s\) had no available volume zone[,.]/);
  }),
  schedulerCase('a pod waits for a claim that does not exist', async (env) => {
    await env.node('a');
    await env.pod('pod', using('data'));
    await env.unschedulableMessage('pod', /^0\/\d+ nodes are available: persistentvolumeclaim "data" not found\. /);
    await boundVolumeClaim(env, 'data', {});
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('a pod waits for a claim that is bound without its help', async (env) => {
    await env.node('a');
    await storageClass(env, { volumeBindingMode: 'Immediate' });
    await volumeClaim(env, 'data');
    await env.pod('pod', using('data'));
    await env.unschedulableMessage('pod', /: pod has unbound immediate PersistentVolumeClaims\. /);
  }),
  schedulerCase(
    'a volume made on demand is asked for on the chosen node, and the pod bound once it is there',
    async (env) => {
      await env.zones('z1', 'z2');
      await storageClass(env, { volumeBindingMode: 'WaitForFirstConsumer' });
      await volumeClaim(env, 'data');
      await env.pod('pod', { ...using('data'), nodeSelector: { [ZONE]: 'z2' } });
      assert.equal(await selectedNode(env, 'data'), 'z2');
      await provision(env, 'data', { nodeAffinity: inZone('z2') });
      assert.equal(await env.nodeOf('pod'), 'z2');
    },
  ),
  schedulerCase('a claim whose volume is being made for a node keeps its pod to that node', async (env) => {
    await env.zones('z1');
    await storageClass(env, { volumeBindingMode: 'WaitForFirstConsumer' });
    await volumeClaim(env, 'data');
    const annotations = { [SELECTED_NODE]: env.context.unique('elsewhere') };
    await env.change(PERSISTENT_VOLUME_CLAIMS, 'data', { metadata: { annotations } });
    await env.pod('pod', using('data'));
    await env.unschedulableMessage('pod', /1 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  schedulerCase('when a volume cannot be made the pod is placed anew', async (env) => {
    await env.zones('z1', 'z2');
    await storageClass(env, { volumeBindingMode: 'WaitForFirstConsumer' });
    await volumeClaim(env, 'data');
    await env.pod('pod', using('data'));
    const refused = await selectedNode(env, 'data');
    await env.changeNode(refused, { spec: { unschedulable: true } });
    await env.untilSchedulerHasNodes();
    await env.change(PERSISTENT_VOLUME_CLAIMS, 'data', { metadata: { annotations: { [SELECTED_NODE]: null } } });
    const other = refused === 'z1' ? 'z2' : 'z1';
    await env.context.until(
      `the volume is asked for in ${other}`,
      async () => (await selectedNode(env, 'data')) === other,
    );
    await provision(env, 'data', { nodeAffinity: inZone(other) });
    assert.equal(await env.nodeOf('pod'), other);
  }),
  schedulerCase('a class that makes volumes in some zones only keeps pods to them', async (env) => {
    await env.zones('z1', 'z2');
    const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE, values: ['z1'] }] }];
    await storageClass(env, { volumeBindingMode: 'WaitForFirstConsumer', allowedTopologies });
    await volumeClaim(env, 'data');
    await env.pod('pod', using('data'));
    assert.equal(await selectedNode(env, 'data'), 'z1');
    await env.changeNode('z1', { spec: { unschedulable: true } });
    await volumeClaim(env, 'more');
    await env.pod('waiting', using('more'));
    await env.unschedulableMessage('waiting', /1 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  schedulerCase('a volume that exists is taken where it is, and kept for the claim', async (env) => {
    await env.zones('z1', 'z2');
    const provisioner = 'kubernetes.io/no-provisioner';
    await storageClass(env, { provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
    await volume(env, 'local', { nodeAffinity: inZone('z2'), storageClassName: className(env) });
    await env.change(PERSISTENT_VOLUMES, env.context.unique('local'), { status: { phase: 'Available' } }, 'status');
    await volumeClaim(env, 'data');
    await env.pod('pod', using('data'));
    await env.context.until('the volume is kept for the claim', async () => {
      const { spec } = await env.get<PersistentVolume>(PERSISTENT_VOLUMES, env.context.unique('local'));
      return spec.claimRef?.name === 'data';
    });
    await completeBinding(env, 'data', 'local');
    assert.equal(await env.nodeOf('pod'), 'z2');
    await volumeClaim(env, 'more');
    await env.pod('waiting', using('more'));
    await env.unschedulableMessage('waiting', /2 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  schedulerCase('of two volumes the one that is kept for the claim is taken', async (env) => {
    await env.zones('z1', 'z2');
    const storageClassName = className(env);
    const provisioner = 'kubernetes.io/no-provisioner';
    await storageClass(env, { provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
    const claimRef = refTo(await volumeClaim(env, 'data'));
    // In this order: a scheduler that has heard of the free one knows that there is another.
    await volume(env, 'kept', { nodeAffinity: inZone('z2'), storageClassName, claimRef });
    await volume(env, 'free', { nodeAffinity: inZone('z1'), storageClassName });
    await env.change(PERSISTENT_VOLUMES, env.context.unique('free'), { status: { phase: 'Available' } }, 'status');
    await env.pod('pod', using('data'));
    await completeBinding(env, 'data', 'kept');
    assert.equal(await env.nodeOf('pod'), 'z2');
    const { spec } = await env.get<PersistentVolume>(PERSISTENT_VOLUMES, env.context.unique('free'));
    assert.equal(spec.claimRef, undefined);
  }),
  schedulerCase('a claim for one pod only is not given to a second', async (env) => {
    await env.node('a');
    await env.node('b');
    await boundVolumeClaim(env, 'data', { accessModes: ['ReadWriteOncePod'] });
    await env.pod('first', using('data'));
    await env.nodeOf('first');
    await env.pod('second', using('data'));
    await env.unschedulableMessage(
      'second',
      /\d+ node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod[,.]/,
    );
    await env.deletePod('first');
    await env.nodeOf('second');
  }),
  schedulerCase('a node takes as many volumes of a driver as its CSINode says', async (env) => {
    await csiNode(env, 'a', 1); // long before anybody asks: the scheduler does not say when it has heard of it
    await env.node('a');
    await boundVolumeClaim(env, 'one', { csi: true });
    await boundVolumeClaim(env, 'two', { csi: true });
    await env.pod('first', using('one'));
    await env.nodeOf('first');
    await env.pod('same', using('one'));
    assert.equal(await env.nodeOf('same'), 'a');
    await env.pod('second', using('two'));
    await env.unschedulableMessage('second', /1 node\(s\) exceed max volume count[,.]/);
  }),
];

const DRIVER = 'scheduling.test';

type NodeAffinity = NonNullable<PersistentVolume['spec']['nodeAffinity']>;

interface VolumeOptions {
  readonly nodeAffinity?: NodeAffinity;
  readonly labels?: Readonly<Record<string, string>>;
  readonly accessModes?: readonly string[];
  readonly storageClassName?: string;
  readonly claimRef?: ObjectReference;
  /** Behind a driver; else on the node's disk. */
  readonly csi?: boolean;
}

function using(...volumeClaims: readonly string[]): PodOptions {
  return { volumes: volumeClaims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) };
}

function inZone(zone: string): NodeAffinity {
  return { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }] } };
}

const className = (env: SchedulerEnvironment): string => env.context.unique('class');

async function storageClass(env: SchedulerEnvironment, options: Partial<StorageClass>): Promise<void> {
  const metadata = { name: className(env) };
  await env.create<StorageClass>(STORAGE_CLASSES, { metadata, provisioner: DRIVER, ...options });
}

async function volumeClaim(
  env: SchedulerEnvironment,
  name: string,
  options: Partial<PersistentVolumeClaim['spec']> = {},
): Promise<PersistentVolumeClaim> {
  return env.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, annotations: options.volumeName === undefined ? {} : { [BIND_COMPLETED]: 'yes' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: className(env),
      resources: { requests: { storage: '1Gi' } },
      ...options,
    },
  });
}

async function volume(env: SchedulerEnvironment, name: string, options: VolumeOptions): Promise<void> {
  const { labels, csi, ...spec } = options;
  const full = env.context.unique(name);
  const source = csi ? { csi: { driver: DRIVER, volumeHandle: full } } : { hostPath: { path: '/tmp' } };
  const metadata = { name: full, ...(labels && { labels }) };
  const rest = { capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Retain', ...source };
  await env.create<PersistentVolume>(PERSISTENT_VOLUMES, {
    metadata,
    spec: { accessModes: ['ReadWriteOnce'], ...rest, ...spec },
  });
}

/** A claim and the volume it is bound to, as if a controller had done it. */
async function boundVolumeClaim(env: SchedulerEnvironment, name: string, options: VolumeOptions): Promise<void> {
  const { accessModes = ['ReadWriteOnce'] } = options;
  const volumeName = env.context.unique(name);
  const claimRef = refTo(await volumeClaim(env, name, { volumeName, accessModes, storageClassName: '' }));
  await volume(env, name, { ...options, accessModes, claimRef });
}

/** Does what a provisioner does for a claim whose node is selected. */
async function provision(env: SchedulerEnvironment, name: string, options: VolumeOptions): Promise<void> {
  const claimRef = refTo(await env.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, name));
  const storageClassName = className(env);
  await volume(env, name, {
    ...options,
    storageClassName,
    claimRef,
  });
  await completeBinding(env, name, name);
}

function refTo({ metadata: { namespace, name, uid } }: PersistentVolumeClaim): ObjectReference {
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
}

async function completeBinding(env: SchedulerEnvironment, claimName: string, volumeName: string): Promise<void> {
  await env.change(PERSISTENT_VOLUME_CLAIMS, claimName, {
    metadata: { annotations: { [BIND_COMPLETED]: 'yes' } },
    spec: { volumeName: env.context.unique(volumeName) },
  });
}

/** Waits until a node is chosen for the claim. */
async function selectedNode(env: SchedulerEnvironment, name: string): Promise<string> {
  const node = await env.context.until(`a node is selected for claim ${name}`, async () => {
    const { metadata } = await env.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, name);
    return metadata.annotations?.[SELECTED_NODE];
  });
  return node.slice(env.context.unique('').length);
}

async function csiNode(env: SchedulerEnvironment, name: string, count: number): Promise<void> {
  const full = env.context.unique(name);
  const drivers = [{ name: DRIVER, nodeID: full, topologyKeys: [], allocatable: { count } }];
  await env.create<CsiNode>(CSI_NODES, { metadata: { name: full }, spec: { drivers } });
}
