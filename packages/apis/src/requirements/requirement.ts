import { normalizeLabelKey, type ProviderProfile } from '../names/provider-profile.ts';
import { parseInt64 } from '@karpenter-ts/kubernetes';

/** A requirement as users write it. The operator is open: `validation/requirement.ts` says whether it is one. */
export interface RequirementSpec {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
  readonly minValues?: number | undefined;
}

/** The operators a requirement can be written with, sorted as messages list them. */
export const REQUIREMENT_OPERATORS = ['DoesNotExist', 'Exists', 'Gt', 'Gte', 'In', 'Lt', 'Lte', 'NotIn'] as const;

/**
 * The set of values a label may have: `values`, or with `complement` everything but `values`, within the bounds.
 * Only complements have bounds, and bounds that leave no integer make it empty instead (the same as DoesNotExist).
 * This is the plain model; the planner has a faster twin that is tested against it.
 */
export interface Requirement {
  readonly key: string;
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  /** Inclusive, int64 as in Go. */
  readonly lowest: bigint | undefined;
  readonly highest: bigint | undefined;
  /** How many distinct values the instance types of a NodeClaim must leave open; decides nothing here. */
  readonly minValues: number | undefined;
}

/**
 * The model of one written requirement, its key and values normalised. Expects a validated spec: as in Go, a bound that
 * is no integer counts as 0 and one beyond int64 as the nearest that is not.
 */
export function toRequirement(spec: RequirementSpec, profile: ProviderProfile): Requirement {
  const key = normalizeLabelKey(spec.key, profile);
  const renamed = profile.normalizedValues.get(key);
  const values = (spec.values ?? []).map((value) => renamed?.get(value) ?? value);
  const requirement: Requirement = { ...anything(key), minValues: spec.minValues };
  switch (spec.operator) {
    case 'In':
      return { ...requirement, complement: false, values: new Set(values) };
    case 'NotIn':
      return { ...requirement, values: new Set(values) };
    case 'DoesNotExist':
      return { ...requirement, complement: false };
    case 'Gt':
      return withBounds(requirement, { lowest: toBound(values[0]) + 1n });
    case 'Gte':
      return withBounds(requirement, { lowest: toBound(values[0]) });
    case 'Lt':
      return withBounds(requirement, { highest: toBound(values[0]) - 1n });
    case 'Lte':
      return withBounds(requirement, { highest: toBound(values[0]) });
    default:
      return requirement;
  }
}

/** The requirement that every value of `key` meets, which is also what an object without the key asks. */
export function anything(key: string): Requirement {
  return { key, complement: true, values: new Set(), lowest: undefined, highest: undefined, minValues: undefined };
}

/** What both requirements admit; they must be about one key. The larger `minValues` wins. */
export function intersect(a: Requirement, b: Requirement): Requirement {
  const complement = a.complement && b.complement;
  const lowest = larger(a.lowest, b.lowest);
  const highest = smaller(a.highest, b.highest);
  const minValues = larger(a.minValues, b.minValues);
  if (lowest !== undefined && highest !== undefined && lowest > highest) {
    return { ...anything(a.key), complement: false, minValues };
  }
  const inBounds = (value: string) => isWithin(value, lowest, highest);
  const values = new Set([...combineValues(a, b)].filter(inBounds));
  if (!complement) return { ...anything(a.key), complement, values, minValues };
  return { key: a.key, complement, values, lowest, highest, minValues };
}

/** Whether any value can meet both. Two complements with room between their bounds always count as overlapping. */
export function overlaps(a: Requirement, b: Requirement): boolean {
  const common = intersect(a, b);
  return common.complement || common.values.size > 0;
}

/** Whether a label with this value meets the requirement. */
export function admits(requirement: Requirement, value: string): boolean {
  return (
    requirement.values.has(value) !== requirement.complement && isWithin(value, requirement.lowest, requirement.highest)
  );
}

