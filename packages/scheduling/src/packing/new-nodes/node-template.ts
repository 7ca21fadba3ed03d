import {
  INITIALIZED_LABEL,
  NODEPOOL_LABEL,
  nodeClassLabel,
  type ProviderProfile,
  REGISTERED_LABEL,
  type Requirement,
  toLabelRequirements,
  toRequirement,
} from '@karpenter-ts/apis';
import { PoolLimits } from '../../checks/pool-limits.ts';
import type { Market } from '../../model/instance-types/market.ts';
import type { BitSet } from '../../model/interning/bit-set.ts';
import type { UnusablePool } from '../../plan.ts';
import { findShortages } from '../../model/instance-types/min-values.ts';
import type { RequirementSet } from '../../model/requirements/requirement-set.ts';
import type { AmountReader } from '@karpenter-ts/kubernetes';
import type { ResourceVector } from '../../model/resources/resource-table.ts';
import type { Pool } from '../../snapshot.ts';
import type { Daemon } from '../daemon.ts';
import { type OverheadGroup, type OverheadTables, overheadGroupsOf } from './overhead-group.ts';

/** What every new node of a pool starts from. */
export interface NodeTemplate {
  readonly nodePool: string;
  readonly set: RequirementSet;
  readonly taints: number;
  readonly market: Market;
  /** That meet the pool's requirements. */
  readonly variants: BitSet;
  readonly overheadGroups: readonly OverheadGroup[];
  /** Of each resource, what daemons take on any variant. */
  readonly leastOverhead: ResourceVector;
  /** As the pool has them; `undefined` without limits. */
  readonly limits: PoolLimits | undefined;
}

export interface TemplateTables extends OverheadTables {
  readonly amounts: AmountReader;
  readonly profile: ProviderProfile;
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
}

/** The template of a pool, or why it has none: no instance type meets its requirements (spec 02 §7). */
export function templateOf(
  { nodePool }: Pool,
  market: Market,
  daemons: readonly Daemon[],
  tables: TemplateTables,
): NodeTemplate | UnusablePool {
  const { sets, amounts, profile } = tables;
  const { name } = nodePool.metadata;
  const { set } = sets.from(templateRequirements(nodePool, profile));
  const variants = market.supply(set).usable;
  const shortages = set.hasMinValues ? findShortages(set, sets, market.catalogue, variants) : [];
  const isShort = !variants.isEmpty() && shortages.length > 0 && tables.minValuesPolicy === 'Strict';
  if (variants.isEmpty() || isShort) {
    return { nodePool: name, minValuesUnmet: isShort, shortOf: isShort ? shortages : [] };
  }
  const taints = tables.taints.internTaints(nodePool.spec.template.spec.taints ?? []);
  const overheadGroups = overheadGroupsOf({ market, variants, set, taints }, daemons, tables);
  const { limits } = nodePool.spec;
  return {
    nodePool: name,
    set,
    taints,
    market,
    variants,
    overheadGroups,
    leastOverhead: Float64Array.from(tables.resources.names, (_, r) =>
      Math.min(...overheadGroups.map(({ vector }) => vector[r]!)),
    ),
    limits: limits === undefined ? undefined : new PoolLimits(amounts.read(limits)),
  };
}

/** The labels say that it is registered and initialised, because daemons may wait for that. */
function templateRequirements(nodePool: Pool['nodePool'], profile: ProviderProfile): readonly Requirement[] {
  const { metadata, spec } = nodePool.spec.template;
  const labels = {
    ...metadata?.labels,
    [NODEPOOL_LABEL]: nodePool.metadata.name,
    [nodeClassLabel(spec.nodeClassRef)]: spec.nodeClassRef.name,
    [REGISTERED_LABEL]: 'true',
    [INITIALIZED_LABEL]: 'true',
  };
  return [
    ...spec.requirements.map((requirement) => toRequirement(requirement, profile)),
    ...toLabelRequirements(labels, profile).values(),
  ];
}
