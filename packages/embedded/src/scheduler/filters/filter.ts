import type { NamespaceLabels } from '../model/affinity-term.ts';
import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** An event that may make an unschedulable pod schedulable. An updated pod counts as removed and added again. */
export type Change =
  | { readonly kind: 'node added' | 'node changed'; readonly node: NodeEntry }
  | { readonly kind: 'pod placed' | 'pod removed'; readonly pod: PodClass; readonly node: NodeEntry }
  | { readonly kind: 'node removed' | 'namespace changed' | 'storage changed' };

/** Why a node cannot run a pod. */
export interface Rejection {
  /** The reasons in kube-scheduler's words. */
  readonly reasons: readonly string[];
  /** Whether the node would fit if some of its pods were removed (preemption). */
  readonly mayPodsYield: boolean;
}

/** Returns why the node cannot run the pod; undefined if it can. */
export type NodeCheck = (node: NodeEntry) => Rejection | undefined;

/** The outcome of PreFilter: what a filter knows about a pod before it looks at nodes. */
export type Preparation =
  | { readonly kind: 'nothing to check' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'check'; readonly check: NodeCheck; readonly onlyNodes?: ReadonlySet<string> };

export const NOTHING_TO_CHECK: Preparation = { kind: 'nothing to check' };

/** A filter plugin. It reads the snapshot and changes nothing. */
export interface Filter {
  /** The name of the plugin in kube-scheduler; users see it in some messages. */
  readonly name: string;
  /** `node`: the outcome depends only on the pod and the node. */
  readonly scope: 'node' | 'cluster';
  /** The events after which a pod that this filter rejected is retried. */
  readonly helpedBy: readonly Change['kind'][];
  /** Whether adding or removing `other` can matter to a pod this filter rejected; always, if undefined. */
  concerns?(pod: PodClass, other: PodClass, namespaces: NamespaceLabels): boolean;
  prepare(pod: PodClass, snapshot: Snapshot): Preparation;
}

/** A rejection for one reason. */
export function rejection(reason: string, mayPodsYield: boolean): Rejection {
  return { reasons: [reason], mayPodsYield };
}
