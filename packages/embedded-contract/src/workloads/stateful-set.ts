import assert from 'node:assert/strict';
import {
  CONTROLLER_REVISIONS,
  type ControllerRevision,
  PERSISTENT_VOLUME_CLAIMS,
  type Pod,
  PODS,
  STATEFUL_SETS,
  type StatefulSet,
} from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type Recorded, type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const NEXT_IMAGE = { containers: [{ name: 'main', image: 'registry.example/main:2' }] };
const CLAIM = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none-such', resources: { requests: { storage: '1Gi' } } },
};

function createSet(env: WorkloadEnvironment, spec: Partial<StatefulSet['spec']> = {}): Promise<StatefulSet> {
  const { replicas = 3, template = env.template(), ...rest } = spec;
  const selector = { matchLabels: { app: 'web' } };
  return env.create<StatefulSet>(STATEFUL_SETS, {
    metadata: { name: 'web' },
    spec: { replicas, serviceName: 'web', selector, template, ...rest },
  });
}

function ready(env: WorkloadEnvironment, count: number): Promise<StatefulSet> {
  return env.until<StatefulSet>(STATEFUL_SETS, 'web', `has ${count} ready pods`, ({ metadata, status }) => {
    const counts = [status?.replicas, status?.readyReplicas ?? 0];
    return status?.observedGeneration === metadata.generation && counts.every((each) => each === count);
  });
}

/** All pods are of the newest template. */
function updated(env: WorkloadEnvironment, count: number): Promise<StatefulSet> {
  return env.until<StatefulSet>(STATEFUL_SETS, 'web', 'is up to date', ({ metadata, status }) => {
    const isRolledOut = status?.currentRevision === status?.updateRevision && status?.readyReplicas === count;
    return status?.observedGeneration === metadata.generation && status?.updatedReplicas === count && isRolledOut;
  });
}

