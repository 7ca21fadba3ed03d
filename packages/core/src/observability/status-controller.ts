import {
  type ApiObject,
  type ConditionedObject,
  type ConditionRules,
  Conditions,
  instantOf,
} from '@karpenter-ts/kubernetes';
import {
  INITIALIZED_LABEL,
  NODE_CLAIM_CONDITIONS,
  NODE_POOL_CONDITIONS,
  nodeClassLabel,
  NODEPOOL_LABEL,
} from '@karpenter-ts/apis';
import type { NodeClass } from '@karpenter-ts/cloudprovider';
import {
  type Controller,
  DEFAULT_BUCKETS,
  DONE,
  type Informer,
  type Instant,
  kindSource,
  type LiveSample,
  SECOND,
  STATUS_BUCKETS,
  subjectOf,
} from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { metricLabel, SHARED_STATUS_METRICS, type StatusMetrics, statusMetricsOf } from './status-metrics.ts';
import { findTransitions, type ObservedCondition, type Transition, transitionText } from './status-transitions.ts';

/** A kind whose conditions and termination are shown. */
interface StatusKind<T extends ApiObject> {
  readonly cache: Pick<Informer<T>, 'type' | 'get' | 'list' | 'start' | 'hasSynced' | 'addHandlerInTurns'>;
  readonly conditionsOf: (object: T) => readonly ObservedCondition[];
  /** Labels of the objects that the kind's own metrics show, too. */
  readonly labels: readonly string[];
  /** Bounds of the histograms, in seconds. */
  readonly buckets: readonly number[];
  /** Whether the metrics of all kinds count it, too. */
  readonly isShared: boolean;
}

/** The controllers for NodeClaims, NodePools and Nodes, of all providers. */
export function statusControllers(core: ControllerDeps): readonly Controller[] {
  const { nodeClaims, nodePools, nodes } = core.caches;
  const classes = core.provider.nodeClasses.map(nodeClassLabel);
  const common = { labels: [], buckets: STATUS_BUCKETS, isShared: true };
  return [
    statusController(core, {
      ...common,
      cache: nodeClaims,
      conditionsOf: (nodeClaim) => filledConditions(nodeClaim, NODE_CLAIM_CONDITIONS),
      labels: [...classes, NODEPOOL_LABEL],
    }),
    statusController(core, {
      ...common,
      cache: nodePools,
      conditionsOf: (nodePool) => filledConditions(nodePool, NODE_POOL_CONDITIONS),
    }),
    statusController(core, {
      ...common,
      cache: nodes,
      conditionsOf: ({ status }) => status?.conditions ?? [],
      labels: [...classes, NODEPOOL_LABEL, INITIALIZED_LABEL],
      isShared: false,
    }),
  ];
}

/** The controllers for the NodeClasses of providers that keep conditions. Upstream's AWS provider always has its own. */
export function nodeClassStatusControllers(core: ControllerDeps): readonly Controller[] {
  const { nodeClasses } = core.caches;
  const { ReservedCapacity: reservedCapacity } = core.options.featureGates;
  return nodeClasses.kinds.flatMap((kind) => {
    const rules = kind.conditions?.({ reservedCapacity });
    if (rules === undefined) return [];
    const cache = nodeClasses.of(kind);
    const conditionsOf = (object: NodeClass) => filledConditions(object, rules);
    return [statusController(core, { cache, conditionsOf, labels: [], buckets: DEFAULT_BUCKETS, isShared: true })];
  });
}

/** Required conditions count from the object's creation. */
function filledConditions<C extends string>(
  object: ConditionedObject,
  rules: ConditionRules<C>,
): readonly ObservedCondition[] {
  return new Conditions(object, rules, 0).list;
}

/**
 * Exports changes of the conditions of a kind and the termination of its objects, by comparing each object with its
 * last version (spec 03 §2.1, 05 §4.4). Durations are computed when metrics are scraped, so unchanged objects cost
 * nothing.
 */
function statusController<T extends ApiObject>(core: ControllerDeps, kind: StatusKind<T>): Controller {
  const { cache } = kind;
  const watch = new StatusWatch(core, kind);
  const seen = new Map<string, T>();
  return {
    name: `operatorpkg.${cache.type.kind.toLowerCase()}.status`,
    kind: cache.type,
    concurrency: 10,
    sources: [kindSource(cache)],
    reconcile: async (key) => {
      watch.expose();
      const object = cache.get(key);
      const last = seen.get(key);
      if (last !== undefined && last.metadata.uid !== object?.metadata.uid) {
        seen.delete(key);
        watch.ended(last);
      }
      if (object === undefined) return DONE;
      watch.changed(seen.get(key), object);
      seen.set(key, object);
      return DONE;
    },
  };
}

