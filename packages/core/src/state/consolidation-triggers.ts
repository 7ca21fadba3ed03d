import { isDeepStrictEqual } from 'node:util';
import { DO_NOT_DISRUPT } from '@karpenter-ts/apis';
import { isTrue, type ObjectMeta, type PodDisruptionBudget } from '@karpenter-ts/kubernetes';
import { isTerminal } from '../kinds/pod.ts';
import type { Caches } from './caches.ts';

/**
 * Calls `onChange` for changes that may let consolidation find something new, besides those of the state nodes
 * themselves. Upstream does not notice them, and a node that could go waits for up to five minutes (spec 04 §25-5): a pod
 * has ended, a node has become consolidatable, an opt-out or a PodDisruptionBudget has changed.
 */
export function followForConsolidation(
  { disruptionBudgets, nodeClaims, nodes, pods }: Pick<Caches, 'disruptionBudgets' | 'nodeClaims' | 'nodes' | 'pods'>,
  onChange: () => void,
): void {
  pods.addHandler({
    onUpdate: (old, pod) => {
      if (pod.spec.nodeName && (isTerminal(old) !== isTerminal(pod) || hasOtherOptOut(old, pod))) onChange();
    },
  });
  nodes.addHandler({
    onUpdate: (old, node) => {
      if (hasOtherOptOut(old, node)) onChange();
    },
  });
  nodeClaims.addHandler({
    onUpdate: (old, nodeClaim) => {
      if (!isTrue(old, 'Consolidatable') && isTrue(nodeClaim, 'Consolidatable')) onChange();
    },
  });
  disruptionBudgets.addHandler({
    onAdd: onChange,
    onUpdate: (old, budget) => {
      if (allowsOther(old, budget)) onChange();
    },
    onDelete: onChange,
  });
}

function hasOtherOptOut(old: { readonly metadata: ObjectMeta }, object: { readonly metadata: ObjectMeta }): boolean {
  return old.metadata.annotations?.[DO_NOT_DISRUPT] !== object.metadata.annotations?.[DO_NOT_DISRUPT];
}

/** Its status changes with every pod it selects, but only the number of allowed disruptions matters. */
function allowsOther(old: PodDisruptionBudget, budget: PodDisruptionBudget): boolean {
  const areEqual = old.status?.disruptionsAllowed === budget.status?.disruptionsAllowed;
  return !areEqual || !isDeepStrictEqual(old.spec, budget.spec);
}
