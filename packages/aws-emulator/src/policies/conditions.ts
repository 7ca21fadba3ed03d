import { matchesArn, matchesText } from './patterns.ts';
import type { Condition } from './policy-document.ts';

/** What a request is judged by besides its action and its resource: the values of condition keys. */
export type RequestContext = Readonly<Record<string, string | readonly string[]>>;

/** The values of a context by key; the letter case of keys does not matter. */
export class ContextValues {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(context: RequestContext) {
    this.#values = new Map(
      Object.entries(context).map(([key, value]) => [key.toLowerCase(), typeof value === 'string' ? [value] : value]),
    );
  }

  of(key: string): readonly string[] | undefined {
    return this.#values.get(key.toLowerCase());
  }
}

type Compare = (value: string, wanted: string) => boolean;

/** The operators that policies for Karpenter use. A statement with another one is taken not to hold. */
const COMPARISONS: Readonly<Record<string, Compare>> = {
  StringEquals: (value, wanted) => value === wanted,
  StringEqualsIgnoreCase: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
  StringLike: matchesText,
  ArnEquals: matchesArn,
  ArnLike: matchesArn,
  Bool: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
};

/** The wanted values of a condition that the request has: a policy that lists others allows more than that. */
export function valuesMet({ operator, key, values: wanted }: Condition, context: ContextValues): readonly string[] {
  const compare = COMPARISONS[partsOf(operator).name];
  const found = context.of(key) ?? [];
  return wanted.filter((one) => compare !== undefined && found.some((value) => compare(value, one)));
}

/** Whether the condition holds. An operator with a negation holds where the key is missing. */
export function holds({ operator, key, values: wanted }: Condition, context: ContextValues): boolean {
  const { set, name, isNegated, isOptional } = partsOf(operator);
  const found = context.of(key);
  if (name === 'Null') return (found === undefined) === (wanted[0]?.toLowerCase() === 'true');
  const compare = COMPARISONS[name];
  if (compare === undefined) return false;
  if (found === undefined) return isOptional || set === 'ForAllValues' || (isNegated && set === undefined);
  const meets = (value: string): boolean => wanted.some((one) => compare(value, one)) !== isNegated;
  return set === 'ForAllValues' ? found.every(meets) : found.some(meets);
}

interface OperatorParts {
  readonly set: string | undefined;
  readonly name: string;
  readonly isNegated: boolean;
  readonly isOptional: boolean;
}

function partsOf(operator: string): OperatorParts {
  const colon = operator.indexOf(':');
  const set = colon < 0 ? undefined : operator.slice(0, colon);
  const plain = operator.slice(colon + 1);
  const isOptional = plain.endsWith('IfExists');
  const name = isOptional ? plain.slice(0, -'IfExists'.length) : plain;
  const isNegated = /^(String|Arn)Not/.test(name);
  return { set, name: isNegated ? name.replace('Not', '') : name, isNegated, isOptional };
}
