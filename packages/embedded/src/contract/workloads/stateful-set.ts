import assert from 'node:assert/strict';
import { CONTROLLER_REVISIONS, type ControllerRevision } from '../../workloads/kinds/controller-revision.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../workloads/kinds/persistent-volume-claim.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import { STATEFUL_SETS, type StatefulSet } from '../../workloads/kinds/stateful-set.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Recorded, type Yard, yardCase } from './yard.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const NEXT_IMAGE = { containers: [{ name: 'main', image: 'registry.example/main:2' }] };
const CLAIM = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none-such', resources: { requests: { storage: '1Gi' } } },
};

function createSet(yard: Yard, spec: Partial<StatefulSet['spec']> = {}): Promise<StatefulSet> {
  const { replicas = 3, template = yard.template(), ...rest } = spec;
  const selector = { matchLabels: { app: 'web' } };
  return yard.create<StatefulSet>(STATEFUL_SETS, {
    metadata: { name: 'web' },
    spec: { replicas, serviceName: 'web', selector, template, ...rest },
  });
}

function ready(yard: Yard, count: number): Promise<StatefulSet> {
  return yard.until<StatefulSet>(STATEFUL_SETS, 'web', `has ${count} ready pods`, ({ metadata, status }) => {
    const counts = [status?.replicas, status?.readyReplicas ?? 0];
    return status?.observedGeneration === metadata.generation && counts.every((each) => each === count);
  });
}

/** All pods are of the newest template. */
function updated(yard: Yard, count: number): Promise<StatefulSet> {
  return yard.until<StatefulSet>(STATEFUL_SETS, 'web', 'is up to date', ({ metadata, status }) => {
    const isSettled = status?.currentRevision === status?.updateRevision && status?.readyReplicas === count;
    return status?.observedGeneration === metadata.generation && status?.updatedReplicas === count && isSettled;
  });
}

async function names(yard: Yard): Promise<readonly string[]> {
  return (await yard.pods()).map(({ metadata }) => metadata.name);
}

