import type { InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import type { PackingReason, PlannedNode } from '../plan.ts';
import { type PlanRun, type Reading, unlessStopped } from '../progress.ts';
import { attempt, type Shares } from './attempt.ts';
import { type CostPool, costPoolsOf } from './cost-pool.ts';
import { decide, keepUpstream } from './decision.ts';
import { Effort } from './effort.ts';
import { takeInventory } from './inventory.ts';
import type { UpstreamRun } from './upstream-run.ts';

/** How often to try, each time with more of upstream's plan left alone. */
const MOST_ATTEMPTS = 4;

/** Upstream's plan, or a cheaper one for the same pods; its `packing` says which and why (spec 09 A1). */
export function* chooseCheaper(run: UpstreamRun): PlanRun {
  const { plan, packing } = run;
  const pools = costPoolsOf(run);
  const fees = new Map(pools.map(({ template, terms }) => [template.nodePool, terms.nodeFeePerHour]));
  const found = yield* unlessStopped(search(run, pools));
  if (found === undefined) return keepUpstream(plan, fees, 'Stopped');
  return typeof found === 'string' ? keepUpstream(plan, fees, found) : decide(plan, found, fees, packing);
}

/** Other nodes for the same pods, or why there are none. */
function* search(run: UpstreamRun, pools: readonly CostPool[]): Reading<readonly PlannedNode[] | PackingReason> {
  if (run.plan.newNodes.length === 0) return 'NothingToChange';
  if (pools.every(({ terms }) => terms.policy === 'Upstream')) return 'Policy';
  if (!pools.some(({ isOpen }) => isOpen)) return 'LinearPrices';
  const shares = sharesFor(run, pools);
  let remaining = pools;
  let staying: ReadonlySet<InFlightNode> = new Set();
  for (let attempts = 0; attempts < MOST_ATTEMPTS && !shares.whole.isUsedUp; attempts++) {
    const inventory = yield* takeInventory(run, remaining, staying, shares.whole.part(shares.options));
    if (inventory.groups.all.length === 0) return attempts === 0 ? 'NothingToChange' : 'NoneFound';
    const made = yield* attempt(run, remaining, inventory, shares);
    if ('nodes' in made) return made.nodes;
    if ('exceeded' in made) {
      remaining = remaining.map((pool) => (pool === made.exceeded ? pool.closed() : pool));
    } else {
      if (made.culprits.isSubsetOf(staying)) break;
      staying = staying.union(made.culprits);
    }
  }
  return 'NoneFound';
}

/**
 * To improve on a plan, some twenty milliseconds of work and a hundredth or two of one for each pod, which is what
 * upstream's plan took. To find the first, up to ten times as much for each pod: fleets in which thousands of pod groups
 * cannot share node options would have none otherwise.
 */
function sharesFor({ nodes }: UpstreamRun, pools: readonly CostPool[]): Shares {
  const pods = nodes.reduce((sum, node) => sum + node.pods.length, 0);
  const catalogues = new Set(pools.map(({ template }) => template.market.catalogue));
  // By name: pools that list equal types must not get more effort than pools that share one list of them.
  const types = new Set([...catalogues].flatMap((one) => one.types.map(({ name }) => name))).size;
  const whole = 450_000 + 5_400 * pods + 200 * types;
  return { whole: new Effort(whole), options: whole / 12 + 80 * types, loads: 700_000 + 600 * pods };
}
