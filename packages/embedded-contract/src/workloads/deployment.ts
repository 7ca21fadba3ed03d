import assert from 'node:assert/strict';
import {
  type ApiObject,
  type Deployment,
  DEPLOYMENTS,
  EVENTS,
  findCondition,
  type Node,
  NODES,
  type Pod,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
} from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const NEXT_IMAGE = { containers: [{ name: 'main', image: 'registry.example/main:2' }] };
type Strategy = Deployment['spec']['strategy'];

const rolling = (maxSurge: number | string, maxUnavailable: number | string): Strategy => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});

function deploy(env: WorkloadEnvironment, spec: Partial<Deployment['spec']> = {}): Promise<Deployment> {
  const { replicas = 2, template = env.template(), ...rest } = spec;
  const selector = { matchLabels: { app: 'web' } };
  return env.create<Deployment>(DEPLOYMENTS, {
    metadata: { name: 'web' },
    spec: { replicas, selector, template, ...rest },
  });
}

/** The rollout is over, as `kubectl rollout status` sees it. */
function rolledOut(env: WorkloadEnvironment, replicas: number): Promise<Deployment> {
  return env.until<Deployment>(DEPLOYMENTS, 'web', 'is rolled out', ({ metadata, status = {} }) => {
    const counts = [status.replicas ?? 0, status.updatedReplicas ?? 0, status.availableReplicas ?? 0];
    return status.observedGeneration === metadata.generation && counts.every((count) => count === replicas);
  });
}

/** From the oldest revision to the newest. */
async function sets(env: WorkloadEnvironment): Promise<readonly ReplicaSet[]> {
  const all = await env.list<ReplicaSet>(REPLICA_SETS);
  return all.toSorted((a, b) => revision(a) - revision(b));
}

function revision({ metadata }: ApiObject): number {
  return Number(metadata.annotations?.[REVISION]);
}

function changeTemplate(env: WorkloadEnvironment, spec: object = NEXT_IMAGE): Promise<Deployment> {
  return env.merge<Deployment>(DEPLOYMENTS, 'web', { spec: { template: { spec } } });
}

/** What all sets together asked for, after each change of any of them. */
function sizesOf(states: readonly { readonly object: ReplicaSet }[]): readonly number[] {
  const sizes = new Map<string, number>();
  return states.map(({ object }) => {
    sizes.set(object.metadata.name, object.spec.replicas);
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  });
}

/** How many pods all ReplicaSets together ask for, again and again while three pods are replaced with this strategy. */
async function sizesInRollout(
  env: WorkloadEnvironment,
  strategy: Deployment['spec']['strategy'],
): Promise<readonly number[]> {
  await env.node('a');
  await deploy(env, { replicas: 3, strategy });
  await rolledOut(env, 3);
  const states = await env.record<ReplicaSet>(REPLICA_SETS);
  await changeTemplate(env);
  await rolledOut(env, 3);
  await env.caughtUp(REPLICA_SETS, states);
  return sizesOf(states);
}

