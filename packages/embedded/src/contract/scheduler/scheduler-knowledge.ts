import type { ApiObject } from '@karpenter-ts/runtime';
import { PODS, type Pod, type Toleration } from '../../scheduler/kinds/pod.ts';
import type { ContractContext } from '../contract-case.ts';

/** What finds one node, if it is as it should be. */
export interface NodeQuery {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

/** What no node has. */
const NOWHERE = 'scheduling.test/nowhere';

/**
 * Waits until the scheduler finds the node: it hears of nodes and of pods separately, and a pod it hears of first would
 * be told that there is no room. One that asks for what no node has learns as much, and stays nowhere.
 */
export async function untilSchedulerFinds(context: ContractContext, node: string, query: NodeQuery): Promise<void> {
  const { client, namespace, until } = context;
  const nothing = { [NOWHERE]: '1' };
  const { metadata } = await client.create<ApiObject>(PODS, {
    metadata: { generateName: 'asks-', name: '', namespace },
    spec: {
      containers: [{ name: 'main', image: 'none', resources: { requests: nothing, limits: nothing } }],
      ...query,
    },
  } as ApiObject);
  await until(`the scheduler finds ${node}`, async () => {
    const told = complaintIn(await client.get<Pod>(PODS, metadata));
    if (!told.includes(`1 Insufficient ${NOWHERE}`)) throw new Error(told);
    return true;
  });
  await client.delete(PODS, metadata, { gracePeriodSeconds: 0 });
}

/** Why the scheduler says that the pod fits nowhere; nothing if it does not. */
export function complaintIn({ status }: Pod): string {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return condition?.status === 'False' ? (condition.message ?? '') : '';
}
