import { NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { RepairPolicy } from '@karpenter-ts/cloudprovider';
import type { Informer, Instant } from '@karpenter-ts/runtime';
import type { Node } from '../kinds/node.ts';

/** What is wrong with a node, and from when on it need not be put up with. */
export interface UnhealthyCondition {
  readonly condition: string;
  readonly due: Instant;
}

/** Of all that is wrong with a node, what is due first; undefined for a healthy one (spec 03 §14). */
export function findUnhealthyCondition(node: Node, policies: readonly RepairPolicy[]): UnhealthyCondition | undefined {
  const found = policies.flatMap((policy) => unhealthyUnder(node, policy) ?? []);
  return found.reduce<UnhealthyCondition | undefined>(
    (first, one) => (first && first.due <= one.due ? first : one),
    undefined,
  );
}

function unhealthyUnder(
  node: Node,
  { conditionType, conditionStatus, toleration }: RepairPolicy,
): UnhealthyCondition | undefined {
  const condition = node.status?.conditions?.find(({ type }) => type === conditionType);
  if (condition?.status !== conditionStatus) return undefined;
  const since = Date.parse(condition.lastTransitionTime ?? '') || 0;
  return { condition: conditionType, due: since + toleration };
}

/** How many of a hundred nodes may be sick; if more are, the fault is likely elsewhere. */
const MAX_UNHEALTHY_PERCENT = 20;

/** A Node as it was counted. */
interface Counted {
  readonly nodePool: string | undefined;
  readonly isUnhealthy: boolean;
}

/** How many Nodes there are of a NodePool, or of the cluster, and how many of them are sick. */
interface Tally {
  readonly nodes: number;
  readonly unhealthy: number;
}

const NONE: Tally = { nodes: 0, unhealthy: 0 };

/**
 * How many Nodes are sick, kept as they come, change and go: a question costs the same however many there are, since each
 * sick one asks it again and again.
 */
export class UnhealthyCounts {
  readonly #policies: readonly RepairPolicy[];
  readonly #counted = new Map<string, Counted>(); // by name: the last state may be one that was never seen before
  readonly #pools = new Map<string, Tally>();
  #all = NONE;

  constructor(nodes: Pick<Informer<Node>, 'addHandler'>, policies: readonly RepairPolicy[]) {
    this.#policies = policies;
    nodes.addHandler({
      onAdd: (node) => this.#put(node),
      onUpdate: (_old, node) => this.#put(node),
      onDelete: ({ metadata }) => this.#remove(metadata.name),
    });
  }

  /**
   * Whether so many Nodes of a NodePool are sick that replacing them would only make it worse; of the whole cluster if
   * none is named.
   */
  areTooMany(nodePool: string | undefined): boolean {
    const { nodes, unhealthy } = nodePool === undefined ? this.#all : (this.#pools.get(nodePool) ?? NONE);
    return unhealthy > Math.ceil((nodes * MAX_UNHEALTHY_PERCENT) / 100);
  }

  #put(node: Node): void {
    const { name, labels } = node.metadata;
    this.#remove(name);
    const isUnhealthy = findUnhealthyCondition(node, this.#policies) !== undefined;
    const counted = { nodePool: labels?.[NODEPOOL_LABEL], isUnhealthy };
    this.#counted.set(name, counted);
    this.#count(counted, 1);
  }

  #remove(name: string): void {
    const counted = this.#counted.get(name);
    if (counted === undefined) return;
    this.#counted.delete(name);
    this.#count(counted, -1);
  }

  #count({ nodePool, isUnhealthy }: Counted, by: 1 | -1): void {
    const add = ({ nodes, unhealthy }: Tally): Tally => ({
      nodes: nodes + by,
      unhealthy: isUnhealthy ? unhealthy + by : unhealthy,
    });
    this.#all = add(this.#all);
    if (nodePool === undefined) return;
    const tally = add(this.#pools.get(nodePool) ?? NONE);
    if (tally.nodes === 0) this.#pools.delete(nodePool);
    else this.#pools.set(nodePool, tally);
  }
}
