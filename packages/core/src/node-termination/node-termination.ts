import { isTrue, NODES } from '@karpenter-ts/kubernetes';
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
  type Result,
  scaleBucket,
  scaleConcurrency,
  SECOND,
} from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isReady, type Node } from '../kinds/node.ts';
import { findNodeClaim } from '../state/node-nodeclaim-links.ts';
import { isManagedNode } from '../state/managed.ts';
import { OwnWrites } from '../writes/own-writes.ts';
import { patchStatus } from '../writes/status-patch.ts';
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

/** Empties nodes that are to go, and lets them go once their machines are gone (spec 03 §7.3). */
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
    // Without a claim, or with two that contradict each other, the node is emptied all the same.
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

  /** A node that goes takes its claim with it. Resolves with the claim as it is then; undefined if there is none left. */
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

  /** Whether there is nothing left to empty. While its kubelet speaks, a machine is there whatever the cloud says. */
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

  /** An annotation nobody can read counts as none: upstream would never let the node go (spec 03 §18-11). */
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

  /** One step after another, until one has to wait. */
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

  /** Lets the Node object go; other finalizers on it stay. */
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
