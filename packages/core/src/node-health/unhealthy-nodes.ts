import { NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { RepairPolicy } from '@karpenter-ts/cloudprovider';
import type { Informer, Instant } from '@karpenter-ts/runtime';
import type { Node } from '@karpenter-ts/kubernetes';

/** A condition by which a Node is unhealthy, and when its toleration ends. */
export interface UnhealthyCondition {
  readonly condition: string;
  readonly due: Instant;
}

/** The Node's unhealthy condition whose toleration ends first; undefined if the Node is healthy (spec 03 §14). */
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

/** With more unhealthy nodes than this nothing is repaired, because the cause is probably elsewhere. */
const MAX_UNHEALTHY_PERCENT = 20;

/** How a Node was counted. */
interface Counted {
  readonly nodePool: string | undefined;
  readonly isUnhealthy: boolean;
}

/** The number of Nodes of a NodePool, or of the cluster, and how many of them are unhealthy. */
interface Tally {
  readonly nodes: number;
  readonly unhealthy: number;
}

const NONE: Tally = { nodes: 0, unhealthy: 0 };

/**
 * Counts unhealthy Nodes, updated with every change: each unhealthy Node asks again and again, so the answer must not
 * depend on the number of Nodes.
 */
export class UnhealthyCounts {
  readonly #policies: readonly RepairPolicy[];
  readonly #counted = new Map<string, Counted>(); // by name: the previous version of a Node may never have been seen
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

  /** Whether too many Nodes of a NodePool are unhealthy to repair any; of the whole cluster if no NodePool is given. */
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
