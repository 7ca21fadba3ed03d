import type { NodeClaim } from '@karpenter-ts/apis';
import {
  type ApiObject,
  DEPLOYMENTS,
  JOBS,
  type Node,
  NODES,
  type Pod,
  PODS,
  type ResourceType,
  STATEFUL_SETS,
} from '@karpenter-ts/kubernetes';
import type { Client } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import type { Workload } from './kinds.ts';

/** What the API server knows of instances at one moment. */
export interface Instances {
  readonly nodes: readonly Node[];
  readonly claims: readonly NodeClaim[];
}

/** The same, and what they are for. */
export interface Snapshot extends Instances {
  readonly pods: readonly Pod[];
  /** Those that have a number of pods to reach: Deployments, StatefulSets and Jobs. */
  readonly workloads: readonly Workload[];
}

export async function listInstances(client: Client): Promise<Instances> {
  return { nodes: await list<Node>(client, NODES), claims: await list<NodeClaim>(client, NODE_CLAIMS) };
}

export async function takeSnapshot(client: Client): Promise<Snapshot> {
  const pods = await list<Pod>(client, PODS);
  const workloads: Workload[] = [];
  for (const type of [DEPLOYMENTS, STATEFUL_SETS, JOBS]) workloads.push(...(await list<Workload>(client, type)));
  return { ...(await listInstances(client)), pods, workloads };
}

async function list<T extends ApiObject>(client: Client, type: ResourceType): Promise<readonly T[]> {
  return (await client.listAll<T>(type)).items;
}

/** The claim of the instance a Node stands for. */
export function findClaimOf({ spec }: Node, claims: readonly NodeClaim[]): NodeClaim | undefined {
  return claims.find(({ status }) => status?.providerID !== undefined && status.providerID === spec?.providerID);
}

export function podsOn(nodeName: string, pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(({ spec }) => spec.nodeName === nodeName);
}
