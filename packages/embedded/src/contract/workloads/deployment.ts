import assert from 'node:assert/strict';
import type { ApiObject } from '@karpenter-ts/runtime';
import { EVENTS } from '@karpenter-ts/runtime/kinds';
import { findCondition } from '../../workloads/kinds/condition.ts';
import { DEPLOYMENTS, type Deployment } from '../../workloads/kinds/deployment.ts';
import { NODES, type Node } from '../../workloads/kinds/node.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import { REPLICA_SETS, type ReplicaSet } from '../../workloads/kinds/replica-set.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Yard, yardCase } from './yard.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const NEXT_IMAGE = { containers: [{ name: 'main', image: 'registry.example/main:2' }] };
type Strategy = Deployment['spec']['strategy'];

const rolling = (maxSurge: number | string, maxUnavailable: number | string): Strategy => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});

function deploy(yard: Yard, spec: Partial<Deployment['spec']> = {}): Promise<Deployment> {
  const { replicas = 2, template = yard.template(), ...rest } = spec;
  const selector = { matchLabels: { app: 'web' } };
  return yard.create<Deployment>(DEPLOYMENTS, {
    metadata: { name: 'web' },
    spec: { replicas, selector, template, ...rest },
  });
}

/** The rollout is over, as `kubectl rollout status` sees it. */
function rolledOut(yard: Yard, replicas: number): Promise<Deployment> {
  return yard.until<Deployment>(DEPLOYMENTS, 'web', 'is rolled out', ({ metadata, status = {} }) => {
    const counts = [status.replicas ?? 0, status.updatedReplicas ?? 0, status.availableReplicas ?? 0];
    return status.observedGeneration === metadata.generation && counts.every((count) => count === replicas);
  });
}

/** From the oldest revision to the newest. */
async function sets(yard: Yard): Promise<readonly ReplicaSet[]> {
  const all = await yard.list<ReplicaSet>(REPLICA_SETS);
  return all.toSorted((a, b) => revision(a) - revision(b));
}

function revision({ metadata }: ApiObject): number {
  return Number(metadata.annotations?.[REVISION]);
}

function changeTemplate(yard: Yard, spec: object = NEXT_IMAGE): Promise<Deployment> {
  return yard.merge<Deployment>(DEPLOYMENTS, 'web', { spec: { template: { spec } } });
}

/** What all sets together asked for, after each change of any of them. */
function sizesOf(states: readonly { readonly object: ReplicaSet }[]): readonly number[] {
  const sizes = new Map<string, number>();
  return states.map(({ object }) => {
    sizes.set(object.metadata.name, object.spec.replicas);
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  });
}

