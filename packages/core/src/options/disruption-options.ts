import {
  type ExpirationPolicy,
  findExpirationPolicy,
  formatMinimumSavings,
  type MinimumSavings,
  NO_MINIMUM,
  readMinimumSavings,
} from '@karpenter-ts/apis';
import { goQuote } from '@karpenter-ts/kubernetes';
import { option, type Parsed } from '@karpenter-ts/runtime';
import { own } from './extension-options.ts';

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
  expirationPolicy: option<ExpirationPolicy>(
    'expiration-policy',
    own('string', findExpirationPolicy, goQuote, 'Graceful or Forceful'),
    'Forceful',
    'Whether nodes that have expired are deleted at once, or replaced within budgets: Forceful or Graceful.',
  ),
};

/** The values of all options of disruption. */
export type DisruptionOptions = Parsed<typeof disruptionOptions>;

function valueIn<T>(
  reading: { readonly kind: 'value'; readonly value: T } | { readonly kind: 'problem' },
): T | undefined {
  return reading.kind === 'value' ? reading.value : undefined;
}
