import { findCondition } from '@karpenter-ts/kubernetes';
import { NODE_POOLS, type NodeClaim, type NodePool, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Enqueuer, Source } from '@karpenter-ts/runtime';
import type { Caches } from './caches.ts';

/** How many launches are remembered, and how many failures among them make a NodePool unhealthy (spec 03 §11.4). */
const REMEMBERED = 4;
const UNHEALTHY_FAILURES = 2;

export type Health = 'Unknown' | 'Healthy' | 'Unhealthy';

/** How the last launches of a NodePool ended, oldest first; true if the Node registered. */
type Results = readonly boolean[];

/** No launch has ended yet. */
export const NO_RESULTS: Results = [];
/** Results of a NodePool whose condition is True after a restart: it takes two failures to turn unhealthy. */
const HEALTHY_RESULTS: Results = [true];
/** Results of a NodePool whose condition is False after a restart. */
const UNHEALTHY_RESULTS: Results = Array.from({ length: UNHEALTHY_FAILURES }, () => false);

/** The results with one more; the oldest is dropped. */
export function addResult(results: Results, succeeded: boolean): Results {
  return [...results, succeeded].slice(-REMEMBERED);
}

/** A NodePool is unhealthy with two failures among the last four launches, even if there were fewer than four. */
export function healthOf(results: Results): Health {
  if (results.length === 0) return 'Unknown';
  return results.filter((succeeded) => !succeeded).length >= UNHEALTHY_FAILURES ? 'Unhealthy' : 'Healthy';
}

/** How the launch of one NodeClaim ended. */
export type RegistrationResult =
  | { readonly succeeded: true }
  | { readonly succeeded: false; readonly reason: string; readonly message: string };

/**
 * How recent launches of each NodePool went. The NodeClaim lifecycle records results in memory only; one controller
 * writes the NodePool's condition. So a thousand Nodes that register at once do not all write to their NodePool.
 */
export class NodePoolHealth {
  readonly #pools: Pick<Caches['nodePools'], 'get' | 'addHandler'>;
  readonly #results = new Map<string, Results>(); // by uid of the NodePool
  readonly #verdicts = new Map<string, RegistrationResult>(); // by uid of the NodePool: results that its condition does not show yet
  #queue: Enqueuer<string> | undefined;

  constructor({ nodePools }: Pick<Caches, 'nodePools'>) {
    this.#pools = nodePools;
    nodePools.addHandler({ onDelete: ({ metadata }) => this.#forget(metadata.uid ?? '') });
  }

  /** The number of NodePools with results. */
  get size(): number {
    return this.#results.size;
  }

  /** Enqueues NodePools whose condition should change. */
  readonly source: Source = {
    name: 'registration results',
    attach: (queue) => {
      this.#queue = queue;
    },
  };

  /** Records a result for the NodePool that owns the NodeClaim. A new NodePool of the same name does not count it. */
  record(nodeClaim: NodeClaim, result: RegistrationResult): void {
    const pool = this.#poolOf(nodeClaim);
    if (pool === undefined) return;
    const { name, uid = '' } = pool.metadata;
    const results = addResult(this.#resultsOf(pool), result.succeeded);
    this.#results.set(uid, results);
    if ((healthOf(results) === 'Healthy') !== result.succeeded) return; // the result does not change the verdict of the last four
    this.#verdicts.set(uid, result);
    this.#queue?.add(name);
  }

  healthOf(nodePool: NodePool): Health {
    return healthOf(this.#resultsOf(nodePool));
  }

  /** The result that the NodePool's condition should show next; undefined if it is up to date. */
  verdictOn({ metadata }: NodePool): RegistrationResult | undefined {
    return this.#verdicts.get(metadata.uid ?? '');
  }

  /** The condition shows this result now. A newer result stays pending. */
  confirm({ metadata }: NodePool, verdict: RegistrationResult): void {
    const { uid = '' } = metadata;
    if (this.#verdicts.get(uid) === verdict) this.#verdicts.delete(uid);
  }

  /** Starts anew, because the NodePool or its NodeClass has changed: earlier launches no longer count. */
  reset({ metadata }: NodePool): void {
    const { name, uid = '' } = metadata;
    if (this.#pools.get(name)?.metadata.uid !== uid) return; // it was deleted in the meantime
    this.#results.set(uid, NO_RESULTS);
    this.#verdicts.delete(uid);
  }

  /** After a restart, counting begins with what the condition says. */
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
