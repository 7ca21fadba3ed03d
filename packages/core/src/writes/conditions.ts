import {
  type Condition,
  type ConditionChange,
  type ConditionedObject,
  type ConditionRules,
  Conditions,
  findCondition,
} from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';

/** The object with a condition set by the rules of its kind; the same object if nothing changes. */
export function withCondition<T extends ConditionedObject, C extends string>(
  object: T,
  rules: ConditionRules<C>,
  change: ConditionChange<C>,
  now: Instant,
): T {
  return withConditions(object, new Conditions(object, rules, now).set(change));
}

/** The object without a condition; the same object if it has none. */
export function withoutCondition<T extends ConditionedObject, C extends string>(
  object: T,
  rules: ConditionRules<C>,
  type: C,
  now: Instant,
): T {
  if (findCondition(object, type) === undefined) return object;
  return withConditions(object, new Conditions(object, rules, now).clear(type));
}

function withConditions<T extends ConditionedObject, C extends string>(object: T, { list }: Conditions<C>): T {
  if (list === object.status?.conditions) return object;
  return { ...object, status: { ...object.status, conditions: list } };
}

/** When the condition last changed its status, in milliseconds since the epoch. */
export function transitionOf({ lastTransitionTime }: Condition): Instant {
  return Date.parse(lastTransitionTime);
}
