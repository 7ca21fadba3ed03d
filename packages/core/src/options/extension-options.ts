import {
  type Extensions,
  findFeeProblem,
  findMoneyRate,
  findPercentage,
  formatMoneyRate,
  formatPercentage,
  type PackingPolicy,
} from '@karpenter-ts/apis';
import { goQuote } from '@karpenter-ts/kubernetes';
import { option, type OptionType, type Parsed, same } from '@karpenter-ts/runtime';

/** Settings upstream does not have (spec 09). A bad value stops the start, whether of a flag or of a variable. */
export const extensionOptions = {
  extensions: option<Extensions>(
    'extensions',
    own('string', findExtensions, showExtensions, 'all, none or ids such as A1,A4'),
    'all',
    'Extensions that are honoured: all, none, or their ids by commas. Those that are not built are named in the log.',
  ),
  packingPolicy: option<PackingPolicy>(
    'packing-policy',
    own('string', findPolicy, goQuote, 'CostAware or Upstream'),
    'CostAware',
    'Whether to buy cheaper nodes than upstream would for the same pods: CostAware or Upstream.',
  ),
  packingMinGain: option<number>(
    'packing-min-gain',
    own('percent', findPercentage, formatPercentage, 'a percentage from 0% to 100%'),
    0.05,
    "How much of the price of upstream's nodes others must save.",
  ),
  packingMaxExtraNodes: option<number>(
    'packing-max-extra-nodes',
    own('percent', findExtraNodes, showExtraNodes, 'a percentage from 0% to 100% or unlimited'),
    1,
    "How many nodes more than upstream's they may be: a percentage of these, or unlimited.",
  ),
  nodeFee: option<number>(
    'node-fee',
    own(
      'rate',
      (text) => (findFeeProblem(text) === undefined ? findMoneyRate(text) : undefined),
      formatMoneyRate,
      'an amount from 0/h to 10/h',
    ),
    0,
    'What a node costs beside its price, in dollars per hour.',
  ),
};

/** The values of all options of extensions. */
export type ExtensionOptions = Parsed<typeof extensionOptions>;

/** Values written the same in flags and variables. `find` gives `undefined` for a text that is none of them. */
export function own<T>(
  placeholder: string,
  find: (text: string) => T | undefined,
  show: (value: T) => string,
  forms: string,
): OptionType<T> {
  return {
    placeholder,
    ...same((text, variable) => {
      const value = find(text);
      const flag = variable.toLowerCase().replaceAll('_', '-');
      return value === undefined
        ? { kind: 'refused', problem: `--${flag}: ${goQuote(text)} is not ${forms}` }
        : { kind: 'value', value };
    }),
    show,
  };
}

function findExtensions(text: string): Extensions | undefined {
  if (text === 'all') return 'all';
  if (text === 'none') return new Set();
  const ids = text.split(',').map((id) => id.trim());
  return ids.every((id) => /^[A-G][1-9][0-9]?$/.test(id)) ? new Set(ids) : undefined;
}

function showExtensions(extensions: Extensions): string {
  return goQuote(extensions === 'all' ? 'all' : [...extensions].join() || 'none');
}

function findPolicy(text: string): PackingPolicy | undefined {
  return text === 'CostAware' || text === 'Upstream' ? text : undefined;
}

function findExtraNodes(text: string): number | undefined {
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : findPercentage(text);
}

function showExtraNodes(part: number): string {
  return part === Number.POSITIVE_INFINITY ? 'unlimited' : formatPercentage(part);
}
