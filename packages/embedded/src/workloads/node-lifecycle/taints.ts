import { type Client, type Clock, type Controller, DONE, kindSource } from '@karpenter-ts/runtime';
import { type Node, NODES, type Taint, timestamp } from '@karpenter-ts/kubernetes';
import type { WorkloadDeps } from '../workload-deps.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** The NoSchedule taints by condition and status. */
const TAINT_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};
const MANAGED = new Set([UNSCHEDULABLE, ...Object.values(TAINT_OF).flatMap((taints) => Object.values(taints))]);

/** The taint of a node that reports that it is not ready. */
export const NOT_READY_NO_EXECUTE: Taint = { key: NOT_READY, effect: 'NoExecute' };
/** The taint of a node that does not report. */
export const UNREACHABLE_NO_EXECUTE: Taint = { key: UNREACHABLE, effect: 'NoExecute' };

/** Deprecated labels that are kept equal to their successors. */
const LABEL_ALIASES: Readonly<Record<string, string>> = {
  'kubernetes.io/os': 'beta.kubernetes.io/os',
  'kubernetes.io/arch': 'beta.kubernetes.io/arch',
};

/** Keeps NoSchedule taints in line with the node's conditions and with whether it is cordoned. */
export function nodeTaintController({ client, clock, caches }: WorkloadDeps): Controller {
  return {
    name: 'node-taints',
    kind: { group: '', kind: 'Node' },
    concurrency: 8,
    sources: [kindSource(caches.nodes, { when: ({ type }) => type !== 'deleted' })],
    reconcile: async (name) => {
      const node = caches.nodes.get(name);
      if (node === undefined) return DONE;
      const wanted = wantedTaints(node);
      const present = (node.spec?.taints ?? []).filter(
        ({ key, effect }) => effect === 'NoSchedule' && MANAGED.has(key),
      );
      const added = wanted.filter((key) => !present.some((taint) => taint.key === key));
      const removed = present.filter(({ key }) => !wanted.includes(key));
      const tainted = await swapTaints(client, clock, node, {
        add: added.map((key) => ({ key, effect: 'NoSchedule' })),
        remove: removed,
      });
      await aliasLabels(client, tainted);
      return DONE;
    },
  };
}

function wantedTaints({ spec, status }: Node): readonly string[] {
  const byCondition = (status?.conditions ?? []).map((condition) => TAINT_OF[condition.type]?.[condition.status]);
  return [...byCondition, spec?.unschedulable ? UNSCHEDULABLE : undefined].filter((key) => key !== undefined);
}

export function hasTaint({ spec }: Node, { key, effect }: Taint): boolean {
  return (spec?.taints ?? []).some((taint) => taint.key === key && taint.effect === effect);
}

/** Writes the taints if they changed, and only over the version at hand. */
export async function swapTaints(
  client: Client,
  clock: Clock,
  node: Node,
  { add, remove }: { readonly add: readonly Taint[]; readonly remove: readonly Taint[] },
): Promise<Node> {
  const present = node.spec?.taints ?? [];
  const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;
  const kept = present.filter((taint) => !remove.some((each) => isSame(each, taint)));
  const added = add.filter((taint) => !kept.some((each) => isSame(each, taint)));
  if (kept.length === present.length && added.length === 0) return node;
  const timeAdded = timestamp(clock.now());
  const taints = [...kept, ...added.map((taint) => ({ ...taint, timeAdded }))];
  const body = { metadata: { resourceVersion: node.metadata.resourceVersion }, spec: { taints } };
  return client.patch<Node>(NODES, node.metadata, { type: 'merge', body });
}

async function aliasLabels(client: Client, { metadata }: Node): Promise<void> {
  const present = metadata.labels ?? {};
  const labels: Record<string, string> = {};
  for (const [label, alias] of Object.entries(LABEL_ALIASES)) {
    const value = present[label];
    if (value !== undefined && present[alias] !== value) labels[alias] = value;
  }
  if (Object.keys(labels).length === 0) return;
  await client.patch(NODES, metadata, { type: 'merge', body: { metadata: { labels } } });
}
