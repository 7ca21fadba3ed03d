import { DO_NOT_DISRUPT, NODE_POOLS, nodeClassLabel, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Fault } from '@karpenter-ts/embedded';
import {
  type ApiObject,
  DAEMON_SETS,
  JOBS,
  type Node,
  NODES,
  PERSISTENT_VOLUMES,
  PODS,
  type ResourceType,
  VOLUME_ATTACHMENTS,
} from '@karpenter-ts/kubernetes';
import { isAlreadyExists, SECOND, unlessGone } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { type Manifest, NAMESPACE, nodeClassManifest, only, pool, typeOf } from './cluster/manifests.ts';
import { nodeClassesOf } from './cluster/node-class.ts';
import type { AwsCloud } from './cloud/aws-cloud.ts';
import type { Choice, KillPoint, NodeFault, Step } from './plan/world-plan.ts';
import type { Environment } from './environment.ts';
import { takeAwsStep } from './take-aws-step.ts';

/** Takes one step of the plan. If the objects that it is about are gone by now, it does nothing. */
export async function takeStep(env: Environment, step: Step): Promise<void> {
  const { journal } = env;
  switch (step.kind) {
    case 'scale':
      return scale(env, step.workload, step.replicas);
    case 'roll-out':
      return rollOut(env, step.workload);
    case 'delete-pod':
      return deleteOne(env, PODS, step.choice);
    case 'delete-claim':
      return deleteOne(env, NODE_CLAIMS, step.choice);
    case 'delete-node':
      return deleteOne(env, NODES, step.choice);
    case 'delete-pool': {
      const plan = env.plan.pools.find(({ name }) => name === step.pool);
      return plan && deleteForAWhile(env, pool(plan, env.plan.cloud), step.backAfter);
    }
    case 'change-template': {
      const labels = { 'worlds.test/edition': String(env.clock.now()) };
      return changePool(env, step.pool, 'a new template', { template: { metadata: { labels } } });
    }
    case 'change-requirements': {
      const requirements = [only(step.capacityType)];
      return changePool(env, step.pool, `only ${step.capacityType}`, { template: { spec: { requirements } } });
    }
    case 'change-disruption':
      return changePool(env, step.pool, JSON.stringify(step.disruption), { disruption: step.disruption });
    case 'protect-node':
      return protectNode(env, step.choice, step.duration);
    case 'drift-instances':
      return driftInstances(env, step.duration);
    case 'delete-node-class':
      return deleteForAWhile(env, nodeClassManifest(env.plan.cloud), step.backAfter);
    case 'break-node':
      return breakNode(env, step);
    case 'strip-labels':
      return stripLabels(env, step.choice);
    case 'end-instance':
      return endInstance(env, step.choice);
    case 'hold-volume':
      return holdVolume(env, step.choice);
    case 'join-fault':
      journal.tell(`the next ${step.times} instances will join: ${step.fault}`);
      return env.fleet?.breakJoins(step.fault, step.times);
    case 'cloud-fault':
      journal.tell(`the cloud will answer ${step.times} × ${step.method}: ${step.fault}`);
      if (step.fault === 'no-capacity' && env.fleet) return env.fleet.makeScarce(step.times);
      return env.cloudFaults.breakCalls(step.method, step.fault, step.times);
    case 'api-fault':
      journal.tell(`the API server will answer ${step.times} × ${JSON.stringify(step.requests)}: ${step.fault}`);
      return env.apiFaults.breakRequests(step.requests, step.fault, step.times);
    case 'cut-watches':
      journal.tell('all watches are cut');
      return env.cutWatches();
    case 'outage':
      journal.tell(`no API server for ${step.duration / SECOND} s`);
      return env.beginOutage(step.duration);
    case 'kill':
      return prepareKill(env, step.at, step.downFor);
    case 'jump-clock':
      journal.tell(`the operator's clock jumps by ${step.by / SECOND} s`);
      return env.jumpClock(step.by);
    case 'aws':
      return env.aws && takeAwsStep(env, env.aws, step.aws);
    default:
      return step satisfies never;
  }
}

