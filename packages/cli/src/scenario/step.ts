import { nanosToMilliseconds, NODES, parseDuration } from '@karpenter-ts/kubernetes';
import { NODE_POOLS, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Scenario } from '@karpenter-ts/apis/manifests';
import type { Fault, Faults } from '@karpenter-ts/embedded';
import { type Client, type Clock, isNotFound } from '@karpenter-ts/runtime';
import { refOf, type Workload } from './workload.ts';

/** What a step may touch. */
export interface StepDeps {
  readonly client: Client;
  readonly faults: Pick<Faults, 'inject' | 'heal' | 'of'>;
  readonly clock: Clock;
  /** Told what has just been done, in a few words. */
  tell(text: string): void;
}

export type Step = Scenario['spec']['steps'][number];
type NodeFault = NonNullable<Step['fault']>;
type Choice = { readonly nodes?: number | undefined; readonly nodePool?: string | undefined };

/** Does what the step says. What somebody else has taken away meanwhile is told, and left. */
export async function performStep(
  { scale, fault, edit, delete: deletion }: Step,
  workloads: readonly Workload[],
  deps: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const name = scale?.workload ?? deletion?.workload ?? edit?.nodePool;
  const workload = workloads.find((one) => one.name === name);
  try {
    if (fault) await breakNodes(fault, deps, signal);
    else if (edit) await editNodePool(edit, deps);
    else if (workload === undefined) await deleteNodes(deletion ?? {}, deps);
    else if (scale) await scaleWorkload(workload, scale.replicas, deps);
    else await deleteWorkload(workload, deps);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    deps.tell(`${name} is gone already`);
  }
}

async function scaleWorkload(workload: Workload, replicas: number, { client, tell }: StepDeps): Promise<void> {
  const { type, ref } = refOf(workload);
  await client.patch(type, ref, { type: 'merge', body: { spec: { replicas } } });
  tell(`${workload.name} is scaled to ${replicas}`);
}

async function editNodePool({ nodePool, spec }: NonNullable<Step['edit']>, { client, tell }: StepDeps): Promise<void> {
  await client.patch(NODE_POOLS, { name: nodePool }, { type: 'merge', body: { spec } });
  tell(`NodePool ${nodePool} is changed: ${JSON.stringify(spec)}`);
}

async function deleteWorkload(workload: Workload, { client, tell }: StepDeps): Promise<void> {
  const { type, ref } = refOf(workload);
  await client.delete(type, ref, { propagationPolicy: 'Background' });
  tell(`${workload.name} is deleted`);
}

/** Broken ones first: somebody would clear them away. */
async function deleteNodes(choice: Choice, { client, faults, tell }: StepDeps): Promise<void> {
  const names = await listNodes(choice, client);
  const broken = names.filter((name) => faults.of(name).length > 0);
  const nodes = [...new Set([...broken, ...names])].slice(0, choice.nodes);
  for (const name of nodes) await client.delete(NODES, { name });
  tell(`${subject(nodes)} deleted`);
}

async function breakNodes(fault: NodeFault, deps: StepDeps, signal: AbortSignal): Promise<void> {
  const { client, faults, clock, tell } = deps;
  const well = (await listNodes(fault, client)).filter((name) => faults.of(name).length === 0);
  const nodes = well.slice(0, fault.nodes);
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

/** Nodes of ours that are to stay, by name. */
async function listNodes({ nodePool }: Choice, client: Client): Promise<readonly string[]> {
  const labelSelector = nodePool === undefined ? NODEPOOL_LABEL : `${NODEPOOL_LABEL}=${nodePool}`;
  const { items } = await client.listAll(NODES, { labelSelector });
  const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return staying.map(({ metadata }) => metadata.name).sort();
}

function subject(nodes: readonly string[]): string {
  return nodes.length === 1 ? `node ${nodes[0]} is` : `${nodes.length} nodes are`;
}

function milliseconds(duration: string): number {
  return nanosToMilliseconds(parseDuration(duration));
}
