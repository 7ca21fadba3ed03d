import { type DoNotDisrupt, readDoNotDisrupt } from '@karpenter-ts/apis';
import { findCondition, objectKey, type Pod, PODS, timestamp } from '@karpenter-ts/kubernetes';
import {
  type Controller,
  DONE,
  type Enqueuer,
  type Instant,
  isConflict,
  isNotFound,
  isTooManyRequests,
  type Logger,
  RETRY,
  type Result,
  SECOND,
  scaleBucket,
  scaleConcurrency,
  StatusError,
} from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { findNodeClaim } from '../state/node-nodeclaim-links.ts';
import { findProtectionEvent } from '../pods/do-not-disrupt.ts';
import { findEvictionObstacle } from '../pods/predicates.ts';
import { mustBeDeleted } from './pod-drain.ts';
import { deletedForDeadline, evicted, failedDraining } from './termination-events.ts';
import { evictionRequests, podsDrained } from './termination-metrics.ts';

type QueueCore = Pick<ControllerDeps, 'client' | 'caches' | 'clock' | 'events' | 'metrics' | 'options'>;

/** A pod to evict. */
interface EvictionRequest {
  readonly uid: string;
  /** When the pod must be gone; the earliest deadline given. */
  readonly deadline: Instant | undefined;
}

/** One pass over a pod to evict. */
interface Pass extends EvictionRequest {
  readonly signal: AbortSignal;
}

const CONCURRENCY = { min: 100, max: 5000 };
const TOO_MANY_BUDGETS =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/**
 * Evicts pods: requests the eviction again and again until the API server grants it, or deletes the pod when the
 * deadline demands it (spec 03 §7.5). A pod stays in the queue until it is terminating or gone.
 */
export class EvictionQueue {
  readonly controller: Controller;
  readonly #core: QueueCore;
  readonly #requests = new Map<string, EvictionRequest>(); // by namespace/name; each is also in the work queue
  #queue: Enqueuer<string> | undefined;

  constructor(core: QueueCore) {
    const concurrency = scaleConcurrency(core.options.cpuRequests / 1000, CONCURRENCY);
    this.#core = core;
    this.controller = {
      name: 'eviction-queue',
      kind: { group: PODS.group, kind: PODS.kind },
      concurrency,
      retries: {
        backOff: { base: 100, cap: 10 * SECOND },
        bucket: scaleBucket(concurrency, { minQps: 100, min: CONCURRENCY.min }),
      },
      sources: [{ name: 'channel source', attach: (queue) => this.#attach(queue) }],
      reconcile: (key, signal, logger) => this.#reconcile(key, signal, logger),
    };
  }

  /** Whether this pod (by uid) is queued. */
  has({ metadata }: Pod): boolean {
    return this.#requests.get(objectKey(metadata))?.uid === metadata.uid;
  }

  /** Queues a pod. If it is queued already, the earlier deadline counts. */
  add(pod: Pod, deadline: Instant | undefined): void {
    const { uid = '' } = pod.metadata;
    const key = objectKey(pod.metadata);
    const known = this.#requests.get(key);
    const isNew = known?.uid !== uid;
    const earliest = isNew ? deadline : earlier(known?.deadline, deadline);
    this.#requests.set(key, { uid, deadline: earliest });
    // A pod held back by a PodDisruptionBudget must not stay in back-off past its deadline.
    if (isNew || mustBeDeleted(pod, earliest, this.#core.clock.now())) this.#queue?.add(key);
  }

  #attach(queue: Enqueuer<string>): void {
    this.#queue = queue;
    for (const key of this.#requests.keys()) queue.add(key);
  }

  async #reconcile(key: string, signal: AbortSignal, logger: Logger): Promise<Result> {
    const request = this.#requests.get(key);
    if (request === undefined) return DONE;
    const { caches, clock } = this.#core;
    const pod = caches.pods.get(key);
    if (pod === undefined || pod.metadata.uid !== request.uid) return this.#forget(key, request);
    const now = clock.now();
    if (mustBeDeleted(pod, request.deadline, now)) return this.#delete(key, { ...request, signal }, pod, logger);
    const doNotDisrupt = readDoNotDisrupt(pod, now);
    const obstacle = findEvictionObstacle(pod, doNotDisrupt);
    switch (obstacle) {
      case 'NotActive':
        return this.#forget(key, request);
      case 'ToleratesDisruption':
      case 'MirrorPod':
        return RETRY;
      case 'DoNotDisrupt':
      case undefined:
        this.#publishProtection(pod, doNotDisrupt);
        return obstacle === undefined ? this.#evict(key, { ...request, signal }, pod) : RETRY;
      default:
        return obstacle satisfies never;
    }
  }

  /** Publishes what users should know about the pod's do-not-disrupt annotation. */
  #publishProtection(pod: Pod, doNotDisrupt: DoNotDisrupt): void {
    const event = findProtectionEvent(pod, doNotDisrupt);
    if (event !== undefined) this.#core.events.publish(event);
  }

  async #evict(key: string, request: Pass, pod: Pod): Promise<Result> {
    const { client, events, metrics } = this.#core;
    const { name, namespace } = pod.metadata;
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: { preconditions: { uid: request.uid } },
    };
    try {
      await client.create(PODS, eviction, { subresource: 'eviction', retries: 0 }, request.signal);
    } catch (error) {
      return this.#refused(key, request, pod, error);
    }
    metrics.increment(evictionRequests, { code: '200' });
    const reason = this.#reasonOf(pod);
    events.publish(evicted(pod, reason));
    metrics.increment(podsDrained, { reason });
    return this.#forget(key, request);
  }

