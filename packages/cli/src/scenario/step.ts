import { NODES, type ResourceType } from '@karpenter-ts/kubernetes';
import { NODE_POOLS } from '@karpenter-ts/apis';
import type { Scenario } from '@karpenter-ts/apis/manifests';
import type { Fault, Faults } from '@karpenter-ts/embedded';
import { type Client, type Clock, isNotFound } from '@karpenter-ts/runtime';
import type { AwsAccount } from '../aws/account.ts';
import { type ActionDeps, performAction } from './aws-action.ts';
import { type Choice, listNodes, milliseconds, subject } from './chosen-nodes.ts';
import { refOf, type Workload } from './workload.ts';

/** What a step may touch. */
export interface StepDeps {
  readonly client: Client;
  readonly faults: Pick<Faults, 'inject' | 'heal' | 'of'>;
  readonly clock: Clock;
  /** Of AWS, if that is where the nodes come from. */
  readonly account?: AwsAccount | undefined;
  /** Told what has just been done, in a few words. */
  tell(text: string): void;
}

export type Step = Scenario['spec']['steps'][number];
type NodeFault = NonNullable<Step['fault']>;

const EC2_NODE_CLASSES: ResourceType = {
  group: 'karpenter.k8s.aws',
  version: 'v1',
  plural: 'ec2nodeclasses',
  kind: 'EC2NodeClass',
  namespaced: false,
};

/** Does what the step says. What somebody else has taken away meanwhile is told, and left. */
export async function performStep(
  { scale, fault, edit, aws, delete: deletion }: Step,
  workloads: readonly Workload[],
  deps: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const name = scale?.workload ?? deletion?.workload ?? edit?.nodePool ?? edit?.nodeClass;
  const workload = workloads.find((one) => one.name === name);
  try {
    if (fault) await breakNodes(fault, deps, signal);
    else if (aws) await performAction(aws, awsDepsOf(deps, signal));
    else if (edit) await editSpec(edit, deps);
    else if (workload === undefined) await deleteNodes(deletion ?? {}, deps);
    else if (scale) await scaleWorkload(workload, scale.replicas, deps);
    else await deleteWorkload(workload, deps);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    deps.tell(`${name} is gone already`);
  }
}

/** Throws if the nodes do not come from AWS, which a scenario for AWS is never played on. */
function awsDepsOf({ client, clock, account, tell }: StepDeps, signal: AbortSignal): ActionDeps {
  if (account === undefined) throw new Error('there is no AWS here');
  return { client, account, tell, after: (delay, run) => void clock.sleep(delay, signal).then(run, () => undefined) };
}

async function scaleWorkload(workload: Workload, replicas: number, { client, tell }: StepDeps): Promise<void> {
  const { type, ref } = refOf(workload);
  await client.patch(type, ref, { type: 'merge', body: { spec: { replicas } } });
  tell(`${workload.name} is scaled to ${replicas}`);
}

async function editSpec(edit: NonNullable<Step['edit']>, { client, tell }: StepDeps): Promise<void> {
  const { nodePool, nodeClass = '', spec } = edit;
  const [type, name] = nodePool === undefined ? ([EC2_NODE_CLASSES, nodeClass] as const) : [NODE_POOLS, nodePool];
  await client.patch(type, { name }, { type: 'merge', body: { spec } });
  tell(`${type.kind} ${name} is changed: ${JSON.stringify(spec)}`);
}

async function deleteWorkload(workload: Workload, { client, tell }: StepDeps): Promise<void> {
  const { type, ref } = refOf(workload);
  await client.delete(type, ref, { propagationPolicy: 'Background' });
  tell(`${workload.name} is deleted`);
}

/** Broken ones first: somebody would clear them away. */
async function deleteNodes(choice: Choice, { client, faults, tell }: StepDeps): Promise<void> {
  const names = (await listNodes(choice, client)).map(({ metadata }) => metadata.name);
  const broken = names.filter((name) => faults.of(name).length > 0);
  const nodes = [...new Set([...broken, ...names])].slice(0, choice.nodes);
  for (const name of nodes) await client.delete(NODES, { name });
  tell(`${subject(nodes)} deleted`);
}

async function breakNodes(fault: NodeFault, deps: StepDeps, signal: AbortSignal): Promise<void> {
  const { client, faults, clock, tell } = deps;
  const well = await listNodes(fault, client, ({ metadata }) => faults.of(metadata.name).length === 0);
  const nodes = well.slice(0, fault.nodes).map(({ metadata }) => metadata.name);
  for (const node of nodes) faults.inject(node, faultOf(fault));
  tell(`${subject(nodes)} broken: ${fault.kind}`);
  if (fault.for === undefined) return;
  const heal = (): void => {
    for (const node of nodes) faults.heal(node);
    tell(`${subject(nodes)} well again`);
  };
  void clock.sleep(milliseconds(fault.for), signal).then(heal, () => undefined);
}

function faultOf({ kind, delay = '0s' }: NodeFault): Fault {
  if (kind === 'lost') return { kind };
  if (kind === 'slow-drain') return { kind, delay: milliseconds(delay) };
  return { kind, condition: { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'scenario' } };
}
