import type { Node, Pod, ResourceList } from '@karpenter-ts/kubernetes';
import { type NodeClaim, NODEPOOL_LABEL, REGISTERED_LABEL } from '@karpenter-ts/apis';
import { describeNode, type ExistingNode } from '@karpenter-ts/scheduling';
import type { StateNode } from './state-node.ts';

/** What an entry looks up besides its Node and NodeClaim, by name of the Node. */
export interface PodsAndLimits {
  podsOn(node: string): readonly Pod[];
  /** The number of attachable volumes by CSI driver. */
  volumeLimitsOf(node: string): Readonly<Record<string, number>>;
}

/** What can be derived from the Node and the NodeClaim alone, without the pods. */
export interface NodeSummary {
  /** '' without a NodePool. */
  readonly nodePool: string;
  readonly capacity: ResourceList;
  readonly initialized: boolean;
  readonly isDeleting: boolean;
}

/**
 * Node and NodeClaim of one provider id. What is derived from them is computed on demand and kept until something
 * changes.
 */
export class StateNodeEntry {
  readonly providerId: string;
  readonly #podsAndLimits: PodsAndLimits;
  /** All Nodes with this provider id: at most one, unless something is wrong. */
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

  /** If there are several Nodes, the registered one, because pods can run there; otherwise the latest. */
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

  /** Marked for deletion in memory: the deletion is decided, but the API server does not show it yet. */
  set isMarked(isMarked: boolean) {
    this.#isMarked = isMarked;
    this.#summary = undefined;
    this.#state = undefined;
  }

  set nominatedUntil(until: number) {
    this.#nominatedUntil = until;
    this.#state = undefined;
  }

  /** Undefined while there is neither a Node nor a NodeClaim. */
  get summary(): NodeSummary | undefined {
    if (this.#nodes.length === 0 && this.#nodeClaim === undefined) return undefined;
    this.#summary ??= this.#summarize();
    return this.#summary;
  }

  /** The state node. There must be a Node or a NodeClaim. */
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

  /** The pods on the Node or its volume limits have changed. */
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

  /** Several Nodes of one provider id share one instance, so the pods of all of them count. */
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

/** The NodeClaim decides if there is one, because deleting a Node also deletes its NodeClaim. */
function isDeleted(node: Node | undefined, nodeClaim: NodeClaim | undefined): boolean {
  if (nodeClaim === undefined) return node?.metadata.deletionTimestamp !== undefined;
  return nodeClaim.metadata.deletionTimestamp !== undefined || isTerminating(nodeClaim);
}

function isTerminating({ status }: NodeClaim): boolean {
  return status?.conditions?.some((one) => one.type === 'InstanceTerminating' && one.status === 'True') ?? false;
}
