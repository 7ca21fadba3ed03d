import { findCondition } from '@karpenter-ts/kubernetes';
import { NODE_POOLS, type NodeClaim, type NodePool, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Enqueuer, Source } from '@karpenter-ts/runtime';
import type { Caches } from './caches.ts';

/** How many launches are remembered, and how many failures among them make a pool unhealthy (spec 03 §11.4). */
const REMEMBERED = 4;
const UNHEALTHY_FAILURES = 2;

export type Health = 'Unknown' | 'Healthy' | 'Unhealthy';

/** How the last launches of a pool ended, oldest first; true for a Node that registered. */
type Results = readonly boolean[];

/** Nothing is known yet. */
export const NO_RESULTS: Results = [];
/** What a pool known to be healthy starts with: one failure more than now would be needed. */
const HEALTHY_RESULTS: Results = [true];
/** What a pool known to be unhealthy starts with. */
const UNHEALTHY_RESULTS: Results = Array.from({ length: UNHEALTHY_FAILURES }, () => false);

/** With one more; the oldest is forgotten. */
export function addResult(results: Results, succeeded: boolean): Results {
  return [...results, succeeded].slice(-REMEMBERED);
}

/** A pool is unhealthy with two failures among the last four, however few there are. */
export function healthOf(results: Results): Health {
  if (results.length === 0) return 'Unknown';
  return results.filter((succeeded) => !succeeded).length >= UNHEALTHY_FAILURES ? 'Unhealthy' : 'Healthy';
}

/** How the launch of one claim ended. */
export type RegistrationResult =
  | { readonly succeeded: true }
  | { readonly succeeded: false; readonly reason: string; readonly message: string };

/**
 * How the launches of each pool went of late. Whoever learns of an end records it, at no cost; what the pool's
 * condition should say for it is written by one controller, so that a thousand Nodes that register at once do not all
 * write to their pool.
 */
export class NodePoolHealth {
  readonly #pools: Pick<Caches['nodePools'], 'get' | 'addHandler'>;
  readonly #results = new Map<string, Results>(); // by uid of the pool
  readonly #verdicts = new Map<string, RegistrationResult>(); // by uid: what the condition does not say yet
  #queue: Enqueuer<string> | undefined;

  constructor({ nodePools }: Pick<Caches, 'nodePools'>) {
    this.#pools = nodePools;
    nodePools.addHandler({ onDelete: ({ metadata }) => this.#forget(metadata.uid ?? '') });
  }

  /** Of how many pools something is remembered. */
  get size(): number {
    return this.#results.size;
  }

  /** Names of pools whose condition should change. */
  readonly source: Source = {
    name: 'registration results',
    attach: (queue) => {
      this.#queue = queue;
    },
  };

  /** Counts for the pool the claim is of, if that is still the one it was made for. */
  record(nodeClaim: NodeClaim, result: RegistrationResult): void {
    const pool = this.#poolOf(nodeClaim);
    if (pool === undefined) return;
    const { name, uid = '' } = pool.metadata;
    const results = addResult(this.#resultsOf(pool), result.succeeded);
    this.#results.set(uid, results);
    if ((healthOf(results) === 'Healthy') !== result.succeeded) return; // one result does not turn the others around
    this.#verdicts.set(uid, result);
    this.#queue?.add(name);
  }

  healthOf(nodePool: NodePool): Health {
    return healthOf(this.#resultsOf(nodePool));
  }

  /** What the pool's condition is to say because of what was recorded; undefined if nothing new. */
  verdictOn({ metadata }: NodePool): RegistrationResult | undefined {
    return this.#verdicts.get(metadata.uid ?? '');
  }

  /** The condition says it now. A verdict that has come meanwhile stays. */
  confirm({ metadata }: NodePool, verdict: RegistrationResult): void {
    const { uid = '' } = metadata;
    if (this.#verdicts.get(uid) === verdict) this.#verdicts.delete(uid);
  }

  /** Launches from now on are of another kind: those before no longer count. */
  reset({ metadata }: NodePool): void {
    const { name, uid = '' } = metadata;
    if (this.#pools.get(name)?.metadata.uid !== uid) return; // it was deleted meanwhile, and is forgotten
    this.#results.set(uid, NO_RESULTS);
    this.#verdicts.delete(uid);
  }

  /** After a restart, the condition is all there is to begin with. */
  #resultsOf(nodePool: NodePool): Results {
    const known = this.#results.get(nodePool.metadata.uid ?? '');
    if (known !== undefined) return known;
    switch (findCondition(nodePool, 'NodeRegistrationHealthy')?.status) {
      case 'True':
        return HEALTHY_RESULTS;
      case 'False':
        return UNHEALTHY_RESULTS;
      default:
        return NO_RESULTS;
    }
  }

  #poolOf({ metadata }: NodeClaim): NodePool | undefined {
    const pool = this.#pools.get(metadata.labels?.[NODEPOOL_LABEL] ?? '');
    const isOwner = metadata.ownerReferences?.some(
      ({ kind, uid }) => kind === NODE_POOLS.kind && uid === pool?.metadata.uid,
    );
    return isOwner ? pool : undefined;
  }

  #forget(uid: string): void {
    this.#results.delete(uid);
    this.#verdicts.delete(uid);
  }
}
