import { goQuote } from '@karpenter-ts/kubernetes';
import { type ExtensionAnnotation, problem, type Reading, value } from './extension-annotation.ts';
import { readBoolean, readPercentage, splitList } from './extension-values.ts';
import { findMoneyRate, formatMoneyRate } from './money-rate.ts';
import { findPercentage, formatPercentage } from './percentage.ts';

/** What a replacement must save: both, where both are asked for (spec 09 A5). */
export interface MinimumSavings {
  /** Of the price of the nodes that are replaced. */
  readonly part: number;
  readonly perHour: number;
}

/** Nothing, or less than nothing: any replacement that is cheaper will do. */
export const NO_MINIMUM: MinimumSavings = { part: 0, perHour: 0 };

/** What no replacement can save. */
const UNREACHABLE: MinimumSavings = { part: Number.POSITIVE_INFINITY, perHour: Number.POSITIVE_INFINITY };

/** On a NodeClaim: it is one of several that replace fewer nodes. */
export const SPLIT = 'karpenter-ts.dev/split';

const MOST_REPLACEMENTS = 10;
const HIGHEST_MINIMUM = 0.9;

/** How many nodes may replace those that a command takes away. */
export const CONSOLIDATION_MAX_REPLACEMENTS: ExtensionAnnotation<number> = {
  key: 'karpenter-ts.dev/consolidation-max-replacements',
  extension: 'A2',
  read: readMaxReplacements,
  instead: { value: 1, text: '1 is used' },
};

/** What more than one replacement must save. Nothing saves more than the whole. */
export const SPLIT_MIN_SAVINGS: ExtensionAnnotation<number> = {
  key: 'karpenter-ts.dev/split-min-savings',
  extension: 'A2',
  read: (text) => readPercentage(text),
  instead: { value: 1, text: 'no node is replaced by more than one' },
};

/** What one replacement must save. */
export const MIN_SAVINGS: ExtensionAnnotation<MinimumSavings> = {
  key: 'karpenter-ts.dev/min-savings',
  extension: 'A5',
  read: readMinimumSavings,
  instead: { value: UNREACHABLE, text: 'no node is replaced to save money' },
};

/** Whether nodes that are deleted without a replacement must save as much. */
export const MIN_SAVINGS_DELETE: ExtensionAnnotation<boolean> = {
  key: 'karpenter-ts.dev/min-savings-delete',
  extension: 'A5',
  read: readBoolean,
  instead: { value: true, text: 'true is used' },
};

/** A number from 1 to 10. */
export function readMaxReplacements(text: string): Reading<number> {
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 1 && number <= MOST_REPLACEMENTS) return value(number);
  return problem(`${goQuote(text)} is not a number from 1 to ${MOST_REPLACEMENTS}`);
}

/** `10%`, `0.05/h`, or both with a comma between them. */
export function readMinimumSavings(text: string): Reading<MinimumSavings> {
  let part: number | undefined;
  let perHour: number | undefined;
  for (const item of splitList(text)) {
    const percentage = findPercentage(item);
    const rate = findMoneyRate(item);
    if (percentage === undefined && rate === undefined) {
      return problem(`${goQuote(item)} is neither a percentage such as 10% nor an amount per hour such as 0.05/h`);
    }
    if (percentage !== undefined ? part !== undefined : perHour !== undefined) {
      return problem(`${goQuote(text)} has two ${percentage === undefined ? 'amounts' : 'percentages'}`);
    }
    if (percentage !== undefined && percentage > HIGHEST_MINIMUM) {
      return problem(`${goQuote(item)} is more than ${formatPercentage(HIGHEST_MINIMUM)}`);
    }
    part ??= percentage;
    perHour ??= rate;
  }
  return value({ part: part ?? 0, perHour: perHour ?? 0 });
}

/** The minimum as it is written; `none` if there is none. */
export function formatMinimumSavings({ part, perHour }: MinimumSavings): string {
  const items = [...(part > 0 ? [formatPercentage(part)] : []), ...(perHour > 0 ? [formatMoneyRate(perHour)] : [])];
  return items.join(',') || 'none';
}
