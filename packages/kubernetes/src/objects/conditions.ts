import { timestamp } from '../values/timestamp.ts';
import type { Condition } from './condition.ts';

/** The condition each kind sums up in. */
export const READY = 'Ready';

/** What the rules read of an object. */
export interface ConditionedObject {
  readonly metadata: {
    readonly generation?: number | undefined;
    readonly creationTimestamp?: string | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

/** Anything that has conditions, ours or Kubernetes's own. */
interface Conditioned<C> {
  readonly status?: { readonly conditions?: readonly C[] | undefined } | undefined;
}

/** A condition as it is stored; undefined if there is none, which reads as Unknown. */
export function findCondition<C extends { readonly type: string }>(
  object: Conditioned<C>,
  type: string,
): C | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether the condition is stored and True. */
export function isTrue(object: Conditioned<{ readonly type: string; readonly status: string }>, type: string): boolean {
  return findCondition(object, type)?.status === 'True';
}

/** The conditions a kind may have (`Type`), and those `Ready` follows from, which always exist. */
export interface ConditionRules<Type extends string> {
  readonly dependents: readonly Type[];
}

/** What to set. True explains itself, Unknown means "not looked at yet" unless it says more, False must say why. */
export type ConditionChange<Type extends string> =
  | { readonly type: Type; readonly status: 'True' | 'Unknown'; readonly reason?: string; readonly message?: string }
  | { readonly type: Type; readonly status: 'False'; readonly reason: string; readonly message: string };

/**
 * The conditions of an object under its kind's rules (spec 01 §1.4). Immutable: a change gives a new set, whose `list`
 * is what to store. When a change changes nothing, `list` stays the very same array.
 */
export class Conditions<Type extends string> {
  /** As to be stored: oldest transition first, `Ready` last. What must exist and does not yet is Unknown. */
  readonly list: readonly Condition[];
  readonly #scope: Scope;

  /** `now` (ms since the epoch) is when changes happen. */
  constructor(object: ConditionedObject, rules: ConditionRules<Type>, now: number) {
    this.#scope = { object, dependents: rules.dependents, now };
    this.list = fill(this.#scope, object.status?.conditions ?? []);
  }

  /** Never `undefined` for `Ready` and what it depends on. */
  find(type: Type | typeof READY): Condition | undefined {
    return this.list.find((condition) => condition.type === type);
  }

  /** Sets one condition and recomputes `Ready`. */
  set(change: ConditionChange<Type | typeof READY>): Conditions<Type> {
    return this.#with(store(this.#scope, this.list, change));
  }

  /** Removes a condition `Ready` does not depend on; throws for one it does. What is left is sorted by type. */
  clear(type: Type): Conditions<Type> {
    if (isPermanent(this.#scope, type)) throw new Error(`condition ${type} always exists, it cannot be cleared`);
    if (this.find(type) === undefined) return this;
    const rest = this.list.filter((condition) => condition.type !== type);
    return this.#with(rest.sort((a, b) => (a.type < b.type ? -1 : 1)));
  }

  #with(conditions: readonly Condition[]): Conditions<Type> {
    if (conditions === this.list) return this;
    const { object, dependents, now } = this.#scope;
    return new Conditions({ ...object, status: { conditions } }, { dependents }, now);
  }
}

interface Scope {
  readonly object: ConditionedObject;
  readonly dependents: readonly string[];
  readonly now: number;
}

function fill(scope: Scope, conditions: readonly Condition[]): readonly Condition[] {
  let filled = conditions;
  for (const type of [READY, ...scope.dependents]) {
    const isMissing = filled.every((condition) => condition.type !== type);
    if (isMissing) filled = store(scope, filled, { type, status: 'Unknown' });
  }
  return filled;
}

function store(scope: Scope, conditions: readonly Condition[], change: ConditionChange<string>): readonly Condition[] {
  const present = conditions.find((condition) => condition.type === change.type);
  const next = toCondition(scope, change, present);
  if (present !== undefined && isEqual(present, next)) return conditions;
  const others = conditions.filter((condition) => condition.type !== change.type);
  const observed = scope.object.metadata.deletionTimestamp
    ? others.map((condition) => ({ ...condition, observedGeneration: next.observedGeneration }))
    : others;
  const stored = [...observed, next].sort(inStoredOrder);
  return change.type === READY ? stored : store(scope, stored, summarize(scope, stored));
}

function toCondition(scope: Scope, change: ConditionChange<string>, present: Condition | undefined): Condition {
  const { type, status } = change;
  const isUnseen = status === 'Unknown';
  return {
    type,
    status,
    observedGeneration: scope.object.metadata.generation ?? 0,
    lastTransitionTime: transitionTime(scope, change, present),
    reason: change.reason ?? (isUnseen ? 'AwaitingReconciliation' : type),
    message: change.message ?? (isUnseen ? 'object is awaiting reconciliation' : ''),
  };
}

/** A condition that always exists counts from the object's creation: the liveness timers of NodeClaims rely on it. */
function transitionTime(scope: Scope, change: ConditionChange<string>, present: Condition | undefined): string {
  if (present?.status === change.status) return present.lastTransitionTime;
  if (present === undefined && isPermanent(scope, change.type)) {
    return scope.object.metadata.creationTimestamp ?? GO_ZERO_TIME;
  }
  return timestamp(scope.now);
}

const GO_ZERO_TIME = '0001-01-01T00:00:00Z';

/** `Ready` as its dependents have it: False once one of them is, Unknown while one is unknown or out of date. */
function summarize({ object, dependents }: Scope, conditions: readonly Condition[]): ConditionChange<string> {
  const generation = object.metadata.generation ?? 0;
  const unhealthy = conditions.filter(
    ({ type, status, observedGeneration = 0 }) =>
      dependents.includes(type) && (status !== 'True' || observedGeneration !== generation),
  );
  if (unhealthy.length === 0) return { type: READY, status: 'True' };
  const message = unhealthy
    .sort((a, b) => timeOf(b) - timeOf(a))
    .map(({ type, status }) => `${type}=${status}`)
    .join(', ');
  const hasFailed = unhealthy.some(
    ({ status, observedGeneration = 0 }) => status === 'False' && observedGeneration === generation,
  );
  return hasFailed
    ? { type: READY, status: 'False', reason: 'UnhealthyDependents', message }
    : { type: READY, status: 'Unknown', reason: 'ReconcilingDependents', message };
}

function isPermanent({ dependents }: Scope, type: string): boolean {
  return type === READY || dependents.includes(type);
}

function isEqual(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    (a.reason ?? '') === (b.reason ?? '') &&
    (a.message ?? '') === (b.message ?? '') &&
    (a.observedGeneration ?? 0) === (b.observedGeneration ?? 0)
  );
}

function inStoredOrder(a: Condition, b: Condition): number {
  if (a.type === READY || b.type === READY) return a.type === READY ? 1 : -1;
  return timeOf(a) - timeOf(b);
}

function timeOf(condition: Condition): number {
  return Date.parse(condition.lastTransitionTime);
}
