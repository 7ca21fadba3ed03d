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
const LONGEST_BACK_OFF = 10 * SECOND;
const LONGEST_PARKED = 5 * MINUTE;

/** Below every priority a pod can have, which are 32 bits wide. */
const BACKING_OFF = -(2 ** 32);

/** Pods of a class that fit nowhere, and the filters that said so. */
interface Parked {
  readonly keys: Set<string>;
  readonly rejectedBy: Set<Filter>;
}

/**
 * The pods that have no node. Those with the highest priority are tried first, of equals the one that waits longest. One
 * that fits nowhere is parked until something changes that may help it, or for five minutes.
 *
 * A pod tried often is not tried again at once: for 1, 2, 4, 8, then 10 seconds all others go before it, so that it
 * takes nobody's turn. When there are no others it need not wait.
 */
export class SchedulingQueue {
  readonly #deps: QueueDeps;
  readonly #pending = new Map<string, PendingPod>();
  readonly #parked = new Map<PodClass, Parked>();
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>();
  #turns: Enqueuer<string> | undefined;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** Says where the keys of pods go that are to be tried; until then they go nowhere. */
  attach(turns: Enqueuer<string>): void {
    this.#turns = turns;
  }

  /** The pod as it is now. It is tried if it is new, or has changed in what decides where it goes. */
  set(pod: PendingPod): void {
    const old = this.#pending.get(pod.key);
    const isTried = old === undefined || old.pod !== pod.pod || old.priority !== pod.priority;
    if (isTried) this.#unpark(pod.key);
    this.#pending.set(pod.key, pod);
    if (isTried) this.#turns?.add(pod.key, pod.priority);
  }

  /** The pod is to be looked at again, because of what became of its volumes. */
  revisit(key: string): void {
    const pod = this.#pending.get(key);
    if (pod !== undefined) this.#turns?.add(key, pod.priority);
  }

  /** The pod needs no node any more. */
  delete(key: string): void {
    this.#unpark(key);
    this.#pending.delete(key);
    this.#failures.delete(key);
  }

  /** The pod to try now, if it still needs a node. */
  take(key: string): PendingPod | undefined {
    this.#unpark(key);
    return this.#pending.get(key);
  }

  /** The pod fits nowhere; it waits for a change that helps one of these filters. */
  park({ key, pod }: PendingPod, rejectedBy: ReadonlySet<Filter>): void {
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    this.#failures.set(key, { count, at: this.#deps.clock.elapsed() });
    let parked = this.#parked.get(pod);
    if (parked === undefined) this.#parked.set(pod, (parked = { keys: new Set(), rejectedBy: new Set() }));
    parked.keys.add(key);
    for (const filter of rejectedBy) parked.rejectedBy.add(filter);
  }

  /** Something happened: pods it may help are tried again. */
  wake(change: Change): void {
    for (const [pod, parked] of this.#parked) {
      if (!this.#mayHelp(change, pod, parked)) continue;
      this.#parked.delete(pod);
      for (const key of parked.keys) this.#retry(this.#pending.get(key)!);
    }
  }

  /** Pods parked for too long are tried again, in case the change that helps was not recognised. */
  wakeOld(): void {
    const since = this.#deps.clock.elapsed() - LONGEST_PARKED;
    for (const { keys } of this.#parked.values()) {
      for (const key of keys) {
        if (this.#failures.get(key)!.at > since) continue;
        this.#unpark(key);
        this.#retry(this.#pending.get(key)!);
      }
    }
  }

  #mayHelp(change: Change, pod: PodClass, { rejectedBy }: Parked): boolean {
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
    const end = at + Math.min(BACK_OFF * 2 ** (count - 1), LONGEST_BACK_OFF);
    this.#turns?.add(key, this.#deps.clock.elapsed() < end ? priority + BACKING_OFF : priority);
  }

  #unpark(key: string): void {
    const pod = this.#pending.get(key)?.pod;
    const parked = pod && this.#parked.get(pod);
    if (pod === undefined || parked === undefined) return;
    parked.keys.delete(key);
    if (parked.keys.size === 0) this.#parked.delete(pod);
  }
}
