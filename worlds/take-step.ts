import { nodeClassLabel, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Fault } from '@karpenter-ts/embedded';
import { KWOK_NODE_CLASSES } from '@karpenter-ts/provider-kwok';
import {
  type ApiObject,
  DAEMON_SETS,
  JOBS,
  NODES,
  PERSISTENT_VOLUMES,
  PODS,
  type ResourceType,
  VOLUME_ATTACHMENTS,
} from '@karpenter-ts/kubernetes';
import { isAlreadyExists, SECOND, unlessGone } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { type Node } from './cluster/kinds.ts';
import { type Manifest, NAMESPACE, nodeClass, pool, typeOf } from './cluster/manifests.ts';
import type { Choice, KillPoint, NodeFault, Step } from './plan/world-plan.ts';
import type { Stage } from './stage.ts';

/** Does what the plan says, to whatever there is by now. What it was about may be gone: then nothing happens. */
export async function takeStep(stage: Stage, step: Step): Promise<void> {
  const { journal } = stage;
  switch (step.kind) {
    case 'scale':
      return scale(stage, step.workload, step.replicas);
    case 'roll-out':
      return rollOut(stage, step.workload);
    case 'delete-pod':
      return deleteOne(stage, PODS, step.choice);
    case 'delete-claim':
      return deleteOne(stage, NODE_CLAIMS, step.choice);
    case 'delete-node':
      return deleteOne(stage, NODES, step.choice);
    case 'delete-pool': {
      const plan = stage.plan.pools.find(({ name }) => name === step.pool);
      return plan && deleteForAWhile(stage, pool(plan), step.backAfter);
    }
    case 'delete-node-class':
      return deleteForAWhile(stage, nodeClass(), step.backAfter);
    case 'break-node':
      return breakNode(stage, step);
    case 'strip-labels':
      return stripLabels(stage, step.choice);
    case 'end-machine':
      return endMachine(stage, step.choice);
    case 'hold-volume':
      return holdVolume(stage, step.choice);
    case 'join-fault':
      journal.tell(`the next ${step.times} machines will join: ${step.fault}`);
      return stage.fleet?.breakJoins(step.fault, step.times);
    case 'cloud-fault':
      journal.tell(`the cloud will answer ${step.times} × ${step.method}: ${step.fault}`);
      if (step.fault === 'no-capacity' && stage.fleet) return stage.fleet.makeScarce(step.times);
      return stage.cloudFaults.breakCalls(step.method, step.fault, step.times);
    case 'api-fault':
      journal.tell(`the API server will answer ${step.times} × ${JSON.stringify(step.requests)}: ${step.fault}`);
      return stage.apiFaults.breakRequests(step.requests, step.fault, step.times);
    case 'cut-watches':
      journal.tell('all watches are cut');
      return stage.cutWatches();
    case 'outage':
      journal.tell(`no API server for ${step.duration / SECOND} s`);
      stage.apiFaults.beginOutage(step.duration);
      return stage.cutWatches();
    case 'kill':
      return prepareKill(stage, step.at, step.downFor);
    case 'jump-clock':
      journal.tell(`the operator's clock jumps by ${step.by / SECOND} s`);
      return stage.operatorClock.jump(step.by);
    default:
      return step satisfies never;
  }
}

async function scale({ plan, cluster, journal }: Stage, name: string, replicas: number): Promise<void> {
  const workload = plan.workloads.find((one) => one.name === name);
  if (workload === undefined || typeOf(workload) === DAEMON_SETS || typeOf(workload) === JOBS) return;
  journal.tell(`${name} is scaled to ${replicas}`);
  const patch = { type: 'merge', body: { spec: { replicas } } } as const;
  await cluster.client.patch(typeOf(workload), { namespace: NAMESPACE, name }, patch);
}

async function rollOut({ plan, cluster, clock, journal }: Stage, name: string): Promise<void> {
  const workload = plan.workloads.find((one) => one.name === name);
  if (workload === undefined || typeOf(workload) === JOBS) return;
  journal.tell(`${name} is rolled out anew`);
  const annotations = { 'worlds.test/rollout': String(clock.now()) };
  const patch = { type: 'merge', body: { spec: { template: { metadata: { annotations } } } } } as const;
  await cluster.client.patch(typeOf(workload), { namespace: NAMESPACE, name }, patch);
}

async function deleteOne(stage: Stage, type: ResourceType, choice: Choice): Promise<void> {
  const found = await choose(stage, type, choice);
  if (found === undefined) return;
  stage.journal.tell(`${type.kind} ${found.metadata.name} is deleted`);
  await unlessGone(stage.cluster.client.delete(type, found.metadata));
}