async function names(env: WorkloadEnvironment): Promise<readonly string[]> {
  return (await env.pods()).map(({ metadata }) => metadata.name);
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
  workloadCase('a StatefulSet creates its pods in order, each when the one before is ready', async (env) => {
    await env.node('a');
    const states = await env.record<Pod>(PODS);
    await createSet(env);
    await ready(env, 3);
    await env.caughtUp(PODS, states);
    assert.ok(ranBefore(states, 'web-0', 'web-1'), 'web-1 came before web-0 was ready');
    assert.ok(ranBefore(states, 'web-1', 'web-2'), 'web-2 came before web-1 was ready');
  }),

  workloadCase('a pod of a StatefulSet has a name, a number and a host of its own', async (env) => {
    await env.node('a');
    const set = await createSet(env, { replicas: 1 });
    const { status } = await ready(env, 1);
    const { metadata, spec } = await env.get<Pod>(PODS, 'web-0');
    assert.equal(metadata.generateName, 'web-');
    assert.equal(metadata.labels?.[POD_NAME], 'web-0');
    assert.equal(metadata.labels?.['apps.kubernetes.io/pod-index'], '0');
    assert.equal(metadata.labels?.['controller-revision-hash'], status?.updateRevision);
    assert.equal(metadata.ownerReferences?.[0]?.uid, set.metadata.uid);
    assert.equal(spec.hostname, 'web-0');
    assert.equal(spec.subdomain, 'web');
  }),

  workloadCase('a pod that has lost the label of its name gets it back', async (env) => {
    await env.node('a');
    await createSet(env, { replicas: 1 });
    await ready(env, 1);
    await env.merge(PODS, 'web-0', { metadata: { labels: { [POD_NAME]: null } } });
    await env.until<Pod>(PODS, 'web-0', 'is labelled', ({ metadata }) => metadata.labels?.[POD_NAME] === 'web-0');
  }),

  workloadCase('the status of a StatefulSet counts pods and names revisions', async (env) => {
    await env.node('a');
    await createSet(env, { replicas: 2 });
    const { status } = await updated(env, 2);
    const [revision] = await env.list<ControllerRevision>(CONTROLLER_REVISIONS);
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

  workloadCase('while its first pod does not run, an ordered StatefulSet has no second', async (env) => {
    await createSet(env, { template: env.unschedulableTemplate() });
    await env.context.until('the first pod', async () => (await env.pods()).length > 0);
    await env.context.clock.sleep(1000);
    assert.deepEqual(await names(env), ['web-0']);
  }),

  workloadCase('a parallel StatefulSet creates all pods at once', async (env) => {
    await createSet(env, { podManagementPolicy: 'Parallel', template: env.unschedulableTemplate() });
    await env.context.until('all pods', async () => (await env.pods()).length === 3);
    assert.deepEqual(await names(env), ['web-0', 'web-1', 'web-2']);
  }),

  workloadCase('a shrinking StatefulSet lets the highest number go first', async (env) => {
    await env.node('a');
    await createSet(env);
    await ready(env, 3);
    const states = await env.record<Pod>(PODS);
    await env.merge(STATEFUL_SETS, 'web', { spec: { replicas: 1 } });
    await env.context.until('one pod is left', async () => (await env.pods()).length === 1);
    await env.context.until(
      'both ends were seen',
      async () => states.filter(({ change }) => change === 'DELETED').length === 2,
    );
    const gone = states.filter(({ change }) => change === 'DELETED').map(({ object }) => object.metadata.name);
    assert.deepEqual(gone, ['web-2', 'web-1']);
    assert.deepEqual(await names(env), ['web-0']);
  }),

  workloadCase('a rolling update goes from the highest number to the lowest, one pod at a time', async (env) => {
    await env.node('a');
    await createSet(env);
    await updated(env, 3);
    const states = await env.record<Pod>(PODS);
    await env.merge(STATEFUL_SETS, 'web', { spec: { template: { spec: NEXT_IMAGE } } });
    await updated(env, 3);
    await env.caughtUp(PODS, states);
    const steps = states
      .filter(
        ({ change, object }) =>
          change === 'DELETED' || (change === 'ADDED' && object.spec.containers?.[0]?.image?.endsWith(':2')),
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

  workloadCase('pods below the partition keep the old template, also when they are replaced', async (env) => {
    await env.node('a');
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await createSet(env, { updateStrategy });
    await updated(env, 3);
    await env.merge(STATEFUL_SETS, 'web', { spec: { template: { spec: NEXT_IMAGE } } });
    const imageOf = async (pod: string): Promise<string | undefined> =>
      (await env.get<Pod>(PODS, pod)).spec.containers?.[0]?.image;
    await env.context.until('web-2 is new', async () => (await imageOf('web-2'))?.endsWith(':2'));
    const { status } = await env.until<StatefulSet>(STATEFUL_SETS, 'web', 'has one new pod', (set) => {
      return set.status?.updatedReplicas === 1 && set.status.readyReplicas === 3;
    });
    assert.equal(status?.currentReplicas, 2);
    assert.notEqual(status?.currentRevision, status?.updateRevision);
    const { metadata } = await env.get(PODS, 'web-0');
    await env.delete(PODS, 'web-0');
    await env.until(PODS, 'web-0', 'is another one', (pod) => pod.metadata.uid !== metadata.uid);
    assert.equal(await imageOf('web-0'), 'registry.example/main:1');
  }),

  workloadCase('with OnDelete only a deleted pod gets the new template', async (env) => {
    await env.node('a');
    await createSet(env, { replicas: 2, updateStrategy: { type: 'OnDelete' } });
    await ready(env, 2);
    await env.merge(STATEFUL_SETS, 'web', { spec: { template: { spec: NEXT_IMAGE } } });
    await env.until<StatefulSet>(
      STATEFUL_SETS,
      'web',
      'knows the new revision',
      ({ status }) => status?.currentRevision !== status?.updateRevision,
    );
    await env.delete(PODS, 'web-1');
    await env.context.until('web-1 is new', async () => {
      const { spec } = await env.get<Pod>(PODS, 'web-1');
      return spec.containers?.[0]?.image?.endsWith(':2');
    });
    assert.equal((await env.get<Pod>(PODS, 'web-0')).spec.containers?.[0]?.image, 'registry.example/main:1');
  }),

  workloadCase('ordinals may start above zero', async (env) => {
    await env.node('a');
    await createSet(env, { replicas: 2, ordinals: { start: 5 } });
    await ready(env, 2);
    assert.deepEqual(await names(env), ['web-5', 'web-6']);
  }),

  workloadCase('a pod of a StatefulSet that has ended is replaced by its namesake', async (env) => {
    await createSet(env, { replicas: 1, template: env.unschedulableTemplate() });
    const first = await env.context.until('the pod', async () => (await env.pods())[0]);
    await env.merge(PODS, 'web-0', { status: { phase: 'Failed' } }, 'status');
    await env.until(PODS, 'web-0', 'is another one', ({ metadata }) => metadata.uid !== first.metadata.uid);
  }),

  workloadCase('each pod of a StatefulSet has claims of its own, which outlive the set', async (env) => {
    const volumeMounts = [{ name: 'data', mountPath: '/data' }]; // a volume the template itself does not have
    await createSet(env, {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      template: env.unschedulableTemplate({ containers: [{ name: 'main', image: 'a', volumeMounts }] }),
      volumeClaimTemplates: [CLAIM],
    });
    await env.context.until('two pods', async () => (await env.pods()).length === 2);
    const volumeClaims = await env.list(PERSISTENT_VOLUME_CLAIMS);
    assert.deepEqual(
      volumeClaims.map(({ metadata }) => metadata.name),
      ['data-web-0', 'data-web-1'],
    );
    assert.deepEqual(volumeClaims[0]?.metadata.labels, { app: 'web' });
    const { spec } = await env.get<Pod>(PODS, 'web-1');
    assert.deepEqual(spec.volumes?.[0], { name: 'data', persistentVolumeClaim: { claimName: 'data-web-1' } });
    await env.delete(STATEFUL_SETS, 'web', { propagationPolicy: 'Foreground' });
    await env.untilGone(STATEFUL_SETS, 'web');
    assert.equal((await env.list(PERSISTENT_VOLUME_CLAIMS)).length, 2);
  }),

  workloadCase('claims go with the set, and with pods that scaling takes away, if the set says so', async (env) => {
    await createSet(env, {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      template: env.unschedulableTemplate(),
      volumeClaimTemplates: [CLAIM],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    });
    await env.context.until('two pods', async () => (await env.pods()).length === 2);
    // A claim that the controller does not know yet would be left behind by its pod. Claims do not make it look; a change
    // of the set does.
    await env.context.until('the set has its claims', async () => {
      const annotations = { look: String(env.context.clock.now()) };
      await env.merge(STATEFUL_SETS, 'web', { metadata: { annotations } });
      const volumeClaims = await env.list(PERSISTENT_VOLUME_CLAIMS);
      const owned = volumeClaims.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'StatefulSet');
      return owned.length === 2;
    });
    await env.merge(STATEFUL_SETS, 'web', { spec: { replicas: 1 } });
    await env.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data-web-1');
    assert.equal(await env.isGone(PERSISTENT_VOLUME_CLAIMS, 'data-web-0'), false);
    await env.delete(STATEFUL_SETS, 'web');
    await env.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data-web-0');
  }),
];
