import type { NodeClaim, ResourceList } from '@karpenter-ts/apis';
import { NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Instant } from '@karpenter-ts/runtime';
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
  #node: Node | undefined;
  #nodeClaim: NodeClaim | undefined;
  #isMarked = false;
  #nominatedUntil: Instant = 0;
  #standing: Standing | undefined;
  #existing: ExistingNode | undefined;
  #state: StateNode | undefined;

  constructor(providerId: string, surroundings: Surroundings) {
    this.providerId = providerId;
    this.#surroundings = surroundings;
  }

  get node(): Node | undefined {
    return this.#node;
  }

  set node(node: Node | undefined) {
    this.#node = node;
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

  set nominatedUntil(until: Instant) {
    this.#nominatedUntil = until;
    this.#state = undefined;
  }

  /** Undefined while both halves are missing. */
  get standing(): Standing | undefined {
    if (this.#node === undefined && this.#nodeClaim === undefined) return undefined;
    this.#standing ??= this.#assess();
    return this.#standing;
  }

  /** Needs a half. */
  get state(): StateNode {
    this.#state ??= {
      providerId: this.providerId,
      node: this.#node,
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

  #describe(): ExistingNode {
    if (this.#existing === undefined) {
      const [node, nodeClaim] = [this.#node, this.#nodeClaim];
      const pods = node === undefined ? [] : this.#surroundings.podsOn(node.metadata.name);
      const volumeLimits = node === undefined ? {} : this.#surroundings.volumeLimitsOf(node.metadata.name);
      this.#existing = describeNode({ node, nodeClaim, pods, volumeLimits });
    }
    return this.#existing;
  }

  #assess(): Standing {
    const { labels, capacity, initialized } = describeNode({ node: this.#node, nodeClaim: this.#nodeClaim });
    return {
      nodePool: labels[NODEPOOL_LABEL] ?? '',
      capacity,
      initialized,
      isLeaving: this.#isMarked || isDeleted(this.#node, this.#nodeClaim),
    };
  }
}

/** A NodeClaim speaks for its Node, whose deletion leads to the claim's anyway. */
function isDeleted(node: Node | undefined, nodeClaim: NodeClaim | undefined): boolean {
  if (nodeClaim === undefined) return node?.metadata.deletionTimestamp !== undefined;
  return nodeClaim.metadata.deletionTimestamp !== undefined || isTerminating(nodeClaim);
}

function isTerminating({ status }: NodeClaim): boolean {
  return status?.conditions?.some((one) => one.type === 'InstanceTerminating' && one.status === 'True') ?? false;
}
