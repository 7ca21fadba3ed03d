import type { Filter } from '@aws-sdk/client-ec2';
import { ApiError } from '../../wire/api-error.ts';
import { type Attributes, filterOf } from './filters.ts';
import { invalidValue } from './refusals.ts';
import type { Tags } from './tags.ts';

/** How a call lists things. */
export interface Listing<T> {
  readonly attributes: Attributes<T>;
  readonly tagsOf?: (item: T) => Tags;
  /** A number that only this item has and that never changes: pages continue after it. */
  readonly orderOf: (item: T) => number;
  /** What MaxResults may be. Without it everything is one page. */
  readonly pageSize: { readonly least: number; readonly most: number };
}

export interface ListInput {
  readonly Filters?: readonly Filter[] | undefined;
  readonly MaxResults?: number | undefined;
  readonly NextToken?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly NextToken?: string;
}

/**
 * A page of the items that pass the filters, in their order. What is created or deleted between two pages moves nothing
 * else from one page to another. Throws an ApiError for parameters that EC2 would not take.
 */
export function listPage<T>(listing: Listing<T>, items: Iterable<T>, input: ListInput): Page<T> {
  const { attributes, tagsOf, orderOf, pageSize } = listing;
  checkPageSize(input.MaxResults, pageSize);
  const after = readToken(input.NextToken);
  const passes = filterOf(input.Filters, attributes, tagsOf);
  const found = [...items].filter((item) => orderOf(item) > after && passes(item));
  found.sort((a, b) => orderOf(a) - orderOf(b));
  const size = input.MaxResults ?? (input.NextToken === undefined ? found.length : pageSize.most);
  if (found.length <= size) return { items: found };
  const page = found.slice(0, size);
  return { items: page, NextToken: writeToken(orderOf(page.at(-1)!)) };
}

function checkPageSize(size: number | undefined, { least, most }: Listing<never>['pageSize']): void {
  if (size === undefined || (size >= least && size <= most)) return;
  throw invalidValue(
    `Value ( ${size} ) for parameter maxResults is invalid. Expecting a value between ${least} and ${most}.`,
  );
}

/** EC2 does not page through what was named. */
export function refusePagingThroughIds(
  ids: readonly string[] | undefined,
  { MaxResults }: ListInput,
  parameter: string,
): void {
  if (ids === undefined || ids.length === 0 || MaxResults === undefined) return;
  throw new ApiError(
    'InvalidParameterCombination',
    `The parameter ${parameter} cannot be used with the parameter maxResults`,
  );
}

export function writeToken(position: number): string {
  return Buffer.from(`page:${position}`).toString('base64url');
}

/** The position that a token stands for; before the first item without a token. */
export function readToken(token: string | undefined): number {
  if (token === undefined || token === '') return -1;
  const match = /^page:(\d+)$/.exec(Buffer.from(token, 'base64url').toString());
  if (match === null) throw new ApiError('InvalidNextToken', 'The specified NextToken is not valid.');
  return Number(match[1]);
}
