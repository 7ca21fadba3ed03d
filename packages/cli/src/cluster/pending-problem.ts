import type { FieldPath } from '@karpenter-ts/apis';
import { goQuote, type Pod } from '@karpenter-ts/kubernetes';

/** Why a pod cannot be one that waits for a node, and which field of it says so. */
export interface PendingProblem {
  readonly path: FieldPath;
  readonly message: string;
}

/** What is wrong with a pod that is given as pending; undefined if it may be. */
export function pendingProblem({ metadata, spec, status }: Pod): PendingProblem | undefined {
  const { nodeName } = spec;
  if (nodeName) {
    return invalid(['spec', 'nodeName'], nodeName, 'a pending pod is bound to no node');
  }
  const phase = status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') {
    return invalid(['status', 'phase'], phase, 'a pending pod has not finished');
  }
  const owner = metadata.ownerReferences?.findIndex(({ kind }) => kind === 'DaemonSet') ?? -1;
  if (owner < 0) return undefined;
  const path = ['metadata', 'ownerReferences', owner, 'kind'];
  return invalid(path, 'DaemonSet', 'pods of a DaemonSet come with their nodes; give one of them in daemonPods');
}

function invalid(path: FieldPath, value: string, why: string): PendingProblem {
  return { path, message: `Invalid value: ${goQuote(value)}: ${why}` };
}
