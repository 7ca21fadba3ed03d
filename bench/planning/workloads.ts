import type { PlanningOptions } from '@karpenter-ts/scheduling';

/** What is planned, and what it is measured against. */
export interface Workload {
  readonly mix: 'diverse' | 'preferences';
  readonly policy: PlanningOptions['preferencePolicy'];
  readonly pods: number;
  /**
   * The speed of upstream 1.14.1 on two cores of another host, one run (lab.md §4), for use where it cannot be
   * measured. Undefined where a run takes too long.
   */
  readonly upstreamPodsPerSecond?: number;
  /** The name of upstream's own benchmark of this workload. */
  readonly upstreamBenchmark?: string;
  /** The smallest ratio to upstream's speed. */
  readonly mustBeFaster?: number;
  /** Upstream's number of nodes, which is the upper bound. */
  readonly mostNodes: number;
}

const diverse = (pods: number, rest: Partial<Workload> = {}): Workload => ({
  mix: 'diverse',
  policy: 'Respect',
  pods,
  mostNodes: Math.max(1, pods / 5),
  ...rest,
});

const measured = (pods: number, upstreamPodsPerSecond: number, mustBeFaster?: number): Workload =>
  diverse(pods, {
    upstreamPodsPerSecond,
    upstreamBenchmark: `BenchmarkScheduling${pods}`,
    ...(mustBeFaster !== undefined && { mustBeFaster }),
  });

/** In the order of the table. The largest workloads show that speed does not drop with size. */
export const WORKLOADS: readonly Workload[] = [
  measured(1, 169, 5),
  measured(50, 413, 5),
  measured(100, 318),
  measured(500, 249),
  measured(1_000, 276, 30),
  measured(2_000, 237),
  measured(5_000, 207, 60),
  measured(10_000, 193, 60),
  diverse(20_000),
  diverse(50_000),
  {
    mix: 'preferences',
    policy: 'Respect',
    pods: 4_000,
    upstreamPodsPerSecond: 45,
    upstreamBenchmark: 'BenchmarkRespectPreferences',
    mustBeFaster: 100,
    mostNodes: 4_000,
  },
  {
    mix: 'preferences',
    policy: 'Ignore',
    pods: 4_000,
    upstreamPodsPerSecond: 1_890,
    upstreamBenchmark: 'BenchmarkIgnorePreferences',
    mustBeFaster: 10,
    mostNodes: 11,
  },
];

/** Those of a size or a mix that is named; all if none is. */
export function chooseWorkloads(names: readonly string[]): readonly Workload[] {
  const known = new Set([...WORKLOADS.map(({ pods }) => String(pods)), ...WORKLOADS.map(({ mix }) => mix)]);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error(`no such workload: ${unknown}; there are ${[...known].join(', ')}`);
  if (names.length === 0) return WORKLOADS;
  return WORKLOADS.filter(({ mix, pods }) => names.includes(mix) || names.includes(String(pods)));
}
