import { INITIALIZED_LABEL, isNodeProtected, type NodeClaim, type NodePool, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import {
  type ApiObject,
  isTrue,
  type Node,
  objectKey,
  type Pod,
  type PodDisruptionBudget,
  READY,
} from '@karpenter-ts/kubernetes';
import { type Clock, type Instant, MINUTE } from '@karpenter-ts/runtime';

/** What the nodes of a pool were like from one change to the next. */
export interface PoolSample {
  readonly at: Instant;
  readonly pool: NodePool;
  /** Nodes that count for budgets: initialised, and their instances not being terminated. */
  readonly nodes: ReadonlySet<string>;
  /** Those of them that are not ready or are being deleted, for whatever reason. */
  readonly unavailable: ReadonlySet<string>;
}

/** A Node, and since when its annotation forbids to disrupt it; undefined if it does not. */
export interface ObservedNode {
  readonly node: Node;
  readonly protectedSince: Instant | undefined;
}

/** A pod with a node. */
export interface BoundPod {
  readonly pod: Pod;
  readonly boundAt: Instant;
}

/** A PodDisruptionBudget, and since when it has allowed no disruption; undefined if it allows some. */
export interface ObservedBudget {
  readonly budget: PodDisruptionBudget;
  readonly exhaustedSince: Instant | undefined;
}

/** A NodeClaim, and until when each of its conditions was true before the last change. */
export interface ObservedClaim {
  readonly nodeClaim: NodeClaim;
  readonly wasTrue: ReadonlyMap<string, Instant>;
  readonly firstSeen: Instant;
  readonly isGone: boolean;
}

/** Whether the condition was true at some instant since then. */
export function hasBeenTrue({ nodeClaim, wasTrue }: ObservedClaim, condition: string, since: Instant): boolean {
  return isTrue(nodeClaim, condition) || (wasTrue.get(condition) ?? 0) >= since;
}

/** All objects of the kinds that are observed. */
export interface ListedObjects {
  readonly nodes: readonly Node[];
  readonly claims: readonly NodeClaim[];
  readonly pools: readonly NodePool[];
  readonly pods: readonly Pod[];
  readonly budgets: readonly PodDisruptionBudget[];
}

/** Longer than anything an operator acts on can be out of date. */
const MEMORY = 6 * MINUTE;

/**
 * What the API server has said about a cluster, and when. It is fed with objects as they change, and remembers the last
 * minutes. It shares no code with the operator that is judged by it.
 */
export class ObservedCluster {
  readonly #clock: Clock;
  readonly #nodes = new Map<string, ObservedNode>();
  readonly #claims = new Map<string, ObservedClaim>(); // those that are gone included, for a while
  readonly #pools = new Map<string, NodePool>();
  readonly #pods = new Map<string, BoundPod>();
  readonly #budgets = new Map<string, ObservedBudget>();
  readonly #samples = new Map<string, PoolSample[]>(); // by pool, the oldest first

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes an object as it is now, or the key of one that is gone. */
  setNode(key: string, node: Node | undefined): void {
    const since = this.#nodes.get(key)?.protectedSince ?? this.#clock.now();
    const protectedSince = isNodeProtected(node?.metadata.annotations) ? since : undefined;
    replace(this.#nodes, key, node && { node, protectedSince });
    this.#sample();
  }

  setNodeClaim(key: string, nodeClaim: NodeClaim | undefined): void {
    const now = this.#clock.now();
    const known = this.#claims.get(key);
    if (nodeClaim === undefined) {
      if (known) this.#claims.set(key, { ...known, isGone: true });
    } else {
      const wasTrue = new Map(known?.wasTrue);
      for (const { type, status } of known?.nodeClaim.status?.conditions ?? []) {
        if (status === 'True') wasTrue.set(type, now);
      }
      this.#claims.set(key, { nodeClaim, wasTrue, firstSeen: known?.firstSeen ?? now, isGone: false });
    }
    this.#sample();
  }

  setNodePool(key: string, pool: NodePool | undefined): void {
    replace(this.#pools, key, pool);
    this.#sample();
  }

  setPod(key: string, pod: Pod | undefined): void {
    const known = this.#pods.get(key);
    if (!pod?.spec.nodeName) this.#pods.delete(key);
    else {
      const isSame = known?.pod.metadata.uid === pod.metadata.uid;
      this.#pods.set(key, { pod, boundAt: isSame && known ? known.boundAt : this.#clock.now() });
    }
  }

  setPodDisruptionBudget(key: string, budget: PodDisruptionBudget | undefined): void {
    const isExhausted = budget?.status?.disruptionsAllowed === 0;
    const exhaustedSince = isExhausted ? (this.#budgets.get(key)?.exhaustedSince ?? this.#clock.now()) : undefined;
    replace(this.#budgets, key, budget && { budget, exhaustedSince });
  }

  /** Takes all objects as they are now. What is not among them is gone. */
  setAll({ nodes, claims, pools, pods, budgets }: ListedObjects): void {
    setEach(this.#pools, pools, (key, pool) => this.setNodePool(key, pool));
    setEach(this.#nodes, nodes, (key, node) => this.setNode(key, node));
    setEach(this.#claims, claims, (key, claim) => this.setNodeClaim(key, claim));
    setEach(this.#pods, pods, (key, pod) => this.setPod(key, pod));
    setEach(this.#budgets, budgets, (key, budget) => this.setPodDisruptionBudget(key, budget));
  }

  findNode(name: string): ObservedNode | undefined {
    return this.#nodes.get(name);
  }

  /** A NodeClaim, also one that is gone by now. */
  findClaim(name: string): ObservedClaim | undefined {
    return this.#claims.get(name);
  }

  /** NodeClaims that were not there before then; also those that are gone again. */
  claimsSince(since: Instant): readonly ObservedClaim[] {
    return [...this.#claims.values()].filter(({ firstSeen }) => firstSeen >= since);
  }

  /** All NodeClaims that exist. */
  get claims(): readonly ObservedClaim[] {
    return [...this.#claims.values()].filter(({ isGone }) => !isGone);
  }

  findPool(name: string): NodePool | undefined {
    return this.#pools.get(name);
  }

  podsOn(nodeName: string): readonly BoundPod[] {
    return [...this.#pods.values()].filter(({ pod }) => pod.spec.nodeName === nodeName);
  }

  get budgets(): readonly ObservedBudget[] {
    return [...this.#budgets.values()];
  }

  /** What was true of a pool at some instant since then; the oldest first. */
  samplesOf(pool: string, since: Instant): readonly PoolSample[] {
    const samples = this.#samples.get(pool) ?? [];
    const first = samples.findLastIndex(({ at }) => at <= since);
    return samples.slice(Math.max(0, first));
  }

  /** Looks at all pools now. A sample holds until the next one, so that equal ones are left out. */
  #sample(): void {
    const now = this.#clock.now();
    for (const pool of this.#pools.values()) {
      const samples = this.#samples.get(pool.metadata.name) ?? [];
      const next = { at: now, pool, ...this.#countNodes(pool.metadata.name) };
      const last = samples.at(-1);
      if (last === undefined || !isEqual(last, next)) samples.push(next);
      const kept = samples.findLastIndex(({ at }) => at <= now - MEMORY);
      if (kept > 0) samples.splice(0, kept);
      this.#samples.set(pool.metadata.name, samples);
    }
  }

  #countNodes(pool: string): Pick<PoolSample, 'nodes' | 'unavailable'> {
    const nodes = new Set<string>();
    const unavailable = new Set<string>();
    for (const { nodeClaim, isGone } of this.#claims.values()) {
      const node = isGone ? undefined : this.#nodes.get(nodeClaim.status?.nodeName ?? '')?.node;
      if (node?.metadata.labels?.[NODEPOOL_LABEL] !== pool) continue;
      if (node.metadata.labels[INITIALIZED_LABEL] !== 'true' || isTrue(nodeClaim, 'InstanceTerminating')) continue;
      const { name } = node.metadata;
      nodes.add(name);
      if (!isTrue(node, READY) || nodeClaim.metadata.deletionTimestamp !== undefined) unavailable.add(name);
    }
    return { nodes, unavailable };
  }
}

function replace<T>(objects: Map<string, T>, key: string, object: T | undefined): void {
  if (object === undefined) objects.delete(key);
  else objects.set(key, object);
}

function setEach<T extends ApiObject>(
  known: ReadonlyMap<string, unknown>,
  objects: readonly T[],
  set: (key: string, object: T | undefined) => void,
): void {
  const keys = new Set(objects.map(({ metadata }) => objectKey(metadata)));
  for (const key of known.keys()) if (!keys.has(key)) set(key, undefined);
  for (const object of objects) set(objectKey(object.metadata), object);
}

function isEqual(one: PoolSample, other: PoolSample): boolean {
  const isSamePool = one.pool.metadata.generation === other.pool.metadata.generation;
  return isSamePool && isSameSet(one.nodes, other.nodes) && isSameSet(one.unavailable, other.unavailable);
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((name) => other.has(name));
}
