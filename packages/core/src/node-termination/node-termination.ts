import { isTrue, type Node, NODES } from '@karpenter-ts/kubernetes';
import {
  NODE_CLAIMS,
  type NodeClaim,
  NODEPOOL_LABEL,
  TERMINATION_FINALIZER,
  TERMINATION_TIMESTAMP,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import {
  type Controller,
  DONE,
  findCause,
  type Instant,
  isNotFound,
  kindSource,
  LoggedRef,
  type Logger,
  patchStatus,
  type Result,
  scaleBucket,
  scaleConcurrency,
  SECOND,
} from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isReady } from '../kinds/node.ts';
import { findNodeClaim } from '../state/node-nodeclaim-links.ts';
import { isManagedNode } from '../state/managed.ts';
import { OwnWrites } from '../writes/own-writes.ts';
import type { EvictionQueue } from './eviction-queue.ts';
import { taintForDisruption } from './node-taint.ts';
import { readDeadline } from '../nodeclaim/termination-deadline.ts';
import { deadlineExpiring } from './termination-events.ts';
import { lifetimeSeconds, nodesDrained, nodesTerminated, terminationSeconds } from './termination-metrics.ts';
import {
  awaitDetachment,
  awaitDrain,
  awaitInstanceDeletion,
  type Termination,
  type Step,
  type StepOutcome,
} from './termination-steps.ts';

const CONCURRENCY = { min: 100, max: 5000 };
const STEPS: readonly Step[] = [awaitDrain, awaitDetachment, awaitInstanceDeletion];

/** Drains deleted Nodes and removes their finalizer once the instance is gone (spec 03 §7.3). */
export function nodeTermination(core: ControllerDeps, queue: EvictionQueue): Controller {
  const { caches, options, provider } = core;
  const concurrency = scaleConcurrency(options.cpuRequests / 1000, CONCURRENCY);
  const termination = new NodeTermination(core, queue);
  return {
    name: 'node.termination',
    kind: { group: NODES.group, kind: NODES.kind },
    concurrency,
    retries: {
      backOff: { base: 100, cap: 10 * SECOND },
      bucket: scaleBucket(concurrency, { minQps: 10, min: CONCURRENCY.min }),
    },
    sources: [kindSource(caches.nodes, { when: ({ object }) => isManagedNode(object, provider) })],
    reconcile: (name, signal, logger) => termination.reconcile(name, signal, logger),
  };
}

class NodeTermination {
  readonly #core: ControllerDeps;
  readonly #queue: EvictionQueue;
  readonly #nodes: OwnWrites<Node>;
  readonly #nodeClaims: OwnWrites<NodeClaim>;

  constructor(core: ControllerDeps, queue: EvictionQueue) {
    this.#core = core;
    this.#queue = queue;
    this.#nodes = new OwnWrites(core.caches.nodes);
    this.#nodeClaims = new OwnWrites(core.caches.nodeClaims);
  }

