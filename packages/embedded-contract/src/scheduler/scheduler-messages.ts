import { type ApiObject, type ObjectRef, type Pod, PODS, type Toleration } from '@karpenter-ts/kubernetes';
import type { ContractContext } from '../contract-case.ts';

/** A selector and tolerations that fit one node in its expected state. */
export interface NodeQuery {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

/** A resource that no node has, and the scheduler's message about one node that fits otherwise. */
const MISSING_RESOURCE = 'scheduling.test/nowhere';
const MISSING_RESOURCE_MESSAGE = /1 Insufficient scheduling\.test\/nowhere[,.]/;

/**
 * Waits until the scheduler's cache has the node in the state that the query describes. The probe is a pod that requests
 * a resource no node has: it never gets a node, and its message counts the node as soon as everything else fits.
 */
export async function untilSchedulerFinds(context: ContractContext, node: string, query: NodeQuery): Promise<void> {
  const { client, namespace } = context;
  const nothing = { [MISSING_RESOURCE]: '1' };
  const { metadata } = await client.create<ApiObject>(PODS, {
    metadata: { generateName: `asks-for-${node}-`, name: '', namespace },
    spec: {
      containers: [{ name: 'main', image: 'none', resources: { requests: nothing, limits: nothing } }],
      ...query,
    },
  } as ApiObject);
  await untilUnschedulable(context, metadata, MISSING_RESOURCE_MESSAGE);
  await client.delete(PODS, metadata, { gracePeriodSeconds: 0 });
}

/** Waits until the pod is unschedulable with a message that matches `about`, and returns the whole message. */
export async function untilUnschedulable(
  { client, until }: ContractContext,
  pod: ObjectRef,
  about: RegExp,
): Promise<string> {
  return until(`pod ${pod.name} waits because of ${about}`, async () => {
    const seen = await client.get<Pod>(PODS, pod);
    const message = unschedulableMessage(seen);
    if (!about.test(message)) throw new Error(message || `it is on ${seen.spec.nodeName}`);
    return message;
  });
}

/** The message of the scheduler about a pod that fits no node; empty if there is none. */
export function unschedulableMessage({ status }: Pod): string {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return condition?.status === 'False' ? (condition.message ?? '') : '';
}
