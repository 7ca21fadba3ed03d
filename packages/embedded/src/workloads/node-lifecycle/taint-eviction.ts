import { isDeepStrictEqual } from 'node:util';
import { type Change, type Controller, DONE, kindSource, SECOND, unlessGone } from '@karpenter-ts/runtime';
import { type Node, objectKey, type Pod, PODS, refOfKey, type Taint, timestamp } from '@karpenter-ts/kubernetes';
import { tolerates } from '../node-fit.ts';
import type { WorkloadDeps } from '../workload-deps.ts';

/** How long a pod may stay: not at all, for so many milliseconds, or for ever. */
export type Stay = number;

/** The taint eviction controller: deletes pods from nodes with a NoExecute taint when their toleration ends. */
export function taintEvictionController(deps: WorkloadDeps): Controller {
  const { clock, caches } = deps;
  const events = deps.recorder('taint-eviction-controller');
  const since = new Map<string, number>(); // by key of the pod: from when on its time runs, in elapsed milliseconds
  const publish = (key: string, message: string): void => {
    const on = { apiVersion: 'v1', kind: 'Pod', ...refOfKey(key) } as const;
    events.publish({
      on: { ...on, namespace: on.namespace ?? '' },
      type: 'Normal',
      reason: 'TaintManagerEviction',
      message,
    });
  };
  const cancel = (key: string): typeof DONE => {
    if (since.delete(key)) publish(key, `Cancelling deletion of Pod ${key}`);
    return DONE;
  };
  return {
    name: 'taint-eviction',
    kind: { group: '', kind: 'Pod' },
    concurrency: 8,
    sources: [
      kindSource(caches.pods, { when: (change) => change.type !== 'updated' || hasMoved(change) }),
      kindSource(caches.nodes, { when: changesNoExecute, keys: (node) => podsOn(deps, node) }),
    ],
    reconcile: async (key) => {
      const pod = caches.pods.get(key);
      const node = caches.nodes.get(pod?.spec.nodeName ?? '');
      const taints = noExecuteTaints(node);
      if (pod === undefined || taints.length === 0) return cancel(key);
      const stay = stayUnder(pod, taints);
      if (stay === Number.POSITIVE_INFINITY) return cancel(key);
      if (pod.metadata.deletionTimestamp !== undefined) return DONE;
      const from = since.get(key) ?? clock.elapsed();
      since.set(key, from);
      const left = from + stay - clock.elapsed();
      if (left > 0) return { requeueAfter: left };
      publish(key, `Marking for deletion Pod ${key}`);
      await evict(deps, pod);
      since.delete(key);
      return DONE;
    },
  };
}

function noExecuteTaints(node: Node | undefined): readonly Taint[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

/** 0 if a taint is not tolerated; else the shortest tolerationSeconds of the matching tolerations. */
export function stayUnder({ spec }: Pod, taints: readonly Taint[]): Stay {
  const used = taints.map((taint) => (spec.tolerations ?? []).find((toleration) => tolerates(toleration, taint)));
  if (used.includes(undefined)) return 0;
  const limits = used.map((toleration) => toleration?.tolerationSeconds).filter((seconds) => seconds !== undefined);
  return limits.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.min(...limits)) * SECOND;
}

function hasMoved(change: Change<Pod>): boolean {
  if (change.type !== 'updated') return true;
  const { old, object } = change;
  return (
    old.spec.nodeName !== object.spec.nodeName || !isDeepStrictEqual(old.spec.tolerations, object.spec.tolerations)
  );
}

function changesNoExecute(change: Change<Node>): boolean {
  if (change.type !== 'updated') return true;
  return !isDeepStrictEqual(noExecuteTaints(change.old), noExecuteTaints(change.object));
}

function podsOn({ caches }: WorkloadDeps, { metadata }: Node): readonly string[] {
  return caches.pods.byIndex('node', metadata.name).map((pod) => objectKey(pod.metadata));
}

async function evict({ client, clock }: WorkloadDeps, { metadata }: Pod): Promise<void> {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: timestamp(clock.now()),
  };
  const body = { metadata: { uid: metadata.uid }, status: { conditions: [condition] } };
  await unlessGone(client.patch(PODS, metadata, { type: 'strategic', body }, { subresource: 'status' }));
  await unlessGone(client.delete(PODS, metadata));
}