/** The events and metrics of one kind. */
class StatusWatch<T extends ApiObject> {
  readonly #core: ControllerDeps;
  readonly #kind: StatusKind<T>;
  /** The kind's own metrics and, if it counts there, those of all kinds, each with the labels it adds. */
  readonly #views: readonly (readonly [StatusMetrics, LabelsOf<T>])[];
  #isExposed = false;

  constructor(core: ControllerDeps, kind: StatusKind<T>) {
    this.#core = core;
    this.#kind = kind;
    const { group, kind: name } = kind.cache.type;
    const own = statusMetricsOf(name, kind.labels, kind.buckets);
    const shared: LabelsOf<T> = () => ({ group, kind: name });
    this.#views = [[own, labelsOf(kind.labels)], ...(kind.isShared ? [[SHARED_STATUS_METRICS, shared] as const] : [])];
  }

  /** From the first pass on, because only the leader has passes: other replicas export nothing. */
  expose(): void {
    if (this.#isExposed) return;
    this.#isExposed = true;
    const { metrics } = this.#core;
    for (const [{ count, currentStatusSeconds, terminationCurrentSeconds }, extra] of this.#views) {
      metrics.expose(count, () => this.#conditions(extra, () => 1));
      metrics.expose(currentStatusSeconds, () => this.#conditions(extra, (one) => this.#since(timeOf(one))));
      metrics.expose(terminationCurrentSeconds, () => this.#terminations(extra));
    }
  }

  changed(last: T | undefined, object: T): void {
    const { conditionsOf } = this.#kind;
    const gone = last?.metadata.finalizers?.filter((one) => !object.metadata.finalizers?.includes(one)) ?? [];
    this.#finalized(object, gone);
    for (const transition of findTransitions(last === undefined ? [] : conditionsOf(last), conditionsOf(object))) {
      this.#transitioned(object, transition);
    }
  }

  ended(last: T): void {
    const { deletionTimestamp, finalizers = [] } = last.metadata;
    this.#finalized(last, finalizers);
    if (deletionTimestamp === undefined) return;
    for (const [{ terminationSeconds }, extra] of this.#views) {
      this.#core.metrics.observe(terminationSeconds, extra(last), this.#since(Date.parse(deletionTimestamp)));
    }
  }

  #transitioned(object: T, { from, to }: Transition): void {
    const { events, metrics } = this.#core;
    const { type, status, reason = '' } = to;
    for (const [{ transitions }, extra] of this.#views) {
      metrics.increment(transitions, { type, status, reason, ...extra(object) });
    }
    if (from === undefined) return;
    const seconds = (timeOf(to) - timeOf(from)) / SECOND;
    for (const [{ transitionSeconds }, extra] of this.#views) {
      metrics.observe(transitionSeconds, { type, status: from.status, ...extra(object) }, seconds);
    }
    const on = subjectOf(this.#kind.cache.type, object);
    events.publish({ on, type: 'Normal', reason: type, message: transitionText({ from, to }) });
  }

  #finalized(object: T, finalizers: readonly string[]): void {
    const on = subjectOf(this.#kind.cache.type, object);
    for (const finalizer of finalizers) {
      this.#core.events.publish({ on, type: 'Normal', reason: 'Finalized', message: `Finalized ${finalizer}` });
    }
  }

  *#conditions(extra: LabelsOf<T>, valueOf: (condition: ObservedCondition) => number): Generator<LiveSample> {
    const { cache, conditionsOf } = this.#kind;
    for (const object of cache.list()) {
      const ofObject = { ...nameLabels(object), ...extra(object) };
      for (const condition of conditionsOf(object)) {
        const { type, status, reason = '' } = condition;
        yield { labels: { ...ofObject, type, status, reason }, value: valueOf(condition) };
      }
    }
  }

  *#terminations(extra: LabelsOf<T>): Generator<LiveSample> {
    for (const object of this.#kind.cache.list()) {
      const { deletionTimestamp } = object.metadata;
      if (deletionTimestamp === undefined) continue;
      yield { labels: { ...nameLabels(object), ...extra(object) }, value: this.#since(Date.parse(deletionTimestamp)) };
    }
  }

  #since(at: Instant): number {
    return (this.#core.clock.now() - at) / SECOND;
  }
}

type LabelsOf<T> = (object: T) => Readonly<Record<string, string>>;

function labelsOf(keys: readonly string[]): LabelsOf<ApiObject> {
  return ({ metadata }) => Object.fromEntries(keys.map((key) => [metricLabel(key), metadata.labels?.[key] ?? '']));
}

function nameLabels({ metadata }: ApiObject): Readonly<Record<'namespace' | 'name', string>> {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

/** The transition time. Kubelets always set it; a condition without one counts from the epoch, as upstream has it. */
function timeOf({ lastTransitionTime }: ObservedCondition): Instant {
  return instantOf(lastTransitionTime) ?? 0;
}