/** The shape of the set; a bounded requirement is `Exists`, or `NotIn` when it excludes values besides. */
export function operatorOf(requirement: Requirement): 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' {
  if (requirement.complement) return requirement.values.size > 0 ? 'NotIn' : 'Exists';
  return requirement.values.size > 0 ? 'In' : 'DoesNotExist';
}

/** Whether a Node without the label meets the requirement: decided by the operator, bounds aside, as upstream. */
export function admitsAbsence(requirement: Requirement): boolean {
  const operator = operatorOf(requirement);
  return operator === 'NotIn' || operator === 'DoesNotExist';
}

/** As messages print it: `key In [a b]`, at most five values, then bounds and minValues (spec 01 §9.2). */
export function formatRequirement(requirement: Requirement): string {
  const { key, values, lowest, highest, minValues } = requirement;
  let text = `${key} ${operatorOf(requirement)}`;
  if (values.size > 0) text += ` [${shorten([...values].sort()).join(' ')}]`;
  if (lowest !== undefined) text += ` >=${lowest}`;
  if (highest !== undefined) text += ` <=${highest}`;
  if (minValues !== undefined) text += ` minValues ${minValues}`;
  return text;
}

/**
 * The entries of a NodeClaim that say the same (spec 01 §9.4); `minValues` stands on each.
 * Excluded values within bounds get an entry of their own. Upstream loses them there, and so may launch a Node its
 * NodePool excludes; readers intersect entries of one key, so the extra entry is safe for all of them.
 */
export function toRequirementSpecs(requirement: Requirement): readonly RequirementSpec[] {
  const { key, complement, values, lowest, highest, minValues } = requirement;
  const specs: RequirementSpec[] = [];
  const add = (operator: string, listed?: readonly string[]) =>
    specs.push({ key, operator, ...(listed && { values: listed }), ...(minValues !== undefined && { minValues }) });
  if (lowest !== undefined) add('Gte', [String(lowest)]);
  if (highest !== undefined) add('Lte', [String(highest)]);
  if (values.size > 0) add(complement ? 'NotIn' : 'In', [...values].sort());
  else if (specs.length === 0) add(complement ? 'Exists' : 'DoesNotExist');
  return specs;
}

interface Bounds {
  readonly lowest?: bigint;
  readonly highest?: bigint;
}

const MAX_INT64 = 2n ** 63n - 1n;

/** Above the largest integer there is nothing: that requirement is empty. */
function withBounds(requirement: Requirement, bounds: Bounds): Requirement {
  if (bounds.lowest !== undefined && bounds.lowest > MAX_INT64) return { ...requirement, complement: false };
  return { ...requirement, ...bounds };
}

function toBound(text = ''): bigint {
  const value = parseInt64(text);
  if (value === 'invalid syntax') return 0n;
  if (value === 'value out of range') return text.startsWith('-') ? -MAX_INT64 - 1n : MAX_INT64;
  return value;
}

function isWithin(text: string, lowest: bigint | undefined, highest: bigint | undefined): boolean {
  if (lowest === undefined && highest === undefined) return true;
  const value = parseInt64(text);
  if (typeof value !== 'bigint') return false;
  return (lowest === undefined || value >= lowest) && (highest === undefined || value <= highest);
}

function combineValues(a: Requirement, b: Requirement): ReadonlySet<string> {
  if (a.complement) return b.complement ? a.values.union(b.values) : b.values.difference(a.values);
  return b.complement ? a.values.difference(b.values) : a.values.intersection(b.values);
}

function larger<T extends bigint | number>(a: T | undefined, b: T | undefined): T | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

function smaller<T extends bigint | number>(a: T | undefined, b: T | undefined): T | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

const PRINTED_VALUES = 5;

function shorten(values: readonly string[]): readonly string[] {
  if (values.length <= PRINTED_VALUES) return values;
  return [...values.slice(0, PRINTED_VALUES), `and ${values.length - PRINTED_VALUES} others`];
}
