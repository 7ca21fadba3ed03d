import type { JsonObject } from '@karpenter-ts/kubernetes';
import { listAt } from '../../object.ts';

/** What is new about a condition. */
export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** A pod's status with a condition in place of the one of its type; it remembers since when its status is the same. */
export function setPodCondition(status: JsonObject, condition: PodCondition, now: string): JsonObject {
  const conditions = listAt(status, 'conditions');
  const old = conditions.find(({ type }) => type === condition.type);
  const since = old?.['status'] === condition.status ? old['lastTransitionTime'] : now;
  const next: JsonObject = { ...(condition as unknown as JsonObject), lastProbeTime: null, lastTransitionTime: since };
  return { ...status, conditions: old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next] };
}
