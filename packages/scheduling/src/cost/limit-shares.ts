import { countOf } from '../checks/pool-limits.ts';
import type { Catalogue } from '../model/instance-types/catalogue.ts';
import { withoutLastResorts } from '../model/instance-types/last-resorts.ts';
import type { BitSet } from '../model/interning/bit-set.ts';
import type { InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import type { NodeOption } from './node-options.ts';

/** A node option that is to be bought for a load. */
export interface Order {
  readonly option: NodeOption;
  /** How many types it should be left to choose from. */
  readonly leastTypes: number;
  /** All that would hold the load: only limits need to know. */
  readonly fitting: () => BitSet;
}

/** What each node option may turn out to be, or a pool whose limits do not allow for its node options. */
export type LimitShares = { readonly choices: readonly BitSet[] } | { readonly exceeded: CostPool };

/** What it takes to find out how much of a limit a node option needs, in steps. */
const STEPS_PER_PART = 60;

/**
 * Divides the limits of pools among node options, so that they hold whatever is bought: first every node option may be as
 * large as it takes to have enough types, then larger by an equal share of what is left. Nodes that are `fixed` count
 * before, as the largest they may be.
 */
export function* divideLimits(
  orders: readonly Order[],
  fixed: readonly InFlightNode[],
  effort: Effort,
): Reading<LimitShares> {
  const choices = orders.map(({ option }) => option.pool.template.variants.clone());
  for (const [pool, own] of Map.groupBy(orders.keys(), (i) => orders[i]!.option.pool)) {
    const { catalogue } = pool.template.market;
    effort.spend(own.length + fixed.length);
    for (const [limit, { nanos }] of remainingBeside(pool, fixed)) {
      const levels = catalogue.capacityLevels(limit);
      const parts: Part[] = [];
      for (const i of own) {
        effort.spend(STEPS_PER_PART + levels.count);
        if (effort.isPauseDue()) yield IMPROVING;
        parts.push(partOf(orders[i]!, choices[i]!, limit, catalogue));
      }
      const shares = divide(nanos, parts);
      if (shares === undefined) return { exceeded: pool };
      for (const [j, i] of own.entries()) choices[i]!.intersect(levels.atMost(shares[j]!));
    }
  }
  return { choices };
}

/** How much of something one needs, and how much it would like to have, which may be less. */
interface Part {
  readonly need: bigint;
  readonly wanted: bigint;
}

/** Needs first; then what is wanted, the most modest first; what is left in equal shares. Undefined if it is too little. */
function divide(amount: bigint, parts: readonly Part[]): readonly bigint[] | undefined {
  const shares = parts.map(({ need }) => need);
  let rest = shares.reduce((left, share) => left - share, amount);
  if (rest < 0n) return undefined;
  const extras = parts.map(({ need, wanted }) => (wanted > need ? wanted - need : 0n));
  for (const i of [...parts.keys()].sort((a, b) => Number(extras[a]! - extras[b]!))) {
    if (extras[i]! > rest) break;
    shares[i]! += extras[i]!;
    rest -= extras[i]!;
  }
  const equal = parts.length === 0 ? 0n : rest / BigInt(parts.length);
  return shares.map((share) => share + equal);
}

function partOf({ option, fitting, leastTypes }: Order, choice: BitSet, limit: string, catalogue: Catalogue): Part {
  const need = countOf(limit, option.variant, catalogue);
  const holding = fitting();
  holding.intersect(choice);
  const open = withoutLastResorts(holding, option.pool.template.set, catalogue);
  const wanted = catalogue.capacityLevels(limit).leastWhere((ids) => catalogue.countTypes(open, ids) >= leastTypes);
  return { need, wanted: wanted ?? need };
}

function remainingBeside({ template, limits }: CostPool, fixed: readonly InFlightNode[]) {
  const left = limits?.clone();
  for (const node of fixed) {
    if (node.template === template) left?.countPlanned(node.variants, template.market.catalogue);
  }
  return left?.remaining ?? [];
}