/** Whether a pod ran before another one came, by the order in which both were seen. */
function ranBefore(states: readonly Recorded<Pod>[], first: string, second: string): boolean {
  const isReady = ({ object }: Recorded<Pod>): boolean =>
    object.metadata.name === first &&
    (object.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
  const came = states.findIndex(({ change, object }) => change === 'ADDED' && object.metadata.name === second);
  const ran = states.findIndex(isReady);
  return ran >= 0 && ran < came;
}

export const statefulSetCases: readonly ContractCase[] = [
  yardCase('a StatefulSet creates its pods in order, each when the one before is ready', async (yard) => {
    await yard.node('a');
    const states = await yard.record<Pod>(PODS);
    await createSet(yard);
    await ready(yard, 3);
    await yard.caughtUp(PODS, states);
    assert.ok(ranBefore(states, 'web-0', 'web-1'), 'web-1 came before web-0 was ready');
    assert.ok(ranBefore(states, 'web-1', 'web-2'), 'web-2 came before web-1 was ready');
  }),

  yardCase('a pod of a StatefulSet has a name, a number and a host of its own', async (yard) => {
    await yard.node('a');
    const set = await createSet(yard, { replicas: 1 });
    const { status } = await ready(yard, 1);
    const { metadata, spec } = await yard.get<Pod>(PODS, 'web-0');
    assert.equal(metadata.generateName, 'web-');
    assert.equal(metadata.labels?.[POD_NAME], 'web-0');
    assert.equal(metadata.labels?.['apps.kubernetes.io/pod-index'], '0');
    assert.equal(metadata.labels?.['controller-revision-hash'], status?.updateRevision);
    assert.equal(metadata.ownerReferences?.[0]?.uid, set.metadata.uid);
    assert.equal(spec.hostname, 'web-0');
    assert.equal(spec.subdomain, 'web');
  }),

  yardCase('a pod that has lost the label of its name gets it back', async (yard) => {
    await yard.node('a');
    await createSet(yard, { replicas: 1 });
    await ready(yard, 1);
    await yard.merge(PODS, 'web-0', { metadata: { labels: { [POD_NAME]: null } } });
    await yard.until<Pod>(PODS, 'web-0', 'is labelled', ({ metadata }) => metadata.labels?.[POD_NAME] === 'web-0');
  }),

  yardCase('the status of a StatefulSet counts pods and names revisions', async (yard) => {
    await yard.node('a');
    await createSet(yard, { replicas: 2 });
    const { status } = await updated(yard, 2);
    const [revision] = await yard.list<ControllerRevision>(CONTROLLER_REVISIONS);
    assert.deepEqual(status, {
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: revision?.metadata.name,
      updateRevision: revision?.metadata.name,
      collisionCount: 0,
    });
    assert.equal(revision?.revision, 1);
  }),

  yardCase('while its first pod does not run, an ordered StatefulSet has no second', async (yard) => {
    await createSet(yard, { template: yard.homelessTemplate() });
    await yard.context.until('the first pod', async () => (await yard.pods()).length > 0);
    await yard.context.clock.sleep(1000);
    assert.deepEqual(await names(yard), ['web-0']);
  }),

  yardCase('a parallel StatefulSet creates all pods at once', async (yard) => {
    await createSet(yard, { podManagementPolicy: 'Parallel', template: yard.homelessTemplate() });
    await yard.context.until('all pods', async () => (await yard.pods()).length === 3);
    assert.deepEqual(await names(yard), ['web-0', 'web-1', 'web-2']);
  }),

  yardCase('a shrinking StatefulSet lets the highest number go first', async (yard) => {
    await yard.node('a');
    await createSet(yard);
    await ready(yard, 3);
    const states = await yard.record<Pod>(PODS);
    await yard.merge(STATEFUL_SETS, 'web', { spec: { replicas: 1 } });
    await yard.context.until('one pod is left', async () => (await yard.pods()).length === 1);
    await yard.context.until(
      'both ends were seen',
      async () => states.filter(({ change }) => change === 'DELETED').length === 2,
    );
    const gone = states.filter(({ change }) => change === 'DELETED').map(({ object }) => object.metadata.name);
    assert.deepEqual(gone, ['web-2', 'web-1']);
    assert.deepEqual(await names(yard), ['web-0']);
  }),

  yardCase('a rolling update goes from the highest number to the lowest, one pod at a time', async (yard) => {
    await yard.node('a');
    await createSet(yard);
    await updated(yard, 3);
    const states = await yard.record<Pod>(PODS);
    await yard.merge(STATEFUL_SETS, 'web', { spec: { template: { spec: NEXT_IMAGE } } });
    await updated(yard, 3);
    await yard.caughtUp(PODS, states);
    const steps = states
      .filter(
        ({ change, object }) =>
          change === 'DELETED' || (change === 'ADDED' && object.spec.containers[0]?.image?.endsWith(':2')),
      )
      .map(({ change, object }) => `${change} ${object.metadata.name}`);
    assert.deepEqual(steps, [
      'DELETED web-2',
      'ADDED web-2',
      'DELETED web-1',
      'ADDED web-1',
      'DELETED web-0',
      'ADDED web-0',
    ]);
  }),

  yardCase('pods below the partition keep the old template, also when they are replaced', async (yard) => {
    await yard.node('a');
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await createSet(yard, { updateStrategy });
    await updated(yard, 3);
    await yard.merge(STATEFUL_SETS, 'web', { spec: { template: { spec: NEXT_IMAGE } } });
    const imageOf = async (pod: string): Promise<string | undefined> =>
      (await yard.get<Pod>(PODS, pod)).spec.containers[0]?.image;
    await yard.context.until('web-2 is new', async () => (await imageOf('web-2'))?.endsWith(':2'));
    const { status } = await yard.until<StatefulSet>(STATEFUL_SETS, 'web', 'has one new pod', (set) => {
      return set.status?.updatedReplicas === 1 && set.status.readyReplicas === 3;
    });
    assert.equal(status?.currentReplicas, 2);
    assert.notEqual(status?.currentRevision, status?.updateRevision);
    const { metadata } = await yard.get(PODS, 'web-0');
    await yard.delete(PODS, 'web-0');
    await yard.until(PODS, 'web-0', 'is another one', (pod) => pod.metadata.uid !== metadata.uid);
    assert.equal(await imageOf('web-0'), 'registry.example/main:1');
  }),

  yardCase('with OnDelete only a deleted pod gets the new template', async (yard) => {
    await yard.node('a');
    await createSet(yard, { replicas: 2, updateStrategy: { type: 'OnDelete' } });
    await ready(yard, 2);
    await yard.merge(STATEFUL_SETS, 'web', { spec: { template: { spec: NEXT_IMAGE } } });
    await yard.until<StatefulSet>(
      STATEFUL_SETS,
      'web',
      'knows the new revision',
      ({ status }) => status?.currentRevision !== status?.updateRevision,
    );
    await yard.delete(PODS, 'web-1');
    await yard.context.until('web-1 is new', async () => {
      const { spec } = await yard.get<Pod>(PODS, 'web-1');
      return spec.containers[0]?.image?.endsWith(':2');
    });
    assert.equal((await yard.get<Pod>(PODS, 'web-0')).spec.containers[0]?.image, 'registry.example/main:1');
  }),

  yardCase('ordinals may start above zero', async (yard) => {
    await yard.node('a');
    await createSet(yard, { replicas: 2, ordinals: { start: 5 } });
    await ready(yard, 2);
    assert.deepEqual(await names(yard), ['web-5', 'web-6']);
  }),

  yardCase('a pod of a StatefulSet that has ended is replaced by its namesake', async (yard) => {
    await createSet(yard, { replicas: 1, template: yard.homelessTemplate() });
    const first = await yard.context.until('the pod', async () => (await yard.pods())[0]);
    await yard.merge(PODS, 'web-0', { status: { phase: 'Failed' } }, 'status');
    await yard.until(PODS, 'web-0', 'is another one', ({ metadata }) => metadata.uid !== first.metadata.uid);
  }),

  yardCase('each pod of a StatefulSet has claims of its own, which outlive the set', async (yard) => {
    const volumeMounts = [{ name: 'data', mountPath: '/data' }]; // a volume the template itself does not have
    await createSet(yard, {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      template: yard.homelessTemplate({ containers: [{ name: 'main', image: 'a', volumeMounts }] }),
      volumeClaimTemplates: [CLAIM],
    });
    await yard.context.until('two pods', async () => (await yard.pods()).length === 2);
    const claims = await yard.list(PERSISTENT_VOLUME_CLAIMS);
    assert.deepEqual(
      claims.map(({ metadata }) => metadata.name),
      ['data-web-0', 'data-web-1'],
    );
    assert.deepEqual(claims[0]?.metadata.labels, { app: 'web' });
    const { spec } = await yard.get<Pod>(PODS, 'web-1');
    assert.deepEqual(spec.volumes?.[0], { name: 'data', persistentVolumeClaim: { claimName: 'data-web-1' } });
    await yard.delete(STATEFUL_SETS, 'web', { propagationPolicy: 'Foreground' });
    await yard.untilGone(STATEFUL_SETS, 'web');
    assert.equal((await yard.list(PERSISTENT_VOLUME_CLAIMS)).length, 2);
  }),

  yardCase('claims go with the set, and with pods that scaling takes away, if the set says so', async (yard) => {
    await createSet(yard, {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      template: yard.homelessTemplate(),
      volumeClaimTemplates: [CLAIM],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    });
    await yard.context.until('two pods', async () => (await yard.pods()).length === 2);
    // A claim that the controller does not know yet would be left behind by its pod. Claims do not make it look; a change
    // of the set does.
    await yard.context.until('the set has its claims', async () => {
      const annotations = { look: String(yard.context.clock.now()) };
      await yard.merge(STATEFUL_SETS, 'web', { metadata: { annotations } });
      const claims = await yard.list(PERSISTENT_VOLUME_CLAIMS);
      const owned = claims.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'StatefulSet');
      return owned.length === 2;
    });
    await yard.merge(STATEFUL_SETS, 'web', { spec: { replicas: 1 } });
    await yard.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data-web-1');
    assert.equal(await yard.isGone(PERSISTENT_VOLUME_CLAIMS, 'data-web-0'), false);
    await yard.delete(STATEFUL_SETS, 'web');
    await yard.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data-web-0');
  }),
];
