import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MINUTE } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { baseManifests, pool, workload } from './cluster/manifests.ts';
import type { PoolPlan, Step, WorkloadPlan, WorldPlan } from './plan/world-plan.ts';
import { Environment, type EnvironmentSettings } from './environment.ts';
import { takeStep } from './take-step.ts';

/** How much memory one operator needed in a long run. */
export interface MemoryReport {
  /** Bytes of live memory at the end of each cycle after the first ones, when the cluster is empty again. */
  readonly heap: readonly number[];
  /** Bytes by which it grew from cycle to cycle, by the line that fits best. */
  readonly growth: number;
}

/** Events live for an hour, and so does the memory of launches: only then does a cycle forget as much as it learns. */
const WARM_UP = 8;
/**
 * Bytes. Memories with a bound go on filling for days: each recorder of events keeps 4,096 of what it has said, as
 * client-go's does, which is 170 kB for each of the first hundred cycles or so. A leak of what is read is megabytes.
 */
const MOST_GROWTH = 300_000;

const POOL: PoolPlan = { name: 'pool', weight: 10, isTainted: false, expireAfter: '5m', terminationGracePeriod: '1m' };
const APP: WorkloadPlan = {
  name: 'app',
  kind: 'Deployment',
  replicas: 0,
  cpu: '1',
  graceSeconds: 5,
  tolerates: false,
  maxUnavailable: 1,
  hasFinalizer: false,
  hasVolume: false,
  isSpread: false,
};
const PLAN: WorldPlan = {
  seed: 1,
  cloud: 'kwok',
  repairs: true,
  replicas: 1,
  pools: [POOL],
  workloads: [APP],
  steps: [],
};

/** What happens in each cycle, by minute. Everything is as it was before, afterwards. */
const CYCLE: readonly (readonly [minute: number, steps: readonly Step[]])[] = [
  [
    0,
    [
      { kind: 'cloud-fault', method: 'create', fault: 'lose', times: 1 },
      { kind: 'api-fault', requests: { method: 'PATCH', path: 'nodeclaims', nth: 2 }, fault: 'conflict', times: 2 },
      { kind: 'scale', workload: APP.name, replicas: 12 },
    ],
  ],
  [2, [{ kind: 'roll-out', workload: APP.name }]],
  [3, [{ kind: 'delete-node', choice: 0 }, { kind: 'cut-watches' }]],
  [4, [{ kind: 'break-node', choice: 0.9, fault: 'lost', duration: 2 * MINUTE }]],
  [7, [{ kind: 'scale', workload: APP.name, replicas: 0 }]],
];
const CYCLE_MINUTES = 15;

/** Runs one operator through the same faults again and again, so many times after it has warmed up. */
export async function measureMemory(cycles: number, settings: EnvironmentSettings = {}): Promise<MemoryReport> {
  const env = await Environment.open(PLAN, settings);
  for (const { type, object } of [...baseManifests(PLAN.cloud), pool(POOL, PLAN.cloud), ...workload(APP)]) {
    await env.cluster.client.create(type, object);
  }
  env.startOperators();
  const heap: number[] = [];
  for (let cycle = 0; cycle < WARM_UP + cycles; cycle++) {
    await runCycle(env);
    if (cycle >= WARM_UP) heap.push(liveHeap());
  }
  await env.close();
  return { heap, growth: slopeOf(heap) };
}

/** Whether an operator that lives long enough would run out of memory. */
export function isGrowing({ growth }: MemoryReport): boolean {
  return growth > MOST_GROWTH;
}

async function runCycle(env: Environment): Promise<void> {
  for (let minute = 0; minute < CYCLE_MINUTES; minute++) {
    const [, steps = []] = CYCLE.find(([at]) => at === minute) ?? [];
    for (const step of steps) await takeStep(env, step);
    if (minute === 8) await deleteClaims(env);
    await env.clock.advance(1 * MINUTE);
  }
}

async function deleteClaims({ cluster }: Environment): Promise<void> {
  const { items } = await cluster.client.listAll(NODE_CLAIMS);
  for (const { metadata } of items) await cluster.client.delete(NODE_CLAIMS, metadata);
}

function liveHeap(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Of the line through the values with the least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  return covariance / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}