export const deploymentCases: readonly ContractCase[] = [
  workloadCase('a Deployment keeps its pods by way of a ReplicaSet named after the template', async (env) => {
    await env.node('a');
    const deployment = await deploy(env);
    await rolledOut(env, 2);
    const [set, ...others] = await sets(env);
    assert.equal(others.length, 0);
    const hash = set?.metadata.labels?.['pod-template-hash'];
    assert.equal(set?.metadata.name, `web-${hash}`);
    assert.deepEqual(set?.spec.selector.matchLabels, { app: 'web', 'pod-template-hash': hash });
    assert.equal(set?.metadata.ownerReferences?.[0]?.uid, deployment.metadata.uid);
    assert.equal(set?.metadata.ownerReferences?.[0]?.blockOwnerDeletion, true);
    for (const pod of await env.pods()) {
      assert.equal(pod.metadata.generateName, `${set?.metadata.name}-`);
      assert.equal(pod.metadata.labels?.['pod-template-hash'], hash);
      assert.equal(pod.metadata.ownerReferences?.[0]?.uid, set?.metadata.uid);
    }
  }),

  workloadCase('a set is annotated with the size it was made for and the first revision', async (env) => {
    await deploy(env, { replicas: 4, strategy: rolling('25%', 1) });
    const set = await env.context.until('the set is there', async () => (await sets(env))[0]);
    assert.equal(set.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'], '4');
    assert.equal(set.metadata.annotations?.['deployment.kubernetes.io/max-replicas'], '5');
    assert.equal(revision(set), 1);
    await env.until(DEPLOYMENTS, 'web', 'has revision 1', (object) => revision(object) === 1);
  }),

  workloadCase('a complete rollout says so in its conditions and counters', async (env) => {
    await env.node('a');
    await deploy(env, { replicas: 3 });
    const done = await env.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'has succeeded',
      ({ status }) => findCondition({ status }, 'Progressing')?.reason === 'NewReplicaSetAvailable',
    );
    const [set] = await sets(env);
    const { conditions, ...counters } = done.status ?? {};
    assert.deepEqual(counters, {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    const progressing = findCondition({ status: { conditions } }, 'Progressing');
    assert.equal(progressing?.status, 'True');
    assert.equal(progressing?.message, `ReplicaSet "${set?.metadata.name}" has successfully progressed.`);
    const available = findCondition({ status: { conditions } }, 'Available');
    assert.equal(available?.status, 'True');
    assert.equal(available?.reason, 'MinimumReplicasAvailable');
    assert.equal(available?.message, 'Deployment has minimum availability.');
  }),

  workloadCase('a Deployment without enough pods says that it is not available', async (env) => {
    await deploy(env, { template: env.unschedulableTemplate() });
    const waiting = await env.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'has two pods',
      ({ status }) => status?.replicas === 2,
    );
    const available = findCondition(waiting, 'Available');
    assert.equal(available?.status, 'False');
    assert.equal(available?.reason, 'MinimumReplicasUnavailable');
    assert.equal(waiting.status?.unavailableReplicas, 2);
    assert.equal(waiting.status?.availableReplicas, undefined);
  }),

  workloadCase('a new template rolls out to a new set and empties the old one', async (env) => {
    await env.node('a');
    await deploy(env, { replicas: 3 });
    await rolledOut(env, 3);
    await changeTemplate(env);
    await rolledOut(env, 3);
    const [first, second] = await sets(env);
    assert.equal(first?.spec.replicas, 0);
    assert.equal(second?.spec.replicas, 3);
    assert.deepEqual(
      [first, second].map((set) => set && revision(set)),
      [1, 2],
    );
    assert.equal(revision(await env.get(DEPLOYMENTS, 'web')), 2);
    await env.context.until('only new pods are left', async () => {
      const pods = await env.pods();
      return pods.length === 3 && pods.every(({ spec }) => spec.containers?.[0]?.image?.endsWith(':2'));
    });
  }),

  workloadCase(
    'a rolling update with a surge never asks for more pods than that, nor for fewer than wanted',
    async (env) => {
      const sizes = await sizesInRollout(env, rolling(1, 0));
      assert.equal(Math.max(...sizes), 4);
      assert.equal(Math.min(...sizes), 3);
    },
  ),

  workloadCase('a rolling update without a surge never asks for more pods than wanted', async (env) => {
    const sizes = await sizesInRollout(env, rolling(0, 1));
    assert.equal(Math.max(...sizes), 3);
    assert.equal(Math.min(...sizes), 2);
  }),

  workloadCase('a rollout whose pods do not work keeps the old ones it must keep', async (env) => {
    await env.node('a');
    await deploy(env, { replicas: 4, strategy: rolling(1, 1) });
    await rolledOut(env, 4);
    await changeTemplate(env, { nodeSelector: { 'workloads.test/environment': 'nowhere' } });
    await env.context.until('two new pods and three old ones', async () => {
      const [first, second] = await sets(env);
      return first?.spec.replicas === 3 && second?.spec.replicas === 2;
    });
    await env.context.clock.sleep(1000);
    const [first, second] = await sets(env);
    assert.deepEqual([first?.spec.replicas, second?.spec.replicas], [3, 2]);
  }),

  workloadCase('scaling in the middle of a rollout is shared out among the sets', async (env) => {
    await env.node('a');
    await deploy(env, { replicas: 10, strategy: rolling(3, 2) });
    await rolledOut(env, 10);
    await changeTemplate(env, { nodeSelector: { 'workloads.test/environment': 'nowhere' } });
    const sized = (wanted: readonly number[]): Promise<boolean> =>
      env.context.until(`sets of ${wanted.join(' and ')}`, async () => {
        const all = await sets(env);
        return all.length === 2 && all.every(({ spec }, i) => spec.replicas === wanted[i]);
      });
    await sized([8, 5]);
    await env.merge(DEPLOYMENTS, 'web', { spec: { replicas: 15 } });
    await sized([11, 7]);
  }),

  workloadCase('Recreate ends all old pods before the first new one', async (env) => {
    await env.node('a');
    await deploy(env, { replicas: 2, strategy: { type: 'Recreate' } });
    await rolledOut(env, 2);
    const states = await env.record<Pod>(PODS);
    await changeTemplate(env);
    await rolledOut(env, 2);
    await env.caughtUp(PODS, states);
    const isNew = ({ object }: { readonly object: Pod }): boolean =>
      object.spec.containers?.[0]?.image?.endsWith(':2') ?? false;
    const firstNew = states.findIndex(isNew);
    const lastOld = states.findLastIndex((state) => !isNew(state));
    assert.ok(lastOld < firstNew, 'an old pod was still there when the first new one came');
    assert.equal(states[lastOld]?.change, 'DELETED');
  }),

  workloadCase('the scale of a Deployment is that of its pods', async (env) => {
    await env.node('a');
    await deploy(env);
    await rolledOut(env, 2);
    await env.merge(DEPLOYMENTS, 'web', { spec: { replicas: 5 } }, 'scale');
    await rolledOut(env, 5);
    await env.merge(DEPLOYMENTS, 'web', { spec: { replicas: 1 } }, 'scale');
    await rolledOut(env, 1);
    await env.context.until('one pod is left', async () => (await env.pods()).length === 1);
    assert.equal((await sets(env)).length, 1);
  }),

  workloadCase('a shrinking Deployment lets pods go first where there are most of them', async (env) => {
    const [first, second] = [await env.node('a'), await env.node('b', { unschedulable: true })];
    await deploy(env, { replicas: 2 });
    await rolledOut(env, 2);
    await env.merge(NODES, first, { spec: { unschedulable: true } });
    await env.merge(NODES, second, { spec: { unschedulable: null } });
    await env.until<Node>(NODES, second, 'is open', ({ spec }) => spec?.taints?.length === 1);
    await env.context.clock.sleep(4000); // by age alone the third would go
    await env.merge(DEPLOYMENTS, 'web', { spec: { replicas: 3 } });
    await rolledOut(env, 3);
    await env.merge(DEPLOYMENTS, 'web', { spec: { replicas: 2 } });
    await env.context.until('two pods are left', async () => (await env.pods()).length === 2);
    const nodes = (await env.pods()).map(({ spec }) => spec.nodeName);
    assert.deepEqual(new Set(nodes), new Set([first, second]));
  }),

  workloadCase('a Deployment of no pods is complete and available', async (env) => {
    await deploy(env, { replicas: 0 });
    const idle = await env.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'has been seen',
      ({ status }) => findCondition({ status }, 'Progressing')?.reason === 'NewReplicaSetAvailable',
    );
    assert.equal(idle.status?.replicas, undefined);
    assert.equal(findCondition(idle, 'Available')?.status, 'True');
  }),

  workloadCase(
    'a template that comes back takes its old set, with a new revision and a memory of the old',
    async (env) => {
      await env.node('a');
      await deploy(env);
      await rolledOut(env, 2);
      const [first] = await sets(env);
      await changeTemplate(env);
      await rolledOut(env, 2);
      await changeTemplate(env, { containers: [{ name: 'main', image: 'registry.example/main:1' }] });
      await rolledOut(env, 2);
      const [, last] = await sets(env);
      assert.equal(last?.metadata.uid, first?.metadata.uid);
      assert.equal(last && revision(last), 3);
      assert.equal(last?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
      await env.until(DEPLOYMENTS, 'web', 'has revision 3', (object) => revision(object) === 3);
    },
  ),

  workloadCase('annotations of a Deployment are copied to its present set', async (env) => {
    await deploy(env, { template: env.unschedulableTemplate() });
    await env.context.until('the set is there', async () => (await sets(env)).length === 1);
    await env.merge(DEPLOYMENTS, 'web', { metadata: { annotations: { 'example.com/why': 'because' } } });
    await env.context.until('the set has it', async () => {
      const [set] = await sets(env);
      return set?.metadata.annotations?.['example.com/why'] === 'because';
    });
  }),

  workloadCase('a paused Deployment does not roll out until it is resumed', async (env) => {
    await env.node('a');
    await deploy(env);
    await rolledOut(env, 2);
    await env.merge(DEPLOYMENTS, 'web', { spec: { paused: true } });
    await env.until<Deployment>(DEPLOYMENTS, 'web', 'is known to be paused', ({ status }) => {
      const condition = findCondition({ status }, 'Progressing');
      return condition?.status === 'Unknown' && condition.reason === 'DeploymentPaused';
    });
    const changed = await changeTemplate(env);
    await env.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'is observed',
      ({ status }) => status?.observedGeneration === changed.metadata.generation,
    );
    assert.equal((await sets(env)).length, 1);
    await env.merge(DEPLOYMENTS, 'web', { spec: { replicas: 3 } });
    await env.context.until('three pods of the old template', async () => (await env.pods()).length === 3);
    await env.merge(DEPLOYMENTS, 'web', { spec: { paused: false } });
    await rolledOut(env, 3);
    assert.equal((await sets(env)).length, 2);
  }),

  workloadCase('old sets beyond the history limit are deleted', async (env) => {
    await env.node('a');
    await deploy(env, { replicas: 1, revisionHistoryLimit: 1 });
    for (const tag of [2, 3, 4]) {
      await rolledOut(env, 1);
      await changeTemplate(env, { containers: [{ name: 'main', image: `registry.example/main:${tag}` }] });
    }
    await rolledOut(env, 1);
    await env.context.until('two sets are left', async () => (await sets(env)).length === 2);
    assert.deepEqual((await sets(env)).map(revision), [3, 4]);
  }),

  workloadCase('a rollout without progress is late after its deadline', async (env) => {
    await deploy(env, { replicas: 1, progressDeadlineSeconds: 2, template: env.unschedulableTemplate() });
    const late = await env.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'is late',
      ({ status }) => findCondition({ status }, 'Progressing')?.status === 'False',
    );
    const [set] = await sets(env);
    const progressing = findCondition(late, 'Progressing');
    assert.equal(progressing?.reason, 'ProgressDeadlineExceeded');
    assert.equal(progressing?.message, `ReplicaSet "${set?.metadata.name}" has timed out progressing.`);
  }),

  workloadCase('a restart annotation in the template replaces all pods', async (env) => {
    await env.node('a');
    await deploy(env);
    await rolledOut(env, 2);
    const before = new Set((await env.pods()).map(({ metadata }) => metadata.uid));
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' };
    await env.merge(DEPLOYMENTS, 'web', { spec: { template: { metadata: { annotations } } } });
    await rolledOut(env, 2);
    await env.context.until('no pod of before is left', async () => {
      const pods = await env.pods();
      return pods.length === 2 && pods.every(({ metadata }) => !before.has(metadata.uid));
    });
  }),

  workloadCase('each step of a rollout is an event of the Deployment', async (env) => {
    await deploy(env, { replicas: 1, template: env.unschedulableTemplate() });
    const [set] = await env.context.until('the set is there', async () => {
      const all = await sets(env);
      return all.length === 1 && all;
    });
    await env.context.until('the event is there', async () => {
      const events = await env.list<ApiObject & { readonly reason: string; readonly message: string }>(EVENTS);
      const message = `Scaled up replica set ${set?.metadata.name} from 0 to 1`;
      return events.some((event) => event.reason === 'ScalingReplicaSet' && event.message === message);
    });
  }),
];