async function scale({ plan, cluster, journal }: Environment, name: string, replicas: number): Promise<void> {
  const workload = plan.workloads.find((one) => one.name === name);
  if (workload === undefined || typeOf(workload) === DAEMON_SETS || typeOf(workload) === JOBS) return;
  journal.tell(`${name} is scaled to ${replicas}`);
  const patch = { type: 'merge', body: { spec: { replicas } } } as const;
  await cluster.client.patch(typeOf(workload), { namespace: NAMESPACE, name }, patch);
}

async function rollOut({ plan, cluster, clock, journal }: Environment, name: string): Promise<void> {
  const workload = plan.workloads.find((one) => one.name === name);
  if (workload === undefined || typeOf(workload) === JOBS) return;
  journal.tell(`${name} is rolled out anew`);
  const annotations = { 'worlds.test/rollout': String(clock.now()) };
  const patch = { type: 'merge', body: { spec: { template: { metadata: { annotations } } } } } as const;
  await cluster.client.patch(typeOf(workload), { namespace: NAMESPACE, name }, patch);
}

async function changePool({ cluster, journal }: Environment, name: string, what: string, spec: object): Promise<void> {
  journal.tell(`pool ${name} gets ${what}`);
  await unlessGone(cluster.client.patch(NODE_POOLS, { name }, { type: 'merge', body: { spec } }));
}

/** As somebody does who looks into something on that node. */
async function protectNode(env: Environment, choice: Choice, duration: number): Promise<void> {
  const { cluster, journal } = env;
  const node = await choose(env, NODES, choice);
  if (node === undefined) return;
  const { name } = node.metadata;
  const annotate = async (value: string | null): Promise<void> => {
    const body = { metadata: { annotations: { [DO_NOT_DISRUPT]: value } } };
    await unlessGone(cluster.client.patch(NODES, { name }, { type: 'merge', body }));
  };
  journal.tell(`node ${name} is not to be disrupted, for ${duration / SECOND} s`);
  await annotate('true');
  env.later(duration, async () => {
    journal.tell(`node ${name} may be disrupted again`);
    await annotate(null);
  });
}

/** As if there were a newer image. */
async function driftInstances(env: Environment, duration: number): Promise<void> {
  const { fleet, journal } = env;
  if (fleet === undefined) return;
  journal.tell(`all instances have drifted, for ${duration / SECOND} s`);
  fleet.setDrift('ImageDrift');
  env.later(duration, async () => fleet.setDrift(undefined));
}

async function deleteOne(env: Environment, type: ResourceType, choice: Choice): Promise<void> {
  const found = await choose(env, type, choice);
  if (found === undefined) return;
  env.journal.tell(`${type.kind} ${found.metadata.name} is deleted`);
  await unlessGone(env.cluster.client.delete(type, found.metadata));
}

async function deleteForAWhile(env: Environment, { type, object }: Manifest, backAfter: number): Promise<void> {
  const { cluster, journal } = env;
  journal.tell(`${type.kind} ${object.metadata.name} is deleted, for ${backAfter / SECOND} s`);
  await unlessGone(cluster.client.delete(type, object.metadata));
  env.later(backAfter, async () => {
    if (type.kind === 'EC2NodeClass') await deleteNodeClaims(env);
    journal.tell(`${type.kind} ${object.metadata.name} is back`);
    await restore(env, { type, object });
  });
}

/** Somebody has to: an EC2NodeClass waits for them, and does not delete them. */
async function deleteNodeClaims({ cluster, journal }: Environment): Promise<void> {
  const { items } = await cluster.client.listAll(NODE_CLAIMS);
  journal.tell(`all ${items.length} NodeClaims are deleted`);
  for (const { metadata } of items) await unlessGone(cluster.client.delete(NODE_CLAIMS, metadata));
}

