// A lower bound for the cost of nodes for pods that only request resources. Only for the bench: the planner uses no
// solver.
import type { Fleet } from '@karpenter-ts/cli/fleet';
import highsModule, { type Highs } from 'highs';
import { type NodeOption, nodeOptionsOf, RESOURCES, type Size, sizesOf } from './packing-problem.ts';

// The types describe the CommonJS module; Node loads the ES module, whose default export is the loader itself.
export const loadHighs = highsModule as unknown as typeof highsModule.default;

/**
 * The optimum of the linear relaxation, in which pods and instances are divisible: all pods are assigned, and no
 * instance type provides more than it has. Only for fleets whose pods request nothing but resources, and whose first
 * pool is the one they can use.
 */
export async function findLowerBound(fleet: Fleet): Promise<number> {
  return solve(await loadHighs(), sizesOf(fleet.snapshot.pods), nodeOptionsOf(fleet));
}

/**
 * The columns are the number of instances of each node option, then the number of pods of each size on each node option
 * that fits them.
 */
function solve(highs: Highs, sizes: readonly Size[], nodeOptions: readonly NodeOption[]): number {
  const pairs = nodeOptions.flatMap((nodeOption, m) =>
    [...sizes.keys()]
      .filter((s) => sizes[s]!.requests.every((amount, r) => amount <= nodeOption.room[r]!))
      .map((s) => ({ m, s })),
  );
  const rowOf = (m: number, r: number): number => sizes.length + m * RESOURCES.length + r;
  const columns = [
    ...nodeOptions.map(({ room }, m) => room.map((amount, r) => [rowOf(m, r), -amount] as const)),
    ...pairs.map(({ m, s }) => [
      [s, 1] as const,
      ...sizes[s]!.requests.map((amount, r) => [rowOf(m, r), amount] as const),
    ]),
  ];
  const starts = [0];
  for (const column of columns) starts.push(starts.at(-1)! + column.length);
  const numRows = sizes.length + nodeOptions.length * RESOURCES.length;
  const counts = sizes.map(({ count }) => count);
  const resourceRows = Array.from({ length: numRows - sizes.length });
  using model = highs.createModel({
    numCols: columns.length,
    numRows,
    colCost: columns.map((_, c) => nodeOptions[c]?.pricePerHour ?? 0),
    colLower: columns.map(() => 0),
    colUpper: columns.map(() => Number.POSITIVE_INFINITY),
    rowLower: [...counts, ...resourceRows.map(() => Number.NEGATIVE_INFINITY)],
    rowUpper: [...counts, ...resourceRows.map(() => 0)],
    matrix: {
      format: 'csc',
      numRows,
      numCols: columns.length,
      starts,
      indices: columns.flatMap((column) => column.map(([row]) => row)),
      values: columns.flatMap((column) => column.map(([, value]) => value)),
    },
  });
  model.run();
  return model.getObjectiveValue();
}
