import type { PoolLimits } from '../checks/pool-limits.ts';
import type { NodeTemplate } from '../packing/new-nodes/node-template.ts';
import type { ResourceVector } from '../model/resources/resource-table.ts';
import { isUnusable } from '../packing/plan-scope.ts';
import type { PackingTerms } from '../snapshot.ts';
import { packingTerms } from './packing-options.ts';
import type { UpstreamRun } from './upstream-run.ts';

interface CostPoolParts {
  readonly rank: number;
  readonly template: NodeTemplate;
  readonly limits: PoolLimits | undefined;
  readonly weight: number;
  readonly terms: PackingTerms;
}

/** A pool as a buyer sees it. */
export class CostPool {
  /** Its place in the order in which upstream asks pools. */
  readonly rank: number;
  readonly template: NodeTemplate;
  readonly limits: PoolLimits | undefined;
  readonly weight: number;
  readonly terms: PackingTerms;
  readonly #rooms: (ResourceVector | undefined)[] = [];

  constructor({ rank, template, limits, weight, terms }: CostPoolParts) {
    this.rank = rank;
    this.template = template;
    this.limits = limits;
    this.weight = weight;
    this.terms = terms;
  }

  /** Whether its nodes may be other than upstream's. */
  get isOpen(): boolean {
    return this.terms.policy === 'CostAware' && !this.template.market.catalogue.hasLinearPrices;
  }

  /** The same pool with nothing to be changed about its nodes. */
  closed(): CostPool {
    return new CostPool({ ...this, terms: { ...this.terms, policy: 'Upstream' } });
  }

  /** What pods can have of a variant: all that its daemons leave. Not to be changed. */
  room(variant: number): ResourceVector {
    let room = this.#rooms[variant];
    if (room === undefined) {
      const { market, overheadGroups } = this.template;
      const taken = overheadGroups.find(({ variants }) => variants.has(variant))?.vector;
      room = market.allocatable(variant).map((amount, r) => amount - (taken?.[r] ?? 0));
      this.#rooms[variant] = room;
    }
    return room;
  }
}

/** The usable pools of a run, heaviest first. */
export function costPoolsOf({ index, scope, packing }: UpstreamRun): readonly CostPool[] {
  const pools: CostPool[] = [];
  for (const { pool, template } of index.pools.templatesOf(scope.pools)) {
    if (isUnusable(template)) continue;
    const { nodePool } = pool;
    pools.push(
      new CostPool({
        rank: pools.length,
        template,
        limits: index.pools.findLimits(pool, template, scope.removedNodes),
        weight: nodePool.spec.weight ?? 0,
        terms: packingTerms(nodePool, packing),
      }),
    );
  }
  return pools;
}
