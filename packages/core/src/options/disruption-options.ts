import {
  type ExpirationPolicy,
  findExpirationPolicy,
  formatMinimumSavings,
  type MinimumSavings,
  findDuration,
  NO_MINIMUM,
  readMaxReplacements,
  readMinimumSavings,
} from '@karpenter-ts/apis';
import { goQuote } from '@karpenter-ts/kubernetes';
import { durationText, MINUTE, option, type Parsed } from '@karpenter-ts/runtime';
import { own } from './extension-options.ts';

/** The most commands that a pass may start. */
const MOST_COMMANDS = 20;

/** Settings of disruption that upstream does not have (spec 09 A2, A3, A5, B2, C5). */
export const disruptionOptions = {
  consolidationMinSavings: option<MinimumSavings>(
    'consolidation-min-savings',
    own(
      'savings',
      (text) => (text === 'none' ? NO_MINIMUM : valueIn(readMinimumSavings(text))),
      formatMinimumSavings,
      'none, a percentage up to 90%, an amount per hour such as 0.05/h, or both with a comma between them',
    ),
    NO_MINIMUM,
    'What a replacement must save to be made: a percentage, dollars per hour, or both with a comma between them.',
  ),
  consolidationMaxReplacements: option<number>(
    'consolidation-max-replacements',
    own('count', (text) => valueIn(readMaxReplacements(text)), String, 'a number from 1 to 10'),
    1,
    'How many cheaper nodes may replace the nodes that consolidation takes away.',
  ),
  multiNodeConsolidationTimeout: option<number>(
    'multi-node-consolidation-timeout',
    own('duration', findDuration, durationText, 'a duration such as 1m, or 0s for none'),
    1 * MINUTE,
    'How long a search for several nodes to consolidate at once may take; 0s for as long as it needs.',
  ),
  singleNodeConsolidationTimeout: option<number>(
    'single-node-consolidation-timeout',
    own('duration', findDuration, durationText, 'a duration such as 3m, or 0s for none'),
    3 * MINUTE,
    'How long a search for single nodes to consolidate may take; 0s for as long as it needs.',
  ),
  consolidationCommandsPerPass: option<number>(
    'consolidation-commands-per-pass',
    own('count', findCommandCount, String, `a number from 1 to ${MOST_COMMANDS}`),
    1,
    'How many single nodes a pass may consolidate, within budgets, if their pods go to different nodes.',
  ),
  consolidationSearch: option<ConsolidationSearch>(
    'consolidation-search',
    own('string', findConsolidationSearch, goQuote, 'Prefix or Subset'),
    'Prefix',
    'Which sets of nodes are tried for consolidation at once: the first of all nodes (Prefix), or also those of each ' +
      'NodePool, zone and instance type (Subset).',
  ),
  drainStuckAfter: option<number>(
    'drain-stuck-after',
    own('duration', (text) => findDuration(text) || undefined, durationText, 'a duration above 0, such as 15m'),
    15 * MINUTE,
    'How long a node may drain before a gauge and hourly events tell what it waits for.',
  ),
  expirationPolicy: option<ExpirationPolicy>(
    'expiration-policy',
    own('string', findExpirationPolicy, goQuote, 'Graceful or Forceful'),
    'Forceful',
    'Whether nodes that have expired are deleted at once, or replaced within budgets: Forceful or Graceful.',
  ),
};

type ConsolidationSearch = 'Prefix' | 'Subset';

function findConsolidationSearch(text: string): ConsolidationSearch | undefined {
  return text === 'Prefix' || text === 'Subset' ? text : undefined;
}

/** The values of all options of disruption. */
export type DisruptionOptions = Parsed<typeof disruptionOptions>;

function findCommandCount(text: string): number | undefined {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= MOST_COMMANDS ? count : undefined;
}

function valueIn<T>(
  reading: { readonly kind: 'value'; readonly value: T } | { readonly kind: 'problem' },
): T | undefined {
  return reading.kind === 'value' ? reading.value : undefined;
}
