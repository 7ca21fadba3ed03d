import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { randomDisruption } from './random-disruption.ts';
import { randomStep } from './random-step.ts';
import type { PlannedStep, PoolPlan, WorkloadPlan, WorldPlan } from './world-plan.ts';

/** For how long things happen; then the world calms down. With AWS each minute costs twice as much processor time. */
const TROUBLE = { kwok: 25 * MINUTE, fleet: 25 * MINUTE, aws: 12 * MINUTE };
/** Misfortunes seldom come singly: they meet each other, and the work they cause. */
const EPISODE = 40 * SECOND;
const MOST_EPISODES = 4;
const MOST_POOLS = 3;
const MOST_WORKLOADS = 5;
const STEPS = { least: 8, most: 32 };
/** As often as they stand here. */
const KINDS = ['Deployment', 'Deployment', 'Deployment', 'StatefulSet', 'StatefulSet', 'DaemonSet', 'Job'] as const;

/** The world of a seed: always the same. */
export function randomPlan(seed: number): WorldPlan {
  const random = seededRandom(seed);
  return planWith(random, seed, random.chance(0.35) ? 'kwok' : 'fleet');
}

/** The world of a seed with AWS. */
export function randomAwsPlan(seed: number): WorldPlan {
  return planWith(seededRandom(seed), seed, 'aws');
}

function planWith(random: Random, seed: number, cloud: WorldPlan['cloud']): WorldPlan {
  const pools = times(1 + random.below(MOST_POOLS), (index) => randomPool(random, index));
  const workloads = times(1 + random.below(MOST_WORKLOADS), (index) => randomWorkload(random, index));
  const traits = { cloud, pools, workloads } as const;
  const episodes = [0, ...times(1 + random.below(MOST_EPISODES), () => random.below(TROUBLE[cloud]))];
  const count = STEPS.least + random.below(STEPS.most - STEPS.least + 1);
  const steps = times(count, (): PlannedStep => {
    return { at: random.pick(episodes) + random.below(EPISODE), step: randomStep(random, traits) };
  });
  return {
    seed,
    ...traits,
    repairs: random.chance(0.5),
    replicas: random.chance(0.25) ? 2 : 1,
    steps: steps.toSorted((a, b) => a.at - b.at),
  };
}

function randomPool(random: Random, index: number): PoolPlan {
  return {
    name: `pool-${index}`,
    weight: 1 + random.below(100),
    ...(random.chance(0.4) && { cpuLimit: 2 + random.below(12) }),
    isTainted: random.chance(0.25),
    ...randomExpiry(random),
    ...(random.chance(0.5) && { terminationGracePeriod: random.pick(['0s', '1m', '5m', '10m']) }),
    ...(random.chance(0.6) && { capacityType: random.pick(['spot', 'on-demand', 'on-demand'] as const) }),
    ...(random.chance(0.7) && { disruption: randomDisruption(random) }),
    protectsNodes: random.chance(0.05),
  };
}

/** Nothing is the API's default: 720 hours, for which a claim waits in a queue. */
function randomExpiry(random: Random): Pick<PoolPlan, 'expireAfter'> {
  const expireAfter = random.pick([undefined, 'Never', 'Never', '12m', '30m']);
  return expireAfter === undefined ? {} : { expireAfter };
}

function randomWorkload(random: Random, index: number): WorkloadPlan {
  const kind = random.pick(KINDS);
  const isService = kind === 'Deployment' || kind === 'StatefulSet';
  return {
    name: `app-${index}`,
    kind,
    replicas: 1 + random.below(7),
    cpu: kind === 'DaemonSet' ? '50m' : random.pick(['200m', '500m', '1', '2']),
    graceSeconds: random.pick([0, 5, 30, 120]),
    tolerates: random.chance(0.4),
    ...(random.chance(0.25) && { protection: random.pick(['true', 'true', '8m', 'nonsense']) }),
    ...(isService && random.chance(0.5) && { maxUnavailable: random.pick([0, 1, 1] as const) }),
    hasFinalizer: kind === 'Deployment' && random.chance(0.15),
    hasVolume: kind === 'StatefulSet' && random.chance(0.5),
    isSpread: isService && random.chance(0.3),
  };
}

function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
