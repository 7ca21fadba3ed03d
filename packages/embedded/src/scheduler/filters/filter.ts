import type { NamespaceLabels } from '../model/affinity-term.ts';
import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** What can happen in a cluster that lets a waiting pod go somewhere. A pod that changes goes, and comes as another. */
export type Change =
  | { readonly kind: 'node added' | 'node changed'; readonly node: NodeEntry }
  | { readonly kind: 'pod placed' | 'pod removed'; readonly pod: PodClass; readonly node: NodeEntry }
  | { readonly kind: 'node removed' | 'namespace changed' | 'storage changed' };

/** Why a node cannot take a pod. */
export interface Rejection {
  /** Texts people know from kube-scheduler. */
  readonly reasons: readonly string[];
  /** Whether the node could take the pod if other pods left it. */
  readonly mayPodsYield: boolean;
}

/** Says why the node cannot take the pod; undefined if it can. */
export type NodeCheck = (node: NodeEntry) => Rejection | undefined;

/** What a filter has to say about a pod before any node is looked at. */
export type Preparation =
  | { readonly kind: 'nothing to check' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'check'; readonly check: NodeCheck; readonly onlyNodes?: ReadonlySet<string> };

export const NOTHING_TO_CHECK: Preparation = { kind: 'nothing to check' };

/** One rule about where pods may go. Reads the snapshot, changes nothing. */
export interface Filter {
  /** The name of the plugin that does this in kube-scheduler: users see it in some messages. */
  readonly name: string;
  /** `node`: the answer depends on nothing but the pod and that node. */
  readonly scope: 'node' | 'cluster';
  /** The changes after which a pod it rejected is worth another try. */
  readonly helpedBy: readonly Change['kind'][];
  /** Whether it matters to a pod it rejected that `other` comes or goes; without this, it always does. */
  concerns?(pod: PodClass, other: PodClass, namespaces: NamespaceLabels): boolean;
  prepare(pod: PodClass, snapshot: Snapshot): Preparation;
}

/** A rejection for one reason. */
export function rejection(reason: string, mayPodsYield: boolean): Rejection {
  return { reasons: [reason], mayPodsYield };
}