/** Creates what may not be gone yet: then it is waited for. */
async function restore(env: Environment, manifest: Manifest): Promise<void> {
  try {
    await env.cluster.client.create(manifest.type, manifest.object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    env.later(10 * SECOND, () => restore(env, manifest));
  }
}

async function breakNode(
  env: Environment,
  { choice, fault, duration }: { readonly choice: Choice; readonly fault: NodeFault; readonly duration: number },
): Promise<void> {
  const { cluster, journal } = env;
  const node = await choose(env, NODES, choice);
  if (node === undefined) return;
  const { name } = node.metadata;
  journal.tell(`node ${name} is ${fault}, for ${duration / SECOND} s`);
  cluster.faults.inject(name, nodeFault(fault));
  env.later(duration, async () => {
    if (env.fleet && !env.fleet.runs(name)) return;
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
async function stripLabels(env: Environment, choice: Choice): Promise<void> {
  const node = await choose<Node>(env, NODES, choice);
  if (node === undefined) return;
  env.journal.tell(`node ${node.metadata.name} loses its labels`);
  const labels = {
    [NODEPOOL_LABEL]: null,
    [nodeClassLabel(nodeClassesOf(env.plan.cloud))]: null,
    'karpenter.sh/initialized': null,
  };
  const patch = { type: 'merge', body: { metadata: { labels } } } as const;
  await unlessGone(env.cluster.client.patch(NODES, node.metadata, patch));
}

async function endInstance({ fleet, aws, journal }: Environment, choice: Choice): Promise<void> {
  if (aws !== undefined) return endInstanceOfAws(aws, choice);
  const instances = fleet?.instances ?? [];
  const instance = instances[Math.floor(choice * instances.length)];
  if (instance === undefined) return;
  journal.tell(`instance ${instance.providerId} is gone`);
  fleet?.end(instance.providerId);
}

function endInstanceOfAws({ emulator, living }: AwsCloud, choice: Choice): void {
  const instance = living[Math.floor(choice * living.length)];
  if (instance !== undefined) emulator.ec2.terminate(instance.id);
}

/** A volume that stays attached to a node until the world calms down. */
async function holdVolume(env: Environment, choice: Choice): Promise<void> {
  const volume = await choose(env, PERSISTENT_VOLUMES, choice);
  const node = await choose(env, NODES, choice);
  if (volume === undefined || node === undefined) return;
  const [persistentVolumeName, nodeName] = [volume.metadata.name, node.metadata.name];
  env.journal.tell(`volume ${persistentVolumeName} stays attached to ${nodeName}`);
  const spec = { attacher: 'worlds.test', nodeName, source: { persistentVolumeName } };
  const attachment: ApiObject & { readonly spec: object } = { metadata: { name: `held-${env.clock.now()}` }, spec };
  await env.cluster.client.create(VOLUME_ATTACHMENTS, attachment);
}

function prepareKill(env: Environment, at: KillPoint, downFor: number): void {
  switch (at.kind) {
    case 'now':
      return env.killOldest(downFor);
    case 'write':
      env.journal.tell(`the operator will die ${at.when} its write no. ${at.nth}`);
      return env.apiFaults.killAtWrite(at.nth, at.when, downFor);
    case 'aws':
      env.journal.tell(`the operator will die ${at.when} its call of AWS no. ${at.nth}`);
      return env.awsCalls.killAtWrite(at.nth, at.when, downFor);
    case 'cloud':
      env.journal.tell(`the operator will die ${at.when} its next ${at.method} of the cloud`);
      return env.cloudFaults.killAt(at.method, at.when, downFor);
    default:
      return at satisfies never;
  }
}

/** One of the objects there are, in the order of their names; undefined if there are none. */
async function choose<T extends ApiObject = ApiObject>(
  { cluster }: Environment,
  type: ResourceType,
  choice: Choice,
): Promise<T | undefined> {
  const { items } = await cluster.client.listAll<T>(type);
  const sorted = items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return sorted[Math.floor(choice * sorted.length)];
}
