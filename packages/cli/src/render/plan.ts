import type { PackingDecision, PlanCost } from '@karpenter-ts/scheduling';
import type { PlanFile, PlanFileExisting, PlanFileNode } from '../fleet/plan-file.ts';
import { printableLine } from './printable.ts';

/** For people: a line per node, what is to be said of pods without a place, a line of totals, and what else there was. */
export function renderPlan(
  { nodes, existing = [], unschedulable, pricePerHour, seconds, packing }: PlanFile,
  unplaced: readonly string[],
): string {
  const received = podsOn(existing);
  const totals =
    `${count(nodes.length, 'node')} for ${count(podsOn(nodes), 'pod')} at ${price(pricePerHour)}, ` +
    (received === 0 ? '' : `${count(received, 'pod')} on existing nodes, `) +
    `${count(unschedulable.length, 'pod')} without a place, planned in ${seconds.toFixed(3)} s`;
  const comparison = packing === undefined ? [] : renderPacking(packing);
  const rows = alignedRows([...existing.map(existingCells), ...nodes.map(nodeCells)]);
  return `${[...rows, ...unplaced, totals, ...comparison].map(printableLine).join('\n')}\n`;
}

function podsOn(nodes: readonly { readonly pods: readonly string[] }[]): number {
  return nodes.reduce((sum, { pods }) => sum + pods.length, 0);
}

function renderPacking({ why, upstream, costAware }: PackingDecision): readonly string[] {
  switch (why) {
    case 'Cheaper':
      return [`${percentLess(upstream, costAware)} less than upstream's plan: ${cost(upstream)}`];
    case 'GainTooSmall':
      return total(costAware) < total(upstream)
        ? [`upstream's plan: ${percentLess(upstream, costAware)} less is too little to change to ${cost(costAware)}`]
        : ["upstream's plan: no cheaper one was found"];
    case 'NoneFound':
      return ["upstream's plan: no other was found that keeps all rules"];
    case 'LinearPrices':
      return ["upstream's plan: prices are linear, so there is nothing to gain by other sizes"];
    case 'Stopped':
      return ["upstream's plan: the search for another was stopped"];
    case 'Policy':
    case 'NothingToChange':
      return [];
    default:
      return why satisfies never;
  }
}

function cost({ nodes, pricePerHour, feesPerHour }: PlanCost = NO_COST): string {
  const fees = feesPerHour === 0 ? '' : ` and ${price(feesPerHour)} in fees`;
  return `${count(nodes, 'node')} at ${price(pricePerHour)}${fees}`;
}

const NO_COST: PlanCost = { nodes: 0, pricePerHour: 0, feesPerHour: 0 };

function total({ pricePerHour, feesPerHour }: PlanCost = NO_COST): number {
  return pricePerHour + feesPerHour;
}

function percentLess(before: PlanCost, after: PlanCost | undefined): string {
  return `${((1 - total(after) / total(before)) * 100).toFixed(1)} %`;
}

function nodeCells({ nodePool, pods, instanceTypes, pricePerHour }: PlanFileNode): readonly string[] {
  const [cheapest = '', ...others] = instanceTypes;
  const types = others.length === 0 ? cheapest : `${cheapest} or ${count(others.length, 'other type')}`;
  return [nodePool, types, count(pods.length, 'pod'), price(pricePerHour)];
}

function existingCells({ node, pods }: PlanFileExisting): readonly string[] {
  return [node, 'exists', count(pods.length, 'pod'), ''];
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
