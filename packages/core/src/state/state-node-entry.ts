import type { ResourceList } from '@karpenter-ts/kubernetes';
import { type NodeClaim, NODEPOOL_LABEL, REGISTERED_LABEL } from '@karpenter-ts/apis';
import { describeNode, type ExistingNode } from '@karpenter-ts/scheduling';
import type { Node } from '../kinds/node.ts';
import type { Pod } from '../kinds/pod.ts';
import type { StateNode } from './state-node.ts';

/** What an entry reads of the cluster besides its two halves, by name of the Node. */
export interface Surroundings {
  podsOn(node: string): readonly Pod[];
  /** How many volumes may be attached, by CSI driver. */
  volumeLimitsOf(node: string): Readonly<Record<string, number>>;
}

/** What follows from the two halves of an entry alone. */
export interface Standing {
  /** '' for one of no pool. */
  readonly nodePool: string;
  readonly capacity: ResourceList;
  readonly initialized: boolean;
  readonly isLeaving: boolean;
}

/** One machine of the model. What is derived from it is worked out when asked for, and again only after a change. */
export class NodeEntry {
  readonly providerId: string;
  readonly #surroundings: Surroundings;
  /** All that say they are this machine: one, but for mistakes. */
  #nodes: readonly Node[] = [];
  #nodeClaim: NodeClaim | undefined;
  #isMarked = false;
  #nominatedUntil = 0;
  #standing: Standing | undefined;
  #existing: ExistingNode | undefined;
  #state: StateNode | undefined;

  constructor(providerId: string, surroundings: Surroundings) {
    this.providerId = providerId;
    this.#surroundings = surroundings;
  }

  /** Of several the one that is registered, which is open for pods; else the latest. */
  get node(): Node | undefined {
    return this.#nodes.find(isRegistered) ?? this.#nodes.at(-1);
  }

  putNode(node: Node): void {
    this.#nodes = [...this.#without(node.metadata.name), node];
    this.#halvesChanged();
  }

  removeNode(name: string): void {
    this.#nodes = this.#without(name);
    this.#halvesChanged();
  }

  get nodeClaim(): NodeClaim | undefined {
    return this.#nodeClaim;
  }

  set nodeClaim(nodeClaim: NodeClaim | undefined) {
    this.#nodeClaim = nodeClaim;
    this.#halvesChanged();
  }

  /** Marked in memory: its deletion is decided, though the API server does not know yet. */
  set isMarked(isMarked: boolean) {
    this.#isMarked = isMarked;
    this.#standing = undefined;
    this.#state = undefined;
  }

  set nominatedUntil(until: number) {
    this.#nominatedUntil = until;
    this.#state = undefined;
  }

  /** Undefined while both halves are missing. */
  get standing(): Standing | undefined {
    if (this.#nodes.length === 0 && this.#nodeClaim === undefined) return undefined;
    this.#standing ??= this.#assess();
    return this.#standing;
  }

  /** Needs a half. */
  get state(): StateNode {
    this.#state ??= {
      providerId: this.providerId,
      node: this.node,
      nodeClaim: this.#nodeClaim,
      existing: this.#describe(),
      isLeaving: this.standing?.isLeaving === true,
      nominatedUntil: this.#nominatedUntil,
    };
    return this.#state;
  }

  /** Something in its surroundings did. */
  surroundingsChanged(): void {
    this.#existing = undefined;
    this.#state = undefined;
  }

  #halvesChanged(): void {
    this.#standing = undefined;
    this.surroundingsChanged();
  }

  #without(name: string): readonly Node[] {
    return this.#nodes.filter(({ metadata }) => metadata.name !== name);
  }

  /** There is one machine to hold them all, so pods count whichever of its Nodes they are on. */
  #describe(): ExistingNode {
    if (this.#existing === undefined) {
      const { node, nodeClaim } = this;
      const pods = this.#nodes.flatMap(({ metadata }) => this.#surroundings.podsOn(metadata.name));
      const volumeLimits = node === undefined ? {} : this.#surroundings.volumeLimitsOf(node.metadata.name);
      this.#existing = describeNode({ node, nodeClaim, pods, volumeLimits });
    }
    return this.#existing;
  }

  #assess(): Standing {
    const { node, nodeClaim } = this;
    const { labels, capacity, initialized } = describeNode({ node, nodeClaim });
    return {
      nodePool: labels[NODEPOOL_LABEL] ?? '',
      capacity,
      initialized,
      isLeaving: this.#isMarked || isDeleted(node, nodeClaim),
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
