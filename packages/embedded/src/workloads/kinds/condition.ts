/** A condition of a built-in kind. Kinds differ in which times they keep. */
export interface ObjectCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | undefined;
  readonly lastUpdateTime?: string;
  readonly lastProbeTime?: string | null;
  readonly lastHeartbeatTime?: string;
  readonly observedGeneration?: number;
}

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
