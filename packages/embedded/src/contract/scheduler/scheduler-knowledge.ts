import type { ApiObject, ObjectRef } from '@karpenter-ts/kubernetes';
import { PODS, type Pod, type Toleration } from '../../scheduler/kinds/pod.ts';
import type { ContractContext } from '../contract-case.ts';

/** What finds one node, if it is as it should be. */
export interface NodeQuery {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

/** What no node has, and what the scheduler says of one that has all the rest. */
const NOWHERE = 'scheduling.test/nowhere';
const REFUSED = /1 Insufficient scheduling\.test\/nowhere[,.]/;

/**
 * Waits until the scheduler finds the node: it hears of nodes and of pods separately, and a pod it hears of first would
 * be told that there is no room. One that asks for what no node has learns as much, and stays nowhere.
 */
export async function untilSchedulerFinds(context: ContractContext, node: string, query: NodeQuery): Promise<void> {
  const { client, namespace } = context;
  const nothing = { [NOWHERE]: '1' };
  const { metadata } = await client.create<ApiObject>(PODS, {
    metadata: { generateName: `asks-for-${node}-`, name: '', namespace },
    spec: {
      containers: [{ name: 'main', image: 'none', resources: { requests: nothing, limits: nothing } }],
      ...query,
    },
  } as ApiObject);
  await untilRefused(context, metadata, REFUSED);
  await client.delete(PODS, metadata, { gracePeriodSeconds: 0 });
}

/** Waits until the pod is said to fit nowhere, for a reason that is like `about`; returns the whole message. */
export async function untilRefused({ client, until }: ContractContext, pod: ObjectRef, about: RegExp): Promise<string> {
  return until(`pod ${pod.name} waits because of ${about}`, async () => {
    const seen = await client.get<Pod>(PODS, pod);
    const message = complaintIn(seen);
    if (!about.test(message)) throw new Error(message || `it is on ${seen.spec.nodeName}`);
    return message;
  });
}

/** Why the scheduler says that the pod fits nowhere; nothing if it does not. */
export function complaintIn({ status }: Pod): string {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return condition?.status === 'False' ? (condition.message ?? '') : '';
}