async function deleteForAWhile(stage: Stage, { type, object }: Manifest, backAfter: number): Promise<void> {
  const { cluster, journal } = stage;
  journal.tell(`${type.kind} ${object.metadata.name} is deleted, for ${backAfter / SECOND} s`);
  await unlessGone(cluster.client.delete(type, object.metadata));
  stage.later(backAfter, async () => {
    journal.tell(`${type.kind} ${object.metadata.name} is back`);
    await restore(stage, { type, object });
  });
}

/** Creates what may not be gone yet: then it is waited for. */
async function restore(stage: Stage, manifest: Manifest): Promise<void> {
  try {
    await stage.cluster.client.create(manifest.type, manifest.object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    stage.later(10 * SECOND, () => restore(stage, manifest));
  }
}

async function breakNode(
  stage: Stage,
  { choice, fault, duration }: { readonly choice: Choice; readonly fault: NodeFault; readonly duration: number },
): Promise<void> {
  const { cluster, journal } = stage;
  const node = await choose(stage, NODES, choice);
  if (node === undefined) return;
  const { name } = node.metadata;
  journal.tell(`node ${name} is ${fault}, for ${duration / SECOND} s`);
  cluster.faults.inject(name, nodeFault(fault));
  stage.later(duration, async () => {
    if (stage.fleet && !stage.fleet.runs(name)) return;
    journal.tell(`node ${name} is well again`);
    cluster.faults.heal(name);
  });
}

function nodeFault(fault: NodeFault): Fault {
  switch (fault) {
    case 'lost':
      return { kind: 'lost' };
    case 'slow-drain':
      return { kind: 'slow-drain', delay: 100 * SECOND };
    case 'unhealthy': {
      const message = 'container runtime is down';
      return { kind: 'unhealthy', condition: { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message } };
    }
    default:
      return fault satisfies never;
  }
}

/** As somebody with too many rights may. */
async function stripLabels(stage: Stage, choice: Choice): Promise<void> {
  const node = await choose<Node>(stage, NODES, choice);
  if (node === undefined) return;
  stage.journal.tell(`node ${node.metadata.name} loses its labels`);
  const labels = {
    [NODEPOOL_LABEL]: null,
    [nodeClassLabel(KWOK_NODE_CLASSES)]: null,
    'karpenter.sh/initialized': null,
  };
  const patch = { type: 'merge', body: { metadata: { labels } } } as const;
  await unlessGone(stage.cluster.client.patch(NODES, node.metadata, patch));
}

async function endMachine({ fleet, journal }: Stage, choice: Choice): Promise<void> {
  const machines = fleet?.machines ?? [];
  const machine = machines[Math.floor(choice * machines.length)];
  if (machine === undefined) return;
  journal.tell(`machine ${machine.providerId} is gone`);
  fleet?.end(machine.providerId);
}

/** A volume that stays attached to a node until the world calms down. */
async function holdVolume(stage: Stage, choice: Choice): Promise<void> {
  const volume = await choose(stage, PERSISTENT_VOLUMES, choice);
  const node = await choose(stage, NODES, choice);
  if (volume === undefined || node === undefined) return;
  const [persistentVolumeName, nodeName] = [volume.metadata.name, node.metadata.name];
  stage.journal.tell(`volume ${persistentVolumeName} stays attached to ${nodeName}`);
  const spec = { attacher: 'worlds.test', nodeName, source: { persistentVolumeName } };
  const attachment: ApiObject & { readonly spec: object } = { metadata: { name: `held-${stage.clock.now()}` }, spec };
  await stage.cluster.client.create(VOLUME_ATTACHMENTS, attachment);
}

function prepareKill(stage: Stage, at: KillPoint, downFor: number): void {
  switch (at.kind) {
    case 'now':
      return stage.killOldest(downFor);
    case 'write':
      stage.journal.tell(`the operator will die ${at.when} its write no. ${at.nth}`);
      return stage.apiFaults.killAtWrite(at.nth, at.when, downFor);
    case 'cloud':
      stage.journal.tell(`the operator will die ${at.when} its next ${at.method} of the cloud`);
      return stage.cloudFaults.killAt(at.method, at.when, downFor);
    default:
      return at satisfies never;
  }
}

/** One of the objects there are, in the order of their names; undefined if there are none. */
async function choose<T extends ApiObject = ApiObject>(
  { cluster }: Stage,
  type: ResourceType,
  choice: Choice,
): Promise<T | undefined> {
  const { items } = await cluster.client.listAll<T>(type);
  const sorted = items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return sorted[Math.floor(choice * sorted.length)];
}
