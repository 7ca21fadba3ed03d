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
import { type SchedulerFixture, schedulerCase, type PodOptions } from './scheduler-fixture.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** Volumes: where they are, where they are made, and how many a node takes. */
export const volumeCases: readonly ContractCase[] = [
  schedulerCase('a pod goes where its bound volume can be reached', async (fixture) => {
    await fixture.zones('z1', 'z2', 'z3');
    await boundClaim(fixture, 'data', { nodeAffinity: inZone('z2') });
    await fixture.pod('pod', using('data'));
    assert.equal(await fixture.nodeOf('pod'), 'z2');
  }),
  schedulerCase('a pod whose volume no node reaches is told so', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await boundClaim(fixture, 'data', { nodeAffinity: inZone('z9') });
    await fixture.pod('pod', using('data'));
    await fixture.unschedulableMessage('pod', /2 node\(s\) didn't match PersistentVolume's node affinity[,.]/);
  }),
  schedulerCase('the zone label of a volume keeps pods to that zone', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await boundClaim(fixture, 'data', { labels: { [ZONE]: 'z1' } });
    await fixture.pod('pod', using('data'));
    assert.equal(await fixture.nodeOf('pod'), 'z1');
    await boundClaim(fixture, 'far', { labels: { [ZONE]: 'z9' } });
    await fixture.pod('waiting', using('far'));
    await fixture.unschedulableMessage('waiting', /2 node\(s\) had no available volume zone[,.]/);
  }),
  schedulerCase('a pod waits for a claim that does not exist', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('pod', using('data'));
    await fixture.unschedulableMessage('pod', /^0\/\d+ nodes are available: persistentvolumeclaim "data" not found\. /);
    await boundClaim(fixture, 'data', {});
    assert.equal(await fixture.nodeOf('pod'), 'a');
  }),
  schedulerCase('a pod waits for a claim that is bound without its help', async (fixture) => {
    await fixture.node('a');
    await storageClass(fixture, { volumeBindingMode: 'Immediate' });
    await claim(fixture, 'data');
    await fixture.pod('pod', using('data'));
    await fixture.unschedulableMessage('pod', /: pod has unbound immediate PersistentVolumeClaims\. /);
  }),
  schedulerCase(
    'a volume made on demand is asked for on the chosen node, and the pod bound once it is there',
    async (fixture) => {
      await fixture.zones('z1', 'z2');
      await storageClass(fixture, { volumeBindingMode: 'WaitForFirstConsumer' });
      await claim(fixture, 'data');
      await fixture.pod('pod', { ...using('data'), nodeSelector: { [ZONE]: 'z2' } });
      assert.equal(await selectedNode(fixture, 'data'), 'z2');
      await provision(fixture, 'data', { nodeAffinity: inZone('z2') });
      assert.equal(await fixture.nodeOf('pod'), 'z2');
    },
  ),
  schedulerCase('a claim whose volume is being made for a node keeps its pod to that node', async (fixture) => {
    await fixture.zones('z1');
    await storageClass(fixture, { volumeBindingMode: 'WaitForFirstConsumer' });
    await claim(fixture, 'data');
    const annotations = { [SELECTED_NODE]: fixture.context.unique('elsewhere') };
    await fixture.change(CLAIMS, 'data', { metadata: { annotations } });
    await fixture.pod('pod', using('data'));
    await fixture.unschedulableMessage('pod', /1 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  schedulerCase('when a volume cannot be made the pod is placed anew', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await storageClass(fixture, { volumeBindingMode: 'WaitForFirstConsumer' });
    await claim(fixture, 'data');
    await fixture.pod('pod', using('data'));
    const refused = await selectedNode(fixture, 'data');
    await fixture.changeNode(refused, { spec: { unschedulable: true } });
    await fixture.untilSchedulerHasNodes();
    await fixture.change(CLAIMS, 'data', { metadata: { annotations: { [SELECTED_NODE]: null } } });
    const other = refused === 'z1' ? 'z2' : 'z1';
    await fixture.context.until(
      `the volume is asked for in ${other}`,
      async () => (await selectedNode(fixture, 'data')) === other,
    );
    await provision(fixture, 'data', { nodeAffinity: inZone(other) });
    assert.equal(await fixture.nodeOf('pod'), other);
  }),
  schedulerCase('a class that makes volumes in some zones only keeps pods to them', async (fixture) => {
    await fixture.zones('z1', 'z2');
    const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE, values: ['z1'] }] }];
    await storageClass(fixture, { volumeBindingMode: 'WaitForFirstConsumer', allowedTopologies });
    await claim(fixture, 'data');
    await fixture.pod('pod', using('data'));
    assert.equal(await selectedNode(fixture, 'data'), 'z1');
    await fixture.changeNode('z1', { spec: { unschedulable: true } });
    await claim(fixture, 'more');
    await fixture.pod('waiting', using('more'));
    await fixture.unschedulableMessage('waiting', /1 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  schedulerCase('a volume that exists is taken where it is, and kept for the claim', async (fixture) => {
    await fixture.zones('z1', 'z2');
    const provisioner = 'kubernetes.io/no-provisioner';
    await storageClass(fixture, { provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
    await volume(fixture, 'local', { nodeAffinity: inZone('z2'), storageClassName: className(fixture) });
    await fixture.change(VOLUMES, fixture.context.unique('local'), { status: { phase: 'Available' } }, 'status');
    await claim(fixture, 'data');
    await fixture.pod('pod', using('data'));
    await fixture.context.until('the volume is kept for the claim', async () => {
      const { spec } = await fixture.get<Volume>(VOLUMES, fixture.context.unique('local'));
      return spec.claimRef?.name === 'data';
    });
    await completeBinding(fixture, 'data', 'local');
    assert.equal(await fixture.nodeOf('pod'), 'z2');
    await claim(fixture, 'more');
    await fixture.pod('waiting', using('more'));
    await fixture.unschedulableMessage('waiting', /2 node\(s\) didn't find available persistent volumes to bind[,.]/);
  }),
  schedulerCase('of two volumes the one that is kept for the claim is taken', async (fixture) => {
    await fixture.zones('z1', 'z2');
    const storageClassName = className(fixture);
    const provisioner = 'kubernetes.io/no-provisioner';
    await storageClass(fixture, { provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
    const claimRef = refTo(await claim(fixture, 'data'));
    // In this order: a scheduler that has heard of the free one knows that there is another.
    await volume(fixture, 'kept', { nodeAffinity: inZone('z2'), storageClassName, claimRef });
    await volume(fixture, 'free', { nodeAffinity: inZone('z1'), storageClassName });
    await fixture.change(VOLUMES, fixture.context.unique('free'), { status: { phase: 'Available' } }, 'status');
    await fixture.pod('pod', using('data'));
    await completeBinding(fixture, 'data', 'kept');
    assert.equal(await fixture.nodeOf('pod'), 'z2');
    const { spec } = await fixture.get<Volume>(VOLUMES, fixture.context.unique('free'));
    assert.equal(spec.claimRef, undefined);
  }),
  schedulerCase('a claim for one pod only is not given to a second', async (fixture) => {
    await fixture.node('a');
    await fixture.node('b');
    await boundClaim(fixture, 'data', { accessModes: ['ReadWriteOncePod'] });
    await fixture.pod('first', using('data'));
    await fixture.nodeOf('first');
    await fixture.pod('second', using('data'));
    await fixture.unschedulableMessage(
      'second',
      /\d+ node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod[,.]/,
    );
    await fixture.deletePod('first');
    await fixture.nodeOf('second');
  }),
  schedulerCase('a node takes as many volumes of a driver as its CSINode says', async (fixture) => {
    await csiNode(fixture, 'a', 1); // long before anybody asks: the scheduler does not say when it has heard of it
    await fixture.node('a');
    await boundClaim(fixture, 'one', { csi: true });
    await boundClaim(fixture, 'two', { csi: true });
    await fixture.pod('first', using('one'));
    await fixture.nodeOf('first');
    await fixture.pod('same', using('one'));
    assert.equal(await fixture.nodeOf('same'), 'a');
    await fixture.pod('second', using('two'));
    await fixture.unschedulableMessage('second', /1 node\(s\) exceed max volume count[,.]/);
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

const className = (fixture: SchedulerFixture): string => fixture.context.unique('class');

async function storageClass(fixture: SchedulerFixture, options: Partial<StorageClass>): Promise<void> {
  const metadata = { name: className(fixture) };
  await fixture.create<StorageClass>(STORAGE_CLASSES, { metadata, provisioner: DRIVER, ...options });
}

async function claim(fixture: SchedulerFixture, name: string, options: Partial<Claim['spec']> = {}): Promise<Claim> {
  return fixture.create<Claim>(CLAIMS, {
    metadata: { name, annotations: options.volumeName === undefined ? {} : { [BIND_COMPLETED]: 'yes' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: className(fixture),
      resources: { requests: { storage: '1Gi' } },
      ...options,
    },
  });
}

async function volume(fixture: SchedulerFixture, name: string, options: VolumeOptions): Promise<void> {
  const { labels, csi, ...spec } = options;
  const full = fixture.context.unique(name);
  const source = csi ? { csi: { driver: DRIVER, volumeHandle: full } } : { hostPath: { path: '/tmp' } };
  const metadata = { name: full, ...(labels && { labels }) };
  const rest = { capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Retain', ...source };
  await fixture.create<Volume>(VOLUMES, { metadata, spec: { accessModes: ['ReadWriteOnce'], ...rest, ...spec } });
}

/** A claim and the volume it is bound to, as if a controller had done it. */
async function boundClaim(fixture: SchedulerFixture, name: string, options: VolumeOptions): Promise<void> {
  const { accessModes = ['ReadWriteOnce'] } = options;
  const volumeName = fixture.context.unique(name);
  const claimRef = refTo(await claim(fixture, name, { volumeName, accessModes, storageClassName: '' }));
  await volume(fixture, name, { ...options, accessModes, claimRef });
}

/** Does what a provisioner does for a claim whose node is selected. */
async function provision(fixture: SchedulerFixture, name: string, options: VolumeOptions): Promise<void> {
  const claimRef = refTo(await fixture.get<Claim>(CLAIMS, name));
  const storageClassName = className(fixture);
  await volume(fixture, name, {
    ...options,
    storageClassName,
    claimRef,
  });
  await completeBinding(fixture, name, name);
}

function refTo({ metadata: { namespace, name, uid } }: Claim): ClaimRef {
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
}

async function completeBinding(fixture: SchedulerFixture, claimName: string, volumeName: string): Promise<void> {
  await fixture.change(CLAIMS, claimName, {
    metadata: { annotations: { [BIND_COMPLETED]: 'yes' } },
    spec: { volumeName: fixture.context.unique(volumeName) },
  });
}

/** Waits until a node is chosen for the claim. */
async function selectedNode(fixture: SchedulerFixture, name: string): Promise<string> {
  const node = await fixture.context.until(`a node is selected for claim ${name}`, async () => {
    const { metadata } = await fixture.get<Claim>(CLAIMS, name);
    return metadata.annotations?.[SELECTED_NODE];
  });
  return node.slice(fixture.context.unique('').length);
}

async function csiNode(fixture: SchedulerFixture, name: string, count: number): Promise<void> {
  const full = fixture.context.unique(name);
  const drivers = [{ name: DRIVER, nodeID: full, topologyKeys: [], allocatable: { count } }];
  await fixture.create<CsiNode>(CSI_NODES, { metadata: { name: full }, spec: { drivers } });
}
