import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  Catalogues,
  DEFAULT_PLANNING,
  finish,
  type Plan,
  type PlanRun,
  planSnapshot,
  type Snapshot,
} from '@karpenter-ts/scheduling';
import {
  diversePods,
  preferencePods,
  REFERENCE_PROFILE,
  referenceCatalogue,
  referenceSnapshot,
} from '@karpenter-ts/scheduling/testing';
import type { Workload } from './workloads.ts';

/** The results of one process for one workload. */
export interface PlanningFigures {
  readonly nodes: number;
  readonly unplaced: number;
  readonly pricePerHour: number;
  /** The first plan of the process, before anything is compiled or indexed. */
  readonly firstPodsPerSecond: number;
  readonly podsPerSecond: number;
  /** The speed of the same mix at 1,000 pods, measured in turns, so that other load of the host slows both. */
  readonly paceAtThousand: number;
  /** The longest time the planner blocked the event loop. */
  readonly longestStepMs: number;
  readonly peakRssMb: number;
}

const RUNS = 5;
const WARM_UP_MS = 1_500;
const FEWEST_WARM_UPS = 2;
/**
 * A run makes as many plans as needed for this number of pods, so that each run includes its share of garbage
 * collection.
 */
const PODS_PER_RUN = 5_000;

/** Plans repeatedly, each time with new pods and pools; only the index of the instance types is reused. */
export function measureSpeed(workload: Workload, seed: number): PlanningFigures {
  const provider = newProvider();
  const fresh = snapshotsOf(workload, seed);
  const atThousand = { ...workload, pods: 1_000 };
  const freshThousand = snapshotsOf(atThousand, seed);
  const first = timePlan(fresh(), provider, workload);
  const started = performance.now();
  for (let runs = 0; runs < FEWEST_WARM_UPS || performance.now() - started < WARM_UP_MS; runs++) {
    timePlan(fresh(), provider, workload);
  }
  const paces: number[] = [];
  const pacesAtThousand: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    paces.push(paceOf(fresh, provider, workload));
    pacesAtThousand.push(paceOf(freshThousand, provider, atThousand));
  }
  return {
    ...figuresOf(first.plan),
    firstPodsPerSecond: workload.pods / first.seconds,
    podsPerSecond: median(paces),
    paceAtThousand: median(pacesAtThousand),
    longestStepMs: longestStepMs(fresh(), provider, workload),
    peakRssMb: peakRssMb(),
  };
}

/** Pods per second of one run. Garbage of earlier runs is collected first. */
function paceOf(fresh: () => Snapshot, provider: Provider, workload: Workload): number {
  const snapshots = Array.from({ length: Math.ceil(PODS_PER_RUN / workload.pods) }, fresh);
  collectGarbage();
  const seconds = snapshots.reduce((sum, snapshot) => sum + timePlan(snapshot, provider, workload).seconds, 0);
  return (snapshots.length * workload.pods) / seconds;
}

/** Plans once, so that the peak memory is that of one run. */
export function measureMemory(workload: Workload, seed: number): number {
  timePlan(referenceSnapshot(podsOf(workload, seed), []), newProvider(), workload);
  return peakRssMb();
}

/** Kept between runs: the instance types, and the planner's index of them. */
interface Provider {
  readonly instanceTypes: ReturnType<typeof referenceCatalogue>;
  readonly catalogues: Catalogues;
}

function newProvider(): Provider {
  return { instanceTypes: referenceCatalogue(), catalogues: new Catalogues() };
}

function snapshotsOf(workload: Workload, seed: number): () => Snapshot {
  const snapshot = referenceSnapshot(podsOf(workload, seed), []);
  return () => structuredClone(snapshot);
}

function podsOf({ mix, pods }: Workload, seed: number) {
  return mix === 'diverse' ? diversePods(pods, seed) : preferencePods(pods, seed);
}

interface TimedPlan {
  readonly plan: Plan;
  readonly seconds: number;
}

function timePlan(snapshot: Snapshot, provider: Provider, workload: Workload): TimedPlan {
  const started = performance.now();
  const plan = finish(startPlan(snapshot, provider, workload));
  return { plan, seconds: (performance.now() - started) / 1000 };
}

/** CPU time, so that other processes of the host do not count. Garbage of earlier runs does not count either. */
function longestStepMs(snapshot: Snapshot, provider: Provider, workload: Workload): number {
  collectGarbage();
  const run = startPlan(snapshot, provider, workload);
  let longest = 0;
  for (let before = process.threadCpuUsage(); ; before = process.threadCpuUsage()) {
    const { done } = run.next();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    if (done) return longest;
  }
}

function startPlan(snapshot: Snapshot, { instanceTypes, catalogues }: Provider, { policy }: Workload): PlanRun {
  const pools = snapshot.pools.map(({ nodePool }) => ({ nodePool, instanceTypes }));
  const options = { ...DEFAULT_PLANNING, profile: REFERENCE_PROFILE, preferencePolicy: policy };
  return planSnapshot({ ...snapshot, pools }, options, catalogues);
}

function figuresOf({ newNodes, pricePerHour, undecided, unschedulable }: Plan) {
  return { nodes: newNodes.length, unplaced: undecided.length + unschedulable.length, pricePerHour };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function peakRssMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}
