// `npm run test:anchors -- clusters`: our decisions about clusters beside upstream's.
import { type ClusterComparison, compareClusters } from './cluster-comparison.ts';
import { clusterNames, decideCluster, readUpstream } from './cluster-files.ts';

/**
 * Compares all clusters of a folder, prints a line for each, and returns whether all passed. One that cannot be compared
 * has failed, so that a file that is missing is not taken for one that agrees. The last line counts, whatever happens.
 */
export async function compareFolder(folder: string, print: (line: string) => void): Promise<boolean> {
  const comparisons: ClusterComparison[] = [];
  const names = namesIn(folder, print);
  for (const name of names) {
    try {
      const upstream = readUpstream(folder, name);
      const comparison = compareClusters(await decideCluster(folder, name, true), upstream);
      comparisons.push(comparison);
      print(`${comparison.passed ? 'passed' : 'FAILED'} ${name}${describe(comparison)}`);
    } catch (error) {
      print(`FAILED ${name}  ${messageOf(error)}`);
    }
  }
  for (const line of summarize(comparisons)) print(line);
  const passed = comparisons.filter((one) => one.passed).length;
  print(`${passed} passed, ${names.length - passed} failed`);
  return passed === names.length && passed > 0;
}

function namesIn(folder: string, print: (line: string) => void): readonly string[] {
  try {
    const names = clusterNames(folder);
    if (names.length === 0) print(`${folder} has no cluster files: NAME.json with NAME.upstream.json beside it`);
    return names;
  } catch (error) {
    print(`${folder} cannot be read: ${messageOf(error)}`);
    return [];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describe({ areBudgetsEqual, methods, isLoopEqual, ends }: ClusterComparison): string {
  const parts = [
    ...(areBudgetsEqual ? [] : ['budgets']),
    ...methods.flatMap(({ method, differs }) => (differs.length > 0 ? [`${method}: ${differs.join(' ')}`] : [])),
    ...(isLoopEqual === false ? ['loop'] : []),
    ...(ends !== undefined && ends.ours > ends.dearest + 1e-6
      ? [`ends at ${ends.ours.toFixed(3)}, upstream at ${ends.cheapest.toFixed(3)} to ${ends.dearest.toFixed(3)}`]
      : []),
  ];
  return parts.length === 0 ? '' : `  ${parts.join('; ')}`;
}

function summarize(comparisons: readonly ClusterComparison[]): readonly string[] {
  const methods = comparisons.flatMap((one) => one.methods);
  const withOptions = methods.filter(({ method }) => method === 'Drift' || method === 'SingleNodeConsolidation');
  const loops = comparisons.flatMap(({ isLoopEqual }) => (isLoopEqual === undefined ? [] : [isLoopEqual]));
  const ends = comparisons.flatMap((one) => one.ends ?? []);
  const sum = (key: keyof (typeof ends)[number]): number => ends.reduce((total, one) => total + one[key], 0);
  const [ours, cheapest, middle, dearest] = (['ours', 'cheapest', 'middle', 'dearest'] as const).map((key) =>
    sum(key).toFixed(3),
  );
  return [
    `methods equal: ${share(methods, ({ isEqual }) => isEqual)}`,
    `options equal: ${share(withOptions, ({ differs }) => !differs.includes('options'))}`,
    `loop equal: ${share(loops, (isEqual) => isEqual)}`,
    `end prices in all: ours ${ours}; upstream's cheapest ${cheapest}, middle ${middle}, dearest ${dearest}; ` +
      `above the dearest: ${ends.filter((one) => one.ours > one.dearest + 1e-6).length}`,
  ];
}

function share<T>(list: readonly T[], holds: (one: T) => boolean): string {
  const count = list.filter(holds).length;
  return `${count} of ${list.length} (${((100 * count) / Math.max(1, list.length)).toFixed(1)} %)`;
}
