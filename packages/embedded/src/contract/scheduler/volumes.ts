import assert from 'node:assert/strict';
import {
  BIND_COMPLETED,
  CLAIMS,
  type Claim,
  type ClaimRef,
  CSI_NODES,
  type CsiNode,
  SELECTED_NODE,
  STORAGE_CLASSES,
  type StorageClass,
  VOLUMES,
  type Volume,
} from '../../scheduler/kinds/storage.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Arena, inArena, type PodOptions } from './arena.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** Volumes: where they are, where they are made, and how many a node takes. */
export const volumeCases: readonly ContractCase[] = [
  inArena('a pod goes where its bound volume can be reached', async (arena) => {
    await arena.zones('z1', 'z2', 'z3');
    await boundClaim(arena, 'data', { nodeAffinity: inZone('z2') });
    await arena.pod('pod', using('data'));
    assert.equal(await arena.placeOf('pod'), 'z2');
  }),
  inArena('a pod whose volume no node reaches is told so', async (arena) => {
    await arena.zones('z1', 'z2');
    await boundClaim(arena, 'data', { nodeAffinity: inZone('z9') });
    await arena.pod('pod', using('data'));
    await arena.complaintOf('pod', /2 node\(s\) didn't match PersistentVolume's node affinity[,.]/);
  }),
  inArena('the zone label of a volume keeps pods to that zone', async (arena) => {
    await arena.zones('z1', 'z2');
    await boundClaim(arena, 'data', { labels: { [ZONE]: 'z1' } });
    await arena.pod('pod', using('data'));
    assert.equal(await arena.placeOf('pod'), 'z1');
    await boundClaim(arena, 'far', { labels: { [ZONE]: 'z9' } });
    await arena.pod('waiting', using('far'));
    await arena.complaintOf('waiting', /2 node\(s\) had no available volume zone[,.]/);
  }),
  inArena('a pod waits for a claim that does not exist', async (arena) => {
    await arena.node('a');
    await arena.pod('pod', using('data'));
    await arena.complaintOf('pod', /^0\/\d+ nodes are available: persistentvolumeclaim "data" not found\. /);
    await boundClaim(arena, 'data', {});
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('a pod waits for a claim that is bound without its help', async (arena) => {
    await arena.node('a');
    await storageClass(arena, { volumeBindingMode: 'Immediate' });
    await claim(arena, 'data');
    await arena.pod('pod', using('data'));
    await arena.complaintOf('pod', /: pod has unbound immediate PersistentVolumeClaims\. /);
  }),
  inArena(
    'a volume made on demand is asked for on the chosen node, and the pod bound once it is there',
    async (arena) => {
      await arena.zones('z1', 'z2');
      await storageClass(arena, { volumeBindingMode: 'WaitForFirstConsumer' });
      await claim(arena, 'data');
      await arena.pod('pod', { ...using('data'), nodeSelector: { [ZONE]: 'z2' } });
      assert.equal(await selectedNode(arena, 'data'), 'z2');
      await provision(arena, 'data', { nodeAffinity: inZone('z2') });
      assert.equal(await arena.placeOf('pod'), 'z2');
    },
  ),
  inArena('a claim whose volume is being made for a node keeps its pod to that node', async (arena) => {
    await arena.zones('z1');
    await storageClass(arena, { volumeBindingMode: 'WaitForFirstConsumer' });
    await claim(arena, 'data');
    const annotations = { [SELECTED_NODE]: arena.context.unique('elsewhere') };
    await arena.change(CLAIMS, 'data', { metadata: { annotations } });
    await arena.pod('pod', using('data'));
    await arena.complaintOf('pod', /1 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  inArena('when a volume cannot be made the pod is placed anew', async (arena) => {
    await arena.zones('z1', 'z2');
    await storageClass(arena, { volumeBindingMode: 'WaitForFirstConsumer' });
    await claim(arena, 'data');
    await arena.pod('pod', using('data'));
    const refused = await selectedNode(arena, 'data');
    await arena.changeNode(refused, { spec: { unschedulable: true } });
    await arena.untilHeard();
    await arena.change(CLAIMS, 'data', { metadata: { annotations: { [SELECTED_NODE]: null } } });
    const other = refused === 'z1' ? 'z2' : 'z1';
    await arena.context.until(
      `the volume is asked for in ${other}`,
      async () => (await selectedNode(arena, 'data')) === other,
    );
    await provision(arena, 'data', { nodeAffinity: inZone(other) });
    assert.equal(await arena.placeOf('pod'), other);
  }),
  inArena('a class that makes volumes in some zones only keeps pods to them', async (arena) => {
    await arena.zones('z1', 'z2');
    const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE, values: ['z1'] }] }];
    await storageClass(arena, { volumeBindingMode: 'WaitForFirstConsumer', allowedTopologies });
    await claim(arena, 'data');
    await arena.pod('pod', using('data'));
    assert.equal(await selectedNode(arena, 'data'), 'z1');
    await arena.changeNode('z1', { spec: { unschedulable: true } });
    await claim(arena, 'more');
    await arena.pod('waiting', using('more'));
    await arena.complaintOf('waiting', /1 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  inArena('a volume that exists is taken where it is, and kept for the claim', async (arena) => {
    await arena.zones('z1', 'z2');
    const provisioner = 'kubernetes.io/no-provisioner';
    await storageClass(arena, { provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
    await volume(arena, 'local', { nodeAffinity: inZone('z2'), storageClassName: className(arena) });
    await arena.change(VOLUMES, arena.context.unique('local'), { status: { phase: 'Available' } }, 'status');
    await claim(arena, 'data');
    await arena.pod('pod', using('data'));
    await arena.context.until('the volume is kept for the claim', async () => {
      const { spec } = await arena.get<Volume>(VOLUMES, arena.context.unique('local'));
      return spec.claimRef?.name === 'data';
    });
    await completeBinding(arena, 'data', 'local');
    assert.equal(await arena.placeOf('pod'), 'z2');
    await claim(arena, 'more');
    await arena.pod('waiting', using('more'));
    await arena.complaintOf('waiting', /2 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  inArena('of two volumes the one that is kept for the claim is taken', async (arena) => {
    await arena.zones('z1', 'z2');
    const storageClassName = className(arena);
    const provisioner = 'kubernetes.io/no-provisioner';
    await storageClass(arena, { provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
    const claimRef = refTo(await claim(arena, 'data'));
    // In this order: a scheduler that has heard of the free one knows that there is another.
    await volume(arena, 'kept', { nodeAffinity: inZone('z2'), storageClassName, claimRef });
    await volume(arena, 'free', { nodeAffinity: inZone('z1'), storageClassName });
    await arena.change(VOLUMES, arena.context.unique('free'), { status: { phase: 'Available' } }, 'status');
    await arena.pod('pod', using('data'));
    await completeBinding(arena, 'data', 'kept');
    assert.equal(await arena.placeOf('pod'), 'z2');
    const { spec } = await arena.get<Volume>(VOLUMES, arena.context.unique('free'));
    assert.equal(spec.claimRef, undefined);
  }),
  inArena('a claim for one pod only is not given to a second', async (arena) => {
    await arena.node('a');
    await arena.node('b');
    await boundClaim(arena, 'data', { accessModes: ['ReadWriteOncePod'] });
    await arena.pod('first', using('data'));
    await arena.placeOf('first');
    await arena.pod('second', using('data'));
    await arena.complaintOf(
      'second',
      /\d+ node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod[,.]/,
    );
    await arena.deletePod('first');
    await arena.placeOf('second');
  }),
  inArena('a node takes as many volumes of a driver as its CSINode says', async (arena) => {
    await csiNode(arena, 'a', 1); // long before anybody asks: the scheduler does not say when it has heard of it
    await arena.node('a');
    await boundClaim(arena, 'one', { csi: true });
    await boundClaim(arena, 'two', { csi: true });
    await arena.pod('first', using('one'));
    await arena.placeOf('first');
    await arena.pod('same', using('one'));
    assert.equal(await arena.placeOf('same'), 'a');
    await arena.pod('second', using('two'));
    await arena.complaintOf('second', /1 node\(s\) exceed max volume count[,.]/);
  }),
];

const DRIVER = 'scheduling.test';

type NodeAffinity = NonNullable<Volume['spec']['nodeAffinity']>;

interface VolumeOptions {
  readonly nodeAffinity?: NodeAffinity;
  readonly labels?: Readonly<Record<string, string>>;
  readonly accessModes?: readonly string[];
  readonly storageClassName?: string;
  readonly claimRef?: ClaimRef;
  /** Behind a driver; else on the node's disk. */
  readonly csi?: boolean;
}

function using(...claims: readonly string[]): PodOptions {
  return { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) };
}

function inZone(zone: string): NodeAffinity {
  return { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }] } };
}

const className = (arena: Arena): string => arena.context.unique('class');

async function storageClass(arena: Arena, options: Partial<StorageClass>): Promise<void> {
  const metadata = { name: className(arena) };
  await arena.create<StorageClass>(STORAGE_CLASSES, { metadata, provisioner: DRIVER, ...options });
}

async function claim(arena: Arena, name: string, options: Partial<Claim['spec']> = {}): Promise<Claim> {
  return arena.create<Claim>(CLAIMS, {
    metadata: { name, annotations: options.volumeName === undefined ? {} : { [BIND_COMPLETED]: 'yes' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: className(arena),
      resources: { requests: { storage: '1Gi' } },
      ...options,
    },
  });
}

async function volume(arena: Arena, name: string, options: VolumeOptions): Promise<void> {
  const { labels, csi, ...spec } = options;
  const full = arena.context.unique(name);
  const source = csi ? { csi: { driver: DRIVER, volumeHandle: full } } : { hostPath: { path: '/tmp' } };
  const metadata = { name: full, ...(labels && { labels }) };
  const rest = { capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Retain', ...source };
  await arena.create<Volume>(VOLUMES, { metadata, spec: { accessModes: ['ReadWriteOnce'], ...rest, ...spec } });
}

/** A claim and the volume it is bound to, as if a controller had done it. */
async function boundClaim(arena: Arena, name: string, options: VolumeOptions): Promise<void> {
  const { accessModes = ['ReadWriteOnce'] } = options;
  const volumeName = arena.context.unique(name);
  const claimRef = refTo(await claim(arena, name, { volumeName, accessModes, storageClassName: '' }));
  await volume(arena, name, { ...options, accessModes, claimRef });
}

/** Does what a provisioner does for a claim whose node is selected. */
async function provision(arena: Arena, name: string, options: VolumeOptions): Promise<void> {
  const claimRef = refTo(await arena.get<Claim>(CLAIMS, name));
  const storageClassName = className(arena);
  await volume(arena, name, {
    ...options,
    storageClassName,
    claimRef,
  });
  await completeBinding(arena, name, name);
}

function refTo({ metadata: { namespace, name, uid } }: Claim): ClaimRef {
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
}

async function completeBinding(arena: Arena, claimName: string, volumeName: string): Promise<void> {
  await arena.change(CLAIMS, claimName, {
    metadata: { annotations: { [BIND_COMPLETED]: 'yes' } },
    spec: { volumeName: arena.context.unique(volumeName) },
  });
}

/** Waits until a node is chosen for the claim. */
async function selectedNode(arena: Arena, name: string): Promise<string> {
  const node = await arena.context.until(`a node is selected for claim ${name}`, async () => {
    const { metadata } = await arena.get<Claim>(CLAIMS, name);
    return metadata.annotations?.[SELECTED_NODE];
  });
  return node.slice(arena.context.unique('').length);
}

async function csiNode(arena: Arena, name: string, count: number): Promise<void> {
  const full = arena.context.unique(name);
  const drivers = [{ name: DRIVER, nodeID: full, topologyKeys: [], allocatable: { count } }];
  await arena.create<CsiNode>(CSI_NODES, { metadata: { name: full }, spec: { drivers } });
}
