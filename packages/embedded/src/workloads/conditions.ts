import type { ObjectCondition } from '@karpenter-ts/kubernetes';

export function findCondition(
  conditions: readonly ObjectCondition[] | undefined,
  type: string,
): ObjectCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The conditions without the one of this type. */
export function withoutCondition(
  conditions: readonly ObjectCondition[] | undefined,
  type: string,
): readonly ObjectCondition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}

/** The conditions with this one in its place, or last if its type is new. */
export function withCondition(
  conditions: readonly ObjectCondition[] | undefined,
  condition: ObjectCondition,
): readonly ObjectCondition[] {
  const known = conditions ?? [];
  if (findCondition(known, condition.type) === undefined) return [...known, condition];
  return known.map((other) => (other.type === condition.type ? condition : other));
}
