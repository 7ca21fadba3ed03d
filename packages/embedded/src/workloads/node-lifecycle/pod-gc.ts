import { type Controller, type Result, SECOND, unlessGone } from '@karpenter-ts/runtime';
import { isTerminating, isTerminal } from '../pod-state.ts';
import { readSource } from '../read-source.ts';
import { NODES, type Pod, PODS, timestamp } from '@karpenter-ts/kubernetes';
import type { WorkloadDeps } from '../workload-deps.ts';

// kube-controller-manager's figures.
const PERIOD = 20 * SECOND;
/** A node that has just come may be missing from the cache. */
const QUARANTINE = 40 * SECOND;

const ALL = 'all';

/**
 * The pod garbage collector: deletes pods that no kubelet will delete, because their node is gone or they never had
 * one.
 */
export function podGcController(deps: WorkloadDeps): Controller {
  const { caches, clock } = deps;
  const missingSince = new Map<string, number>(); // by node, in elapsed milliseconds
  return {
    name: 'pod-garbage-collector',
    sources: [{ name: 'clock', attach: (queue) => queue.add(ALL) }, readSource(caches.pods), readSource(caches.nodes)],
    reconcile: async () => {
      const pods = caches.pods.list();
      const gone = await findGone(deps, pods, missingSince, clock.elapsed());
      for (const pod of pods) {
        if (gone.has(pod.spec.nodeName ?? '')) await remove(deps, pod, NODE_GONE);
        else if (!pod.spec.nodeName && isTerminating(pod)) await remove(deps, pod);
      }
      return { requeueAfter: PERIOD } satisfies Result;
    },
  };
}

const NODE_GONE = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
};

/** Nodes that pods are bound to and that have been missing for long enough, in the cache and on the server. */
async function findGone(
  { client, caches }: WorkloadDeps,
  pods: readonly Pod[],
  missingSince: Map<string, number>,
  now: number,
): Promise<ReadonlySet<string>> {
  const named = new Set(pods.map(({ spec }) => spec.nodeName).filter((name) => name !== undefined));
  const missing = new Set([...named].filter((name) => name !== '' && caches.nodes.get(name) === undefined));
  for (const name of missingSince.keys()) if (!missing.has(name)) missingSince.delete(name);
  const gone = new Set<string>();
  for (const name of missing) {
    const since = missingSince.get(name) ?? now;
    missingSince.set(name, since);
    if (now - since >= QUARANTINE && (await unlessGone(client.get(NODES, { name }))) === undefined) gone.add(name);
  }
  return gone;
}

/** Marks the pod Failed for those who watch it, then deletes it without grace. */
async function remove({ client, clock }: WorkloadDeps, pod: Pod, why?: typeof NODE_GONE): Promise<void> {
  const { metadata } = pod;
  if (!isTerminal(pod)) {
    const condition = why && { ...why, lastTransitionTime: timestamp(clock.now()) };
    const status = { phase: 'Failed', ...(condition && { conditions: [condition] }) };
    const body = { metadata: { uid: metadata.uid }, status };
    await unlessGone(client.patch(PODS, metadata, { type: 'strategic', body }, { subresource: 'status' }));
  }
  await unlessGone(client.delete(PODS, metadata, { gracePeriodSeconds: 0 }));
}
