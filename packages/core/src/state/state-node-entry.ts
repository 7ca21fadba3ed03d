import type { ResourceList } from '@karpenter-ts/kubernetes';
import { type NodeClaim, NODEPOOL_LABEL, REGISTERED_LABEL } from '@karpenter-ts/apis';
import { describeNode, type ExistingNode } from '@karpenter-ts/scheduling';
import type { Node } from '../kinds/node.ts';
import type { Pod } from '../kinds/pod.ts';
import type { StateNode } from './state-node.ts';

/** What an entry reads of the cluster besides its two halves, by name of the Node. */
export interface PodsAndLimits {
  podsOn(node: string): readonly Pod[];
  /** How many volumes may be attached, by CSI driver. */
  volumeLimitsOf(node: string): Readonly<Record<string, number>>;
}

/** What follows from the two halves of an entry alone. */
export interface NodeSummary {
  /** '' for one of no pool. */
  readonly nodePool: string;
  readonly capacity: ResourceList;
  readonly initialized: boolean;
  readonly isDeleting: boolean;
}

/** One machine of the model. What is derived from it is worked out when asked for, and again only after a change. */
export class StateNodeEntry {
  readonly providerId: string;
  readonly #podsAndLimits: PodsAndLimits;
  /** All that say they are this machine: one, but for mistakes. */
  #nodes: readonly Node[] = [];
  #nodeClaim: NodeClaim | undefined;
  #isMarked = false;
  #nominatedUntil = 0;
  #summary: NodeSummary | undefined;
  #existing: ExistingNode | undefined;
  #state: StateNode | undefined;

  constructor(providerId: string, podsAndLimits: PodsAndLimits) {
    this.providerId = providerId;
    this.#podsAndLimits = podsAndLimits;
  }

  /** Of several the one that is registered, which is open for pods; else the latest. */
  get node(): Node | undefined {
    return this.#nodes.find(isRegistered) ?? this.#nodes.at(-1);
  }

  putNode(node: Node): void {
    this.#nodes = [...this.#without(node.metadata.name), node];
    this.#objectsChanged();
  }

  removeNode(name: string): void {
    this.#nodes = this.#without(name);
    this.#objectsChanged();
  }

  get nodeClaim(): NodeClaim | undefined {
    return this.#nodeClaim;
  }

  set nodeClaim(nodeClaim: NodeClaim | undefined) {
    this.#nodeClaim = nodeClaim;
    this.#objectsChanged();
  }

  /** Marked in memory: its deletion is decided, though the API server does not know yet. */
  set isMarked(isMarked: boolean) {
    this.#isMarked = isMarked;
    this.#summary = undefined;
    this.#state = undefined;
  }

  set nominatedUntil(until: number) {
    this.#nominatedUntil = until;
    this.#state = undefined;
  }

  /** Undefined while both halves are missing. */
  get summary(): NodeSummary | undefined {
    if (this.#nodes.length === 0 && this.#nodeClaim === undefined) return undefined;
    this.#summary ??= this.#summarize();
    return this.#summary;
  }

  /** Needs a half. */
  get state(): StateNode {
    this.#state ??= {
      providerId: this.providerId,
      node: this.node,
      nodeClaim: this.#nodeClaim,
      existing: this.#describe(),
      isDeleting: this.summary?.isDeleting === true,
      nominatedUntil: this.#nominatedUntil,
    };
    return this.#state;
  }

  /** Something in its surroundings did. */
  podsOrLimitsChanged(): void {
    this.#existing = undefined;
    this.#state = undefined;
  }

  #objectsChanged(): void {
    this.#summary = undefined;
    this.podsOrLimitsChanged();
  }

  #without(name: string): readonly Node[] {
    return this.#nodes.filter(({ metadata }) => metadata.name !== name);
  }

  /** There is one machine to hold them all, so pods count whichever of its Nodes they are on. */
  #describe(): ExistingNode {
    if (this.#existing === undefined) {
      const { node, nodeClaim } = this;
      const pods = this.#nodes.flatMap(({ metadata }) => this.#podsAndLimits.podsOn(metadata.name));
      const volumeLimits = node === undefined ? {} : this.#podsAndLimits.volumeLimitsOf(node.metadata.name);
      this.#existing = describeNode({ node, nodeClaim, pods, volumeLimits });
    }
    return this.#existing;
  }

  #summarize(): NodeSummary {
    const { node, nodeClaim } = this;
    const { labels, capacity, initialized } = describeNode({ node, nodeClaim });
    return {
      nodePool: labels[NODEPOOL_LABEL] ?? '',
      capacity,
      initialized,
      isDeleting: this.#isMarked || isDeleted(node, nodeClaim),
    };
  }
}

function isRegistered({ metadata }: Node): boolean {
  return metadata.labels?.[REGISTERED_LABEL] === 'true';
}

/** A NodeClaim speaks for its Node, whose deletion leads to the claim's anyway. */
function isDeleted(node: Node | undefined, nodeClaim: NodeClaim | undefined): boolean {
  if (nodeClaim === undefined) return node?.metadata.deletionTimestamp !== undefined;
  return nodeClaim.metadata.deletionTimestamp !== undefined || isTerminating(nodeClaim);
}

function isTerminating({ status }: NodeClaim): boolean {
  return status?.conditions?.some((one) => one.type === 'InstanceTerminating' && one.status === 'True') ?? false;
}
