import { compareByWeight, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { PoolLimits } from '../checks/pool-limits.ts';
import type { Catalogue } from '../model/instance-types/catalogue.ts';
import type { Catalogues } from '../model/instance-types/catalogues.ts';
import { Market } from '../model/instance-types/market.ts';
import type { InternTables } from '../model/intern-tables.ts';
import type { ClusterNode, ClusterNodes } from '../model/nodes/cluster-nodes.ts';
import type { ResourceTable } from '../model/resources/resource-table.ts';
import type { UnusablePool } from '../plan.ts';
import type { InstanceType, Pool } from '../snapshot.ts';
import { OfferedDomains } from '../topology/offered-domains.ts';
import type { Daemon } from './daemon.ts';
import { type NodeTemplate, templateOf } from './new-nodes/node-template.ts';

/** A pool and what new nodes of it start from, if any can be bought. */
export interface PoolTemplate {
  readonly pool: Pool;
  readonly template: NodeTemplate | UnusablePool;
}

interface PoolTables {
  readonly internTables: InternTables;
  readonly catalogues: Catalogues;
  readonly resources: ResourceTable;
  readonly nodes: ClusterNodes;
  readonly daemons: readonly Daemon[];
}

/** What new nodes of each pool start from, and how much the pools may still grow. Each answer is worked out once. */
export class IndexedPools {
  readonly #tables: PoolTables;
  readonly #markets = new Map<readonly InstanceType[], Market>();
  readonly #templates = new Map<Pool, NodeTemplate | UnusablePool>();
  readonly #limits = new Map<Pool, PoolLimits>();
  readonly #offeredDomains = new WeakMap<readonly Pool[], OfferedDomains>();
  #nodesByPool: ReadonlyMap<string | undefined, readonly ClusterNode[]> | undefined;

  constructor(tables: PoolTables) {
    this.#tables = tables;
  }

  /** The pools in the order in which they are asked, with their templates (spec 02 §7). */
  templatesOf(pools: readonly Pool[]): readonly PoolTemplate[] {
    return pools
      .toSorted((a, b) => compareByWeight(a.nodePool, b.nodePool))
      .map((pool) => ({ pool, template: this.#templateOf(pool) }));
  }

  catalogueOf({ instanceTypes }: Pool): Catalogue {
    const { catalogues, internTables } = this.#tables;
    return catalogues.of(instanceTypes, internTables.options.profile);
  }

  /** How much a pool may still grow when `removedNodes` are not there; `undefined` if it has no limits. */
  findLimits(pool: Pool, { limits }: NodeTemplate, removedNodes: readonly ClusterNode[]): PoolLimits | undefined {
    if (limits === undefined) return undefined;
    const { name } = pool.nodePool.metadata;
    let counted = this.#limits.get(pool);
    if (counted === undefined) {
      counted = limits.clone();
      for (const node of this.#nodesOf(name)) this.#count(counted, node, name, 1);
      this.#limits.set(pool, counted);
    }
    const left = counted.clone();
    for (const node of removedNodes) this.#count(left, node, name, -1);
    return left;
  }

  /** The domains that new nodes of these pools could be in. */
  offeredDomainsOf(pools: readonly Pool[]): OfferedDomains {
    let offeredDomains = this.#offeredDomains.get(pools);
    if (offeredDomains === undefined) {
      const { options, taints } = this.#tables.internTables;
      const offered = pools.map((pool) => ({ pool, catalogue: this.catalogueOf(pool) }));
      offeredDomains = new OfferedDomains(offered, options.profile, taints);
      this.#offeredDomains.set(pools, offeredDomains);
    }
    return offeredDomains;
  }

  #templateOf(pool: Pool): NodeTemplate | UnusablePool {
    let template = this.#templates.get(pool);
    if (template === undefined) {
      const { internTables, resources, daemons } = this.#tables;
      const { sets, taints, amounts, options } = internTables;
      const { profile, minValuesPolicy } = options;
      const tables = { sets, taints, amounts, resources, profile, minValuesPolicy };
      template = templateOf(pool, this.#marketOf(pool.instanceTypes), daemons, tables);
      this.#templates.set(pool, template);
    }
    return template;
  }

  #nodesOf(nodePool: string): readonly ClusterNode[] {
    const { all, schedulableCount } = this.#tables.nodes;
    this.#nodesByPool ??= Map.groupBy(all.slice(0, schedulableCount), ({ source }) => source.labels[NODEPOOL_LABEL]);
    return this.#nodesByPool.get(nodePool) ?? [];
  }

  #count(limits: PoolLimits, { source }: ClusterNode, nodePool: string, times: 1 | -1): void {
    if (source.labels[NODEPOOL_LABEL] !== nodePool) return;
    limits.countNode(this.#tables.internTables.amounts.read(source.capacity), times);
  }

  #marketOf(types: readonly InstanceType[]): Market {
    let market = this.#markets.get(types);
    if (market === undefined) {
      const { catalogues, internTables, resources } = this.#tables;
      market = new Market(catalogues.of(types, internTables.options.profile), internTables.sets, resources);
      this.#markets.set(types, market);
    }
    return market;
  }
}
