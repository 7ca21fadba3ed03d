import { defaultsOf } from '@karpenter-ts/runtime';
import { extensionOptions } from '@karpenter-ts/core';
import {
  Catalogues,
  finish,
  type PackingOptions,
  packingOptions,
  type Plan,
  planSnapshot,
} from '@karpenter-ts/scheduling';
import type { Fleet } from '@karpenter-ts/cli/fleet';
import type { MoneyFleet } from './fleets.ts';
import { findLowerBound } from './lower-bound.ts';
import { findWholePodBound } from './whole-pod-bound.ts';

/** The results for one fleet. */
export interface MoneyFigures {
  readonly fleet: string;
  readonly kind: MoneyFleet['kind'];
  readonly pods: number;
  readonly types: number;
  /** Upstream's own price, where it is known, else that of our plan with the policy `Upstream`. */
  readonly upstreamPrice: number;
  readonly policyUpstream: Bought;
  readonly costAware: Bought;
  readonly why: string;
  /** Without a limit on the number of nodes. */
  readonly unlimited: Bought;
  /** For plain fleets: the bound with divisible pods, or the sharper one with whole pods if the first is far off. */
  readonly lowerBound: number | undefined;
  /** CPU time in addition to that of the policy `Upstream`. */
  readonly extraMs: number;
  readonly longestStepMs: number;
}

export interface Bought {
  readonly nodes: number;
  readonly pricePerHour: number;
}

/** The controller's defaults. */
export const DEFAULTS = packingOptions(defaultsOf(extensionOptions));

/** Plans a fleet with all settings that are compared. */
export async function measureFleet({ name, kind, fleet, upstreamPricePerHour }: MoneyFleet): Promise<MoneyFigures> {
  const upstream = planWith(fleet, undefined);
  const costAware = planWith(fleet, DEFAULTS);
  const unlimited = planWith(fleet, { ...DEFAULTS, maxExtraNodes: Number.POSITIVE_INFINITY });
  return {
    fleet: name,
    kind,
    pods: fleet.snapshot.pods.length,
    types: fleet.snapshot.pools[0]!.instanceTypes.length,
    upstreamPrice: upstreamPricePerHour ?? upstream.pricePerHour,
    policyUpstream: boughtBy(upstream),
    costAware: boughtBy(costAware),
    why: costAware.packing!.why,
    unlimited: boughtBy(unlimited),
    lowerBound: kind === 'plain' ? await lowerBoundOf(fleet, unlimited.pricePerHour) : undefined,
    ...timesOf(fleet),
  };
}

/** If a price is further above the quick bound than this, the slow one is computed. */
const FAR = 1.1;

async function lowerBoundOf(fleet: Fleet, pricePerHour: number): Promise<number> {
  const bound = await findLowerBound(fleet);
  return pricePerHour <= FAR * bound ? bound : Math.max(bound, await findWholePodBound(fleet));
}

/** The plan of a fleet with these options; upstream's without. */
export function planWith({ snapshot, options }: Fleet, packing: PackingOptions | undefined): Plan {
  return finish(planSnapshot(snapshot, { ...options, packing }));
}

function boughtBy({ newNodes, pricePerHour }: Plan): Bought {
  return { nodes: newNodes.length, pricePerHour };
}

/**
 * CPU time, so that other processes of the host do not count; the minimum of several runs, so that warm-up does not
 * count.
 */
export function timesOf(fleet: Fleet, runs = 3): Pick<MoneyFigures, 'extraMs' | 'longestStepMs'> {
  const catalogues = new Catalogues();
  const times = { upstream: Number.POSITIVE_INFINITY, costAware: Number.POSITIVE_INFINITY };
  let longestStepMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const upstream = stepThrough(fleet, undefined, catalogues);
    const costAware = stepThrough(fleet, DEFAULTS, catalogues);
    times.upstream = Math.min(times.upstream, upstream.ms);
    times.costAware = Math.min(times.costAware, costAware.ms);
    longestStepMs = Math.min(longestStepMs, costAware.longestMs);
  }
  return { extraMs: Math.max(0, times.costAware - times.upstream), longestStepMs };
}

function stepThrough({ snapshot, options }: Fleet, packing: PackingOptions | undefined, catalogues: Catalogues) {
  const started = cpuMs();
  const run = planSnapshot(snapshot, { ...options, packing }, catalogues);
  let longestMs = 0;
  for (let before = started; ; ) {
    const { done } = run.next();
    const after = cpuMs();
    longestMs = Math.max(longestMs, after - before);
    before = after;
    if (done) return { ms: after - started, longestMs };
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
