import {
  type Controller,
  DONE,
  type GaugeDefinition,
  type Instant,
  kindSource,
  type LiveSample,
  SECOND,
} from '@karpenter-ts/runtime';
import { objectKey, type Pod, PODS } from '@karpenter-ts/kubernetes';
import type { PodDecision, PodDecisions } from '../state/pod-decisions.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isTerminal } from '../kinds/pod.ts';
import {
  boundSeconds,
  podState,
  provisioningBoundSeconds,
  provisioningStartupSeconds,
  provisioningUnboundSeconds,
  provisioningUnstartedSeconds,
  startupSeconds,
  unboundSeconds,
  undecidedSeconds,
  unstartedSeconds,
} from './pod-metrics.ts';
import { podLabels } from './pod-labels.ts';

/** Exports the state of pods, and how long pods that were seen Pending take to be bound and to start (spec 05 §4.2). */
export function podMetricsController(core: ControllerDeps, decisions: PodDecisions): Controller {
  const { pods } = core.caches;
  const watch = new PodWatch(core, decisions);
  return {
    name: 'metrics.pod',
    kind: PODS,
    sources: [kindSource(pods)],
    reconcile: async (key) => {
      watch.expose();
      const pod = pods.get(key);
      if (pod === undefined) watch.gone(key);
      else watch.see(key, pod);
      return DONE;
    },
  };
}

/** Measures pods. States and ages are computed when metrics are scraped, so unchanged pods cost nothing. */
class PodWatch {
  readonly #core: ControllerDeps;
  readonly #decisions: PodDecisions;
  /** Pods that were seen Pending, until they are ready or have ended; by namespace/name, as the other set. */
  readonly #unstarted = new Set<string>();
  /** Pods that were seen Pending, until they are bound and not Pending any more. */
  readonly #unbound = new Set<string>();
  #isExposed = false;

  constructor(core: ControllerDeps, decisions: PodDecisions) {
    this.#core = core;
    this.#decisions = decisions;
  }

  see(key: string, pod: Pod): void {
    if (isPending(pod)) {
      this.#unstarted.add(key);
      this.#unbound.add(key);
    } else {
      this.#seeBound(key, pod);
      this.#seeStarted(key, pod); // forgets what the other reads
    }
  }

  gone(key: string): void {
    this.#unstarted.delete(key);
    this.#unbound.delete(key);
  }

  /** From the first pass on, because only the leader has passes: other replicas export nothing. */
  expose(): void {
    if (this.#isExposed) return;
    this.#isExposed = true;
    const { metrics } = this.#core;
    const placeableSince = (_pod: Pod, decision: PodDecision | undefined) => decision?.placeableSince;
    metrics.expose(podState, () => this.#states());
    this.#exposeWait(unstartedSeconds, () => this.#find(this.#unstarted), createdAt);
    this.#exposeWait(provisioningUnstartedSeconds, () => this.#find(this.#unstarted), placeableSince);
    this.#exposeWait(unboundSeconds, () => this.#find(this.#unbound, isUnbound), createdAt);
    this.#exposeWait(provisioningUnboundSeconds, () => this.#find(this.#unbound, isUnbound), placeableSince);
    this.#exposeWait(undecidedSeconds, () => this.#core.caches.pods.byIndex('node', ''), undecidedSince);
  }

  #exposeWait(
    gauge: GaugeDefinition<'name' | 'namespace'>,
    pods: () => Iterable<Pod | undefined>,
    since: (pod: Pod, decision: PodDecision | undefined) => Instant | undefined,
  ): void {
    const { clock, metrics } = this.#core;
    const decisions = this.#decisions;
    const sampleOf = (pod: Pod): LiveSample<'name' | 'namespace'> | undefined => {
      const { name, namespace = '' } = pod.metadata;
      const from = since(pod, decisions.find(objectKey(pod.metadata)));
      return from === undefined ? undefined : { labels: { name, namespace }, value: (clock.now() - from) / SECOND };
    };
    metrics.expose(gauge, function* () {
      for (const pod of pods()) yield pod && sampleOf(pod);
    });
  }

  *#states(): Generator<LiveSample<(typeof podState)['labelNames'][number]>> {
    const { nodes, pods } = this.#core.caches;
    for (const pod of pods.list()) yield { labels: podLabels(pod, nodes.get(pod.spec.nodeName ?? '')), value: 1 };
  }

  /** Undefined for a pod that is gone or filtered out. */
  *#find(keys: ReadonlySet<string>, isWanted = (_pod: Pod) => true): Generator<Pod | undefined> {
    const present = Array.from(keys); // a copy: a pod that is added again during the scrape must not appear twice
    for (const key of present) {
      const pod = this.#core.caches.pods.get(key);
      yield pod && isWanted(pod) ? pod : undefined;
    }
  }

  #seeBound(key: string, pod: Pod): void {
    const boundAt = findTime(pod, 'PodScheduled');
    if (boundAt === undefined || !this.#unbound.delete(key)) return;
    const { metrics } = this.#core;
    metrics.observe(boundSeconds, {}, secondsFrom(createdAt(pod), boundAt));
    const placeableSince = this.#decisions.find(key)?.placeableSince;
    if (placeableSince === undefined) return;
    metrics.observe(provisioningBoundSeconds, {}, secondsFrom(placeableSince, boundAt));
  }

  /** A pod that has ended was never ready, or not any more: nothing is measured. */
  #seeStarted(key: string, pod: Pod): void {
    const readyAt = findTime(pod, 'Ready');
    if ((readyAt === undefined && !isTerminal(pod)) || !this.#unstarted.delete(key)) return;
    const placeableSince = this.#decisions.find(key)?.placeableSince;
    this.#decisions.forget(key);
    if (readyAt === undefined) return;
    const { metrics } = this.#core;
    metrics.observe(startupSeconds, {}, secondsFrom(createdAt(pod), readyAt));
    if (placeableSince === undefined) return;
    metrics.observe(provisioningStartupSeconds, {}, secondsFrom(placeableSince, readyAt));
  }
}

function isPending({ status }: Pod): boolean {
  return status?.phase === 'Pending';
}

function isUnbound(pod: Pod): boolean {
  return isPending(pod) && findTime(pod, 'PodScheduled') === undefined;
}

/** Whether the pod is not bound. */
function undecidedSince(pod: Pod, decision: PodDecision | undefined): Instant | undefined {
  if (decision?.decidedAt !== undefined || isTerminal(pod)) return undefined;
  return findTime(pod, 'PodScheduled') === undefined ? decision?.seenAt : undefined;
}

function createdAt({ metadata }: Pod): Instant {
  return Date.parse(metadata.creationTimestamp ?? '');
}

/** When a condition became True; undefined if it is not True. */
function findTime({ status }: Pod, type: string): Instant | undefined {
  const condition = status?.conditions?.find((one) => one.type === type && one.status === 'True');
  return condition && Date.parse(condition.lastTransitionTime ?? '');
}

/** Conditions have whole seconds, so one may seem to precede the condition it follows; the difference is at least 0. */
function secondsFrom(start: Instant, end: Instant): number {
  return Math.max(0, end - start) / SECOND;
}
