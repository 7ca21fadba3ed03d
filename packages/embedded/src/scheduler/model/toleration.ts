import type { Taint, Toleration } from '@karpenter-ts/kubernetes';

/** Whether each of the taints is covered by one of the tolerations. Asked for every node and pod. */
export function areTolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): boolean {
  for (let i = 0; i < taints.length; i++) if (!isTolerated(taints[i]!, tolerations)) return false;
  return true;
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  for (let i = 0; i < tolerations.length; i++) if (covers(tolerations[i]!, taint)) return true;
  return false;
}

/** An empty effect covers all effects, an empty key all keys. */
function covers({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}
