import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  Taint,
  Toleration,
} from '@karpenter-ts/kubernetes';

/** Whether a pod with this toleration puts up with a taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || (operator === 'Equal' && value === (taint.value ?? ''));
}

/** Whether a taint of one of these effects keeps the pod away. */
export function hasUntolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): boolean {
  return (taints ?? []).some(
    (taint) => effects.includes(taint.effect) && !(tolerations ?? []).some((each) => tolerates(each, taint)),
  );
}

/** Whether a node is one of those the pod asks for, by its selector and what its affinity requires. */
export function fitsAffinity({ nodeSelector, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(nodeSelector ?? {}).every(([label, value]) => labels[label] === value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** Whether a node meets all of a term. An empty term is met by none. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { 'metadata.name': node.metadata.name };
  return (
    matchExpressions.every((requirement) => meets(requirement, node.metadata.labels ?? {})) &&
    matchFields.every((requirement) => meets(requirement, fields))
  );
}

function meets({ key, operator, values = [] }: NodeSelectorRequirement, of: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(of, key) ? of[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