export const deploymentCases: readonly ContractCase[] = [
  yardCase('a Deployment keeps its pods by way of a ReplicaSet named after the template', async (yard) => {
    await yard.node('a');
    const deployment = await deploy(yard);
    await rolledOut(yard, 2);
    const [set, ...others] = await sets(yard);
    assert.equal(others.length, 0);
    const hash = set?.metadata.labels?.['pod-template-hash'];
    assert.equal(set?.metadata.name, `web-${hash}`);
    assert.deepEqual(set?.spec.selector.matchLabels, { app: 'web', 'pod-template-hash': hash });
    assert.equal(set?.metadata.ownerReferences?.[0]?.uid, deployment.metadata.uid);
    assert.equal(set?.metadata.ownerReferences?.[0]?.blockOwnerDeletion, true);
    for (const pod of await yard.pods()) {
      assert.equal(pod.metadata.generateName, `${set?.metadata.name}-`);
      assert.equal(pod.metadata.labels?.['pod-template-hash'], hash);
      assert.equal(pod.metadata.ownerReferences?.[0]?.uid, set?.metadata.uid);
    }
  }),

  yardCase('a set is annotated with the size it was made for and the first revision', async (yard) => {
    await deploy(yard, { replicas: 4, strategy: rolling('25%', 1) });
    const set = await yard.context.until('the set is there', async () => (await sets(yard))[0]);
    assert.equal(set.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'], '4');
    assert.equal(set.metadata.annotations?.['deployment.kubernetes.io/max-replicas'], '5');
    assert.equal(revision(set), 1);
    await yard.until(DEPLOYMENTS, 'web', 'has revision 1', (object) => revision(object) === 1);
  }),

  yardCase('a complete rollout says so in its conditions and counters', async (yard) => {
    await yard.node('a');
    await deploy(yard, { replicas: 3 });
    const done = await yard.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'has succeeded',
      ({ status }) => findCondition(status?.conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable',
    );
    const [set] = await sets(yard);
    const { conditions, ...counters } = done.status ?? {};
    assert.deepEqual(counters, {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    const progressing = findCondition(conditions, 'Progressing');
    assert.equal(progressing?.status, 'True');
    assert.equal(progressing?.message, `ReplicaSet "${set?.metadata.name}" has successfully progressed.`);
    const available = findCondition(conditions, 'Available');
    assert.equal(available?.status, 'True');
    assert.equal(available?.reason, 'MinimumReplicasAvailable');
    assert.equal(available?.message, 'Deployment has minimum availability.');
  }),

  yardCase('a Deployment without enough pods says that it is not available', async (yard) => {
    await deploy(yard, { template: yard.homelessTemplate() });
    const waiting = await yard.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'has two pods',
      ({ status }) => status?.replicas === 2,
    );
    const available = findCondition(waiting.status?.conditions, 'Available');
    assert.equal(available?.status, 'False');
    assert.equal(available?.reason, 'MinimumReplicasUnavailable');
    assert.equal(waiting.status?.unavailableReplicas, 2);
    assert.equal(waiting.status?.availableReplicas, undefined);
  }),

  yardCase('a new template rolls out to a new set and empties the old one', async (yard) => {
    await yard.node('a');
    await deploy(yard, { replicas: 3 });
    await rolledOut(yard, 3);
    await changeTemplate(yard);
    await rolledOut(yard, 3);
    const [first, second] = await sets(yard);
    assert.equal(first?.spec.replicas, 0);
    assert.equal(second?.spec.replicas, 3);
    assert.deepEqual(
      [first, second].map((set) => set && revision(set)),
      [1, 2],
    );
    assert.equal(revision(await yard.get(DEPLOYMENTS, 'web')), 2);
    await yard.context.until('only new pods are left', async () => {
      const pods = await yard.pods();
      return pods.length === 3 && pods.every(({ spec }) => spec.containers[0]?.image?.endsWith(':2'));
    });
  }),

  yardCase(
    'a rolling update with a surge never asks for more pods than that, nor for fewer than wanted',
    async (yard) => {
      await yard.node('a');
      await deploy(yard, { replicas: 3, strategy: rolling(1, 0) });
      await rolledOut(yard, 3);
      const states = await yard.record<ReplicaSet>(REPLICA_SETS);
      await changeTemplate(yard);
      await rolledOut(yard, 3);
      await yard.caughtUp(REPLICA_SETS, states);
      const sizes = sizesOf(states);
      assert.equal(Math.max(...sizes), 4);
      assert.equal(Math.min(...sizes), 3);
    },
  ),

  yardCase('a rolling update without a surge never asks for more pods than wanted', async (yard) => {
    await yard.node('a');
    await deploy(yard, { replicas: 3, strategy: rolling(0, 1) });
    await rolledOut(yard, 3);
    const states = await yard.record<ReplicaSet>(REPLICA_SETS);
    await changeTemplate(yard);
    await rolledOut(yard, 3);
    await yard.caughtUp(REPLICA_SETS, states);
    const sizes = sizesOf(states);
    assert.equal(Math.max(...sizes), 3);
    assert.equal(Math.min(...sizes), 2);
  }),

  yardCase('a rollout whose pods do not work keeps the old ones it must keep', async (yard) => {
    await yard.node('a');
    await deploy(yard, { replicas: 4, strategy: rolling(1, 1) });
    await rolledOut(yard, 4);
    await changeTemplate(yard, { nodeSelector: { 'workloads.test/yard': 'nowhere' } });
    await yard.context.until('two new pods and three old ones', async () => {
      const [first, second] = await sets(yard);
      return first?.spec.replicas === 3 && second?.spec.replicas === 2;
    });
    await yard.context.clock.sleep(1000);
    const [first, second] = await sets(yard);
    assert.deepEqual([first?.spec.replicas, second?.spec.replicas], [3, 2]);
  }),

  yardCase('scaling in the middle of a rollout is shared out among the sets', async (yard) => {
    await yard.node('a');
    await deploy(yard, { replicas: 10, strategy: rolling(3, 2) });
    await rolledOut(yard, 10);
    await changeTemplate(yard, { nodeSelector: { 'workloads.test/yard': 'nowhere' } });
    const sized = (wanted: readonly number[]): Promise<boolean> =>
      yard.context.until(`sets of ${wanted.join(' and ')}`, async () => {
        const all = await sets(yard);
        return all.length === 2 && all.every(({ spec }, i) => spec.replicas === wanted[i]);
      });
    await sized([8, 5]);
    await yard.merge(DEPLOYMENTS, 'web', { spec: { replicas: 15 } });
    await sized([11, 7]);
  }),

  yardCase('Recreate ends all old pods before the first new one', async (yard) => {
    await yard.node('a');
    await deploy(yard, { replicas: 2, strategy: { type: 'Recreate' } });
    await rolledOut(yard, 2);
    const states = await yard.record<Pod>(PODS);
    await changeTemplate(yard);
    await rolledOut(yard, 2);
    await yard.caughtUp(PODS, states);
    const isNew = ({ object }: { readonly object: Pod }): boolean =>
      object.spec.containers[0]?.image?.endsWith(':2') ?? false;
    const firstNew = states.findIndex(isNew);
    const lastOld = states.findLastIndex((state) => !isNew(state));
    assert.ok(lastOld < firstNew, 'an old pod was still there when the first new one came');
    assert.equal(states[lastOld]?.change, 'DELETED');
  }),

  yardCase('the scale of a Deployment is that of its pods', async (yard) => {
    await yard.node('a');
    await deploy(yard);
    await rolledOut(yard, 2);
    await yard.merge(DEPLOYMENTS, 'web', { spec: { replicas: 5 } }, 'scale');
    await rolledOut(yard, 5);
    await yard.merge(DEPLOYMENTS, 'web', { spec: { replicas: 1 } }, 'scale');
    await rolledOut(yard, 1);
    await yard.context.until('one pod is left', async () => (await yard.pods()).length === 1);
    assert.equal((await sets(yard)).length, 1);
  }),

  yardCase('a shrinking Deployment lets pods go first where there are most of them', async (yard) => {
    const [first, second] = [await yard.node('a'), await yard.node('b', { unschedulable: true })];
    await deploy(yard, { replicas: 2 });
    await rolledOut(yard, 2);
    await yard.merge(NODES, first, { spec: { unschedulable: true } });
    await yard.merge(NODES, second, { spec: { unschedulable: null } });
    await yard.until<Node>(NODES, second, 'is open', ({ spec }) => spec?.taints?.length === 1);
    await yard.context.clock.sleep(4000); // by age alone the third would go
    await yard.merge(DEPLOYMENTS, 'web', { spec: { replicas: 3 } });
    await rolledOut(yard, 3);
    await yard.merge(DEPLOYMENTS, 'web', { spec: { replicas: 2 } });
    await yard.context.until('two pods are left', async () => (await yard.pods()).length === 2);
    const nodes = (await yard.pods()).map(({ spec }) => spec.nodeName);
    assert.deepEqual(new Set(nodes), new Set([first, second]));
  }),

  yardCase('a Deployment of no pods is complete and available', async (yard) => {
    await deploy(yard, { replicas: 0 });
    const idle = await yard.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'has been seen',
      ({ status }) => findCondition(status?.conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable',
    );
    assert.equal(idle.status?.replicas, undefined);
    assert.equal(findCondition(idle.status?.conditions, 'Available')?.status, 'True');
  }),

  yardCase(
    'a template that comes back takes its old set, with a new revision and a memory of the old',
    async (yard) => {
      await yard.node('a');
      await deploy(yard);
      await rolledOut(yard, 2);
      const [first] = await sets(yard);
      await changeTemplate(yard);
      await rolledOut(yard, 2);
      await changeTemplate(yard, { containers: [{ name: 'main', image: 'registry.example/main:1' }] });
      await rolledOut(yard, 2);
      const [, last] = await sets(yard);
      assert.equal(last?.metadata.uid, first?.metadata.uid);
      assert.equal(last && revision(last), 3);
      assert.equal(last?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
      await yard.until(DEPLOYMENTS, 'web', 'has revision 3', (object) => revision(object) === 3);
    },
  ),

  yardCase('annotations of a Deployment are copied to its present set', async (yard) => {
    await deploy(yard, { template: yard.homelessTemplate() });
    await yard.context.until('the set is there', async () => (await sets(yard)).length === 1);
    await yard.merge(DEPLOYMENTS, 'web', { metadata: { annotations: { 'example.com/why': 'because' } } });
    await yard.context.until('the set has it', async () => {
      const [set] = await sets(yard);
      return set?.metadata.annotations?.['example.com/why'] === 'because';
    });
  }),

  yardCase('a paused Deployment does not roll out until it is resumed', async (yard) => {
    await yard.node('a');
    await deploy(yard);
    await rolledOut(yard, 2);
    await yard.merge(DEPLOYMENTS, 'web', { spec: { paused: true } });
    await yard.until<Deployment>(DEPLOYMENTS, 'web', 'is known to be paused', ({ status }) => {
      const condition = findCondition(status?.conditions, 'Progressing');
      return condition?.status === 'Unknown' && condition.reason === 'DeploymentPaused';
    });
    const changed = await changeTemplate(yard);
    await yard.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'is observed',
      ({ status }) => status?.observedGeneration === changed.metadata.generation,
    );
    assert.equal((await sets(yard)).length, 1);
    await yard.merge(DEPLOYMENTS, 'web', { spec: { replicas: 3 } });
    await yard.context.until('three pods of the old template', async () => (await yard.pods()).length === 3);
    await yard.merge(DEPLOYMENTS, 'web', { spec: { paused: false } });
    await rolledOut(yard, 3);
    assert.equal((await sets(yard)).length, 2);
  }),

  yardCase('old sets beyond the history limit are deleted', async (yard) => {
    await yard.node('a');
    await deploy(yard, { replicas: 1, revisionHistoryLimit: 1 });
    for (const tag of [2, 3, 4]) {
      await rolledOut(yard, 1);
      await changeTemplate(yard, { containers: [{ name: 'main', image: `registry.example/main:${tag}` }] });
    }
    await rolledOut(yard, 1);
    await yard.context.until('two sets are left', async () => (await sets(yard)).length === 2);
    assert.deepEqual((await sets(yard)).map(revision), [3, 4]);
  }),

  yardCase('a rollout without progress is late after its deadline', async (yard) => {
    await deploy(yard, { replicas: 1, progressDeadlineSeconds: 2, template: yard.homelessTemplate() });
    const late = await yard.until<Deployment>(
      DEPLOYMENTS,
      'web',
      'is late',
      ({ status }) => findCondition(status?.conditions, 'Progressing')?.status === 'False',
    );
    const [set] = await sets(yard);
    const progressing = findCondition(late.status?.conditions, 'Progressing');
    assert.equal(progressing?.reason, 'ProgressDeadlineExceeded');
    assert.equal(progressing?.message, `ReplicaSet "${set?.metadata.name}" has timed out progressing.`);
  }),

  yardCase('a restart annotation in the template replaces all pods', async (yard) => {
    await yard.node('a');
    await deploy(yard);
    await rolledOut(yard, 2);
    const before = new Set((await yard.pods()).map(({ metadata }) => metadata.uid));
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' };
    await yard.merge(DEPLOYMENTS, 'web', { spec: { template: { metadata: { annotations } } } });
    await rolledOut(yard, 2);
    await yard.context.until('no pod of before is left', async () => {
      const pods = await yard.pods();
      return pods.length === 2 && pods.every(({ metadata }) => !before.has(metadata.uid));
    });
  }),

  yardCase('each step of a rollout is an event of the Deployment', async (yard) => {
    await deploy(yard, { replicas: 1, template: yard.homelessTemplate() });
    const [set] = await yard.context.until('the set is there', async () => {
      const all = await sets(yard);
      return all.length === 1 && all;
    });
    await yard.context.until('the event is there', async () => {
      const events = await yard.list<ApiObject & { readonly reason: string; readonly message: string }>(EVENTS);
      const message = `Scaled up replica set ${set?.metadata.name} from 0 to 1`;
      return events.some((event) => event.reason === 'ScalingReplicaSet' && event.message === message);
    });
  }),
];