  /**
   * Handles a refused eviction: a pod that is gone or was replaced needs nothing more, a PodDisruptionBudget may allow
   * it later, and anything else is an error.
   */
  #refused(key: string, request: EvictionRequest, pod: Pod, error: unknown): Result {
    if (!(error instanceof StatusError)) throw error;
    const { code, status } = error;
    this.#core.metrics.increment(evictionRequests, { code: String(code) });
    if (isNotFound(error) || isConflict(error)) return this.#forget(key, request);
    const hasManyBudgets = status.message === TOO_MANY_BUDGETS;
    if (!hasManyBudgets && !isTooManyRequests(error)) throw error;
    const why = hasManyBudgets ? 'eviction does not support multiple PDBs' : 'evicting pod violates a PDB';
    const node = this.#core.caches.nodes.get(pod.spec.nodeName ?? '');
    if (node !== undefined) {
      this.#core.events.publish(failedDraining(node, 'eviction', `${why} (Pod=${objectKey(pod.metadata)})`));
    }
    return RETRY;
  }

  /**
   * Deletes a pod with the time until the deadline as grace period, but at least one second: with zero the API server
   * would remove the pod before its kubelet has stopped it.
   */
  async #delete(key: string, request: Pass, pod: Pod, logger: Logger): Promise<Result> {
    const { client, clock, events, metrics } = this.#core;
    const deadline = request.deadline ?? 0;
    const grace = Math.max(Math.floor((deadline - clock.now()) / SECOND), 1);
    const { deletionTimestamp } = pod.metadata;
    const wasTerminating = deletionTimestamp !== undefined;
    // Another deletion would not make it terminate any sooner.
    if (wasTerminating && clock.now() + grace * SECOND >= Date.parse(deletionTimestamp))
      return this.#forget(key, request);
    events.publish(deletedForDeadline(pod, grace, deadline));
    try {
      const options = { gracePeriodSeconds: grace, preconditions: { uid: request.uid } };
      await client.delete(PODS, pod.metadata, options, request.signal);
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return this.#forget(key, request);
      throw new Error(`force-deleting pod, ${(error as Error).message}`, { cause: error });
    }
    logger.debug('deleting pod', {
      'pod.terminationGracePeriodSeconds': pod.spec.terminationGracePeriodSeconds ?? 0,
      'delete.gracePeriodSeconds': grace,
      'nodeclaim.terminationTime': timestamp(deadline),
    });
    if (!wasTerminating) metrics.increment(podsDrained, { reason: this.#reasonOf(pod) });
    return this.#forget(key, request);
  }

  /** Removes the request, unless a new pod of the same name was queued meanwhile. */
  #forget(key: string, { uid }: EvictionRequest): typeof DONE {
    if (this.#requests.get(key)?.uid === uid) this.#requests.delete(key);
    return DONE;
  }

  /** Why the pod's node is disrupted, as the NodeClaim's condition says. */
  #reasonOf({ spec }: Pod): string {
    const { caches } = this.#core;
    const node = caches.nodes.get(spec.nodeName ?? '');
    const nodeClaim = node && findNodeClaim(node, caches);
    if (nodeClaim === undefined) return '';
    const condition = findCondition(nodeClaim, 'DisruptionReason');
    return condition?.status === 'True' ? (condition.reason ?? '') : 'Forceful Termination';
  }
}

function earlier(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
