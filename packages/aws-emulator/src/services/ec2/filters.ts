import type { Filter } from '@aws-sdk/client-ec2';
import { ApiError } from '../../wire/api-error.ts';
import { invalidValue } from './refusals.ts';
import type { Tags } from './tags.ts';

type Scalar = string | number | boolean | undefined;

/** What the filters of a call look at, by the name of the filter. One of several values is enough. */
export type Attributes<T> = Readonly<Record<string, (item: T) => Scalar | readonly Scalar[]>>;

const MOST_VALUES = 200;

/**
 * Whether an item passes all the filters. A filter is passed if one of its values matches: values are case-sensitive,
 * `*` stands for any text and `?` for any character. Throws an ApiError for a filter that the call does not know.
 */
export function filterOf<T>(
  filters: readonly Filter[] | undefined,
  attributes: Attributes<T>,
  tagsOf?: (item: T) => Tags,
): (item: T) => boolean {
  const checks = (filters ?? []).map((filter) => checkOf(filter, attributes, tagsOf));
  return (item) => checks.every((check) => check(item));
}

function checkOf<T>(
  { Name = '', Values = [] }: Filter,
  attributes: Attributes<T>,
  tagsOf?: (item: T) => Tags,
): (item: T) => boolean {
  if (Values.length > MOST_VALUES) {
    throw new ApiError('FilterLimitExceeded', `The maximum number of filter values specified on a single call is 200`);
  }
  const read = attributes[Name] ?? (tagsOf && tagAttribute(Name, tagsOf));
  if (read === undefined) throw invalidValue(`The filter '${Name}' is invalid`);
  const matches = matcherOf(Values);
  return (item) => {
    const values = read(item);
    return Array.isArray(values) ? values.some(matches) : matches(values as Scalar);
  };
}

function tagAttribute<T>(name: string, tagsOf: (item: T) => Tags): Attributes<T>[string] | undefined {
  if (name === 'tag-key') return (item) => [...tagsOf(item).keys()];
  if (name === 'tag-value') return (item) => [...tagsOf(item).values()];
  return name.startsWith('tag:') ? (item) => tagsOf(item).get(name.slice('tag:'.length)) : undefined;
}

function matcherOf(values: readonly string[]): (value: Scalar) => boolean {
  const exact = new Set(values.filter((value) => !/[*?\\]/.test(value)));
  const patterns = values.filter((value) => !exact.has(value)).map(patternOf);
  return (value) => {
    if (value === undefined) return false;
    const text = String(value);
    return exact.has(text) || patterns.some((pattern) => pattern.test(text));
  };
}

function patternOf(value: string): RegExp {
  const source = value.replace(/\\([*?\\])|[*?]|[.+^${}()|[\]\\]/g, (special, escaped: string | undefined) => {
    if (escaped !== undefined) return `\\${escaped}`;
    if (special === '*') return '.*';
    return special === '?' ? '.' : `\\${special}`;
  });
  return new RegExp(`^${source}$`, 's');
}