  async reconcile(name: string, signal: AbortSignal, logger: Logger): Promise<Result> {
    const node = this.#nodes.get(name);
    if (node?.metadata.deletionTimestamp === undefined || !hasFinalizer(node)) return DONE;
    if (!isManagedNode(node, this.#core.provider)) return DONE;
    // Without a NodeClaim, or with two of the same provider id, the node is drained all the same.
    const found = findNodeClaim(node, this.#core.caches);
    const nodeClaim = found && (await this.#end(this.#nodeClaims.get(found.metadata.name) ?? found, signal));
    const ours = nodeClaim ? logger.with({ NodeClaim: new LoggedRef({ name: nodeClaim.metadata.name }) }) : logger;
    if (await this.#isGone(node, signal)) return this.#release(node, signal, ours);
    const deadline = nodeClaim && this.#deadlineOf(node, nodeClaim, ours);
    this.#nodes.remember(await taintForDisruption(this.#core.client, node, signal, ours));
    const outcome = await this.#take({ ...this.#core, queue: this.#queue, node, deadline, signal }, nodeClaim);
    if (nodeClaim !== undefined && outcome.nodeClaim !== undefined)
      await this.#save(node, nodeClaim, outcome.nodeClaim, signal);
    if (outcome.error !== undefined) throw outcome.error;
    return outcome.result === DONE ? this.#release(node, signal, ours) : outcome.result;
  }

  /** Deletes the NodeClaim of a deleted Node. Resolves with the NodeClaim as it is then; undefined if it is gone. */
  async #end(nodeClaim: NodeClaim, signal: AbortSignal): Promise<NodeClaim | undefined> {
    if (nodeClaim.metadata.deletionTimestamp !== undefined) return nodeClaim;
    const { client } = this.#core;
    const { name, uid = '' } = nodeClaim.metadata;
    try {
      await client.delete(NODE_CLAIMS, { name }, { preconditions: { uid } }, signal);
      return this.#nodeClaims.remember(await client.get<NodeClaim>(NODE_CLAIMS, { name }, {}, signal));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw new Error(`deleting nodeclaim, ${(error as Error).message}`, { cause: error });
    }
  }

  /**
   * Whether the instance is gone, so that there is nothing to drain. While the Node is Ready the instance exists,
   * whatever the cloud says.
   */
  async #isGone(node: Node, signal: AbortSignal): Promise<boolean> {
    if (isReady(node)) return false;
    try {
      await this.#core.provider.get(node.spec?.providerID ?? '', signal);
      return false;
    } catch (error) {
      if (findCause(error, NodeClaimNotFoundError) !== undefined) return true;
      throw new Error(`getting nodeclaim, ${(error as Error).message}`, { cause: error });
    }
  }

  /**
   * The deadline from the annotation. One that cannot be parsed counts as none; upstream would never delete the node
   * (spec 03 §18-11).
   */
  #deadlineOf(node: Node, nodeClaim: NodeClaim, logger: Logger): Instant | undefined {
    const deadline = readDeadline(nodeClaim);
    if (deadline.kind === 'None') return undefined;
    this.#core.events.publish(deadlineExpiring(node, deadline.text));
    if (deadline.kind === 'At') return deadline.at;
    logger.error('ignoring a termination deadline that is not a time', undefined, {
      annotation: TERMINATION_TIMESTAMP,
      value: deadline.text,
    });
    return undefined;
  }

  /** Runs the steps until one has to wait. */
  async #take(termination: Termination, nodeClaim: NodeClaim | undefined): Promise<StepOutcome> {
    let outcome: StepOutcome = { nodeClaim, result: DONE };
    for (const step of STEPS) {
      outcome = await step(termination, outcome.nodeClaim);
      if (outcome.result !== DONE || outcome.error !== undefined) break;
    }
    return outcome;
  }

  async #save(node: Node, before: NodeClaim, after: NodeClaim, signal: AbortSignal): Promise<void> {
    const saved = await patchStatus(this.#core.client, NODE_CLAIMS, before, after, signal);
    if (saved !== undefined && saved !== before) this.#nodeClaims.remember(saved);
    if (isTrue(before, 'Drained') || !isTrue(after, 'Drained')) return;
    this.#core.metrics.increment(nodesDrained, { nodepool: poolOf(node) });
  }

  /** Removes our finalizer from the Node; other finalizers stay. */
  async #release(node: Node, signal: AbortSignal, logger: Logger): Promise<typeof DONE> {
    const { client, clock, metrics } = this.#core;
    const { name, creationTimestamp = '', deletionTimestamp = '' } = node.metadata;
    const body = { metadata: { '$deleteFromPrimitiveList/finalizers': [TERMINATION_FINALIZER] } };
    try {
      this.#nodes.remember(await client.patch<Node>(NODES, { name }, { type: 'strategic', body }, {}, signal));
    } catch (error) {
      if (isNotFound(error)) return DONE;
      throw new Error(`removing finalizer, ${(error as Error).message}`, { cause: error });
    }
    const nodepool = poolOf(node);
    metrics.increment(nodesTerminated, { nodepool, zone: node.metadata.labels?.[ZONE_LABEL] ?? '' });
    metrics.observe(terminationSeconds, { nodepool }, (clock.now() - Date.parse(deletionTimestamp)) / SECOND);
    metrics.observe(lifetimeSeconds, { nodepool }, (clock.now() - Date.parse(creationTimestamp)) / SECOND);
    logger.info('deleted node');
    return DONE;
  }
}

function hasFinalizer({ metadata }: Node): boolean {
  return metadata.finalizers?.includes(TERMINATION_FINALIZER) ?? false;
}

function poolOf({ metadata }: Node): string {
  return metadata.labels?.[NODEPOOL_LABEL] ?? '';
}
