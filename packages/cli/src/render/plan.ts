import type { PlanFile, PlanFileNode } from '@karpenter-ts/scheduling';

/** For people: a line per node, what is to be said of pods without a place, and a line of totals. */
export function renderPlan(
  { nodes, unschedulable, pricePerHour, seconds }: PlanFile,
  unplaced: readonly string[],
): string {
  const placed = nodes.reduce((sum, { pods }) => sum + pods.length, 0);
  const totals =
    `${count(nodes.length, 'node')} for ${count(placed, 'pod')} at ${price(pricePerHour)}, ` +
    `${count(unschedulable.length, 'pod')} without a place, planned in ${seconds.toFixed(3)} s`;
  return `${[...alignedRows(nodes.map(nodeCells)), ...unplaced, totals].join('\n')}\n`;
}

function nodeCells({ nodePool, pods, instanceTypes, pricePerHour }: PlanFileNode): readonly string[] {
  const [cheapest = '', ...others] = instanceTypes;
  const types = others.length === 0 ? cheapest : `${cheapest} or ${count(others.length, 'other type')}`;
  return [nodePool, types, count(pods.length, 'pod'), price(pricePerHour)];
}

function alignedRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

function price(perHour: number): string {
  return `$${perHour.toFixed(4)} an hour`;
}
