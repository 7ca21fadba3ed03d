import { type Enqueuer, MINUTE, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import type { Change, Filter } from './filters/filter.ts';
import type { NamespaceLabels } from './model/affinity-term.ts';
import type { NodeEntry } from './model/node-entry.ts';
import type { PodClass } from './model/pod-class.ts';
import type { PendingPod } from './pending-pod.ts';

export interface QueueDeps {
  readonly clock: SteadyClock;
  readonly namespaces: NamespaceLabels;
  /** Whether nothing about this node alone keeps the pod away, as far as these filters go. */
  readonly mayTake: (node: NodeEntry, pod: PodClass, filters: ReadonlySet<Filter>) => boolean;
}

// As in kube-scheduler's default configuration.
const BACK_OFF = 1 * SECOND;
const MAX_BACK_OFF = 10 * SECOND;
const MAX_UNSCHEDULABLE = 5 * MINUTE;

/** Added to the priority of a pod in back-off: lower than every priority, which has 32 bits. */
const BACKING_OFF = -(2 ** 32);

/** Unschedulable pods of a class, and the filters that rejected them. */
interface UnschedulablePods {
  readonly keys: Set<string>;
  readonly rejectedBy: Set<Filter>;
}

/**
 * The scheduling queue: pods without a node. The pod with the highest priority is tried first, and among equal priorities
 * the one that has waited longest. An unschedulable pod waits for an event that may make it schedulable, for five minutes
 * at the most.
 *
 * A pod that failed is in back-off for 1, 2, 4, 8, then 10 seconds: until then all other pods go before it. When there
 * are no other pods it is tried at once, unlike in kube-scheduler.
 */
export class SchedulingQueue {
  readonly #deps: QueueDeps;
  readonly #pending = new Map<string, PendingPod>();
  readonly #unschedulable = new Map<PodClass, UnschedulablePods>();
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>();
  #active: Enqueuer<string> | undefined;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** Sets the active queue, which gets the keys of pods to try. Without it, they are dropped. */
  attach(turns: Enqueuer<string>): void {
    this.#active = turns;
  }

  /** Adds or updates a pod. It is tried if it is new, or if its class or priority has changed. */
  set(pod: PendingPod): void {
    const old = this.#pending.get(pod.key);
    const isTried = old === undefined || old.pod !== pod.pod || old.priority !== pod.priority;
    if (isTried) this.#removeUnschedulable(pod.key);
    this.#pending.set(pod.key, pod);
    if (isTried) this.#active?.add(pod.key, pod.priority);
  }

  /** Moves a pod to the active queue, because the state of its volumes has changed. */
  activate(key: string): void {
    const pod = this.#pending.get(key);
    if (pod !== undefined) this.#active?.add(key, pod.priority);
  }

  /** Removes a pod that needs no node any more. */
  delete(key: string): void {
    this.#removeUnschedulable(key);
    this.#pending.delete(key);
    this.#failures.delete(key);
  }

  /** Pops the pod with this key; undefined if it needs no node any more. */
  take(key: string): PendingPod | undefined {
    this.#removeUnschedulable(key);
    return this.#pending.get(key);
  }

  /** Adds a pod that no node fits. It waits for an event that one of these filters lists in `helpedBy`. */
  addUnschedulable({ key, pod }: PendingPod, rejectedBy: ReadonlySet<Filter>): void {
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    this.#failures.set(key, { count, at: this.#deps.clock.elapsed() });
    let unschedulable = this.#unschedulable.get(pod);
    if (unschedulable === undefined)
      this.#unschedulable.set(pod, (unschedulable = { keys: new Set(), rejectedBy: new Set() }));
    unschedulable.keys.add(key);
    for (const filter of rejectedBy) unschedulable.rejectedBy.add(filter);
  }

  /** Moves the pods that this event may make schedulable to the active queue. */
  moveToActive(change: Change): void {
    for (const [pod, unschedulable] of this.#unschedulable) {
      if (!this.#mayHelp(change, pod, unschedulable)) continue;
      this.#unschedulable.delete(pod);
      for (const key of unschedulable.keys) this.#retry(this.#pending.get(key)!);
    }
  }

  /** Moves pods that have been unschedulable for too long to the active queue, in case an event was missed. */
  flushUnschedulable(): void {
    const since = this.#deps.clock.elapsed() - MAX_UNSCHEDULABLE;
    for (const { keys } of this.#unschedulable.values()) {
      for (const key of keys) {
        if (this.#failures.get(key)!.at > since) continue;
        this.#removeUnschedulable(key);
        this.#retry(this.#pending.get(key)!);
      }
    }
  }

  #mayHelp(change: Change, pod: PodClass, { rejectedBy }: UnschedulablePods): boolean {
    const { namespaces, mayTake } = this.#deps;
    if (rejectedBy.size === 0) return change.kind === 'node added'; // it found no nodes at all
    const helped = [...rejectedBy].filter(
      (filter) =>
        filter.helpedBy.includes(change.kind) &&
        (!('pod' in change) || (filter.concerns?.(pod, change.pod, namespaces) ?? true)),
    );
    if (helped.some(({ scope }) => scope === 'cluster')) return true;
    // Those that look at single nodes are helped if none has anything against this one. Another filter may have: then that
    // is what the pod is told next.
    return helped.length > 0 && (!('node' in change) || mayTake(change.node, pod, rejectedBy));
  }

  #retry({ key, priority }: PendingPod): void {
    const { count, at } = this.#failures.get(key)!;
    const end = at + Math.min(BACK_OFF * 2 ** (count - 1), MAX_BACK_OFF);
    this.#active?.add(key, this.#deps.clock.elapsed() < end ? priority + BACKING_OFF : priority);
  }

  #removeUnschedulable(key: string): void {
    const pod = this.#pending.get(key)?.pod;
    const unschedulable = pod && this.#unschedulable.get(pod);
    if (pod === undefined || unschedulable === undefined) return;
    unschedulable.keys.delete(key);
    if (unschedulable.keys.size === 0) this.#unschedulable.delete(pod);
  }
}
