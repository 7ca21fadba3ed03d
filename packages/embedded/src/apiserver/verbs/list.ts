import { goQuote, type JsonObject } from '@karpenter-ts/kubernetes';
import { ApiError, badRequest, expired, tooLargeVersion } from '../status.ts';
import type { Collection } from '../storage/collection.ts';
import type { Entry } from '../storage/entry.ts';
import type { Store } from '../storage/store.ts';
import { decodeToken, encodeToken, OLD_TOKEN } from './continue-token.ts';
import type { ListOptions } from './options.ts';
import type { Selection } from './selection.ts';

/** A page of a list, and what its metadata says. */
export interface ListPage {
  readonly entries: readonly Entry[];
  readonly metadata: JsonObject;
}

/** Returns a page of a collection, in its current or an earlier state. Throws an ApiError. */
export function listPage(store: Store, collection: Collection, selection: Selection, options: ListOptions): ListPage {
  const limit = options.resourceVersion === '0' ? 0 : options.limit; // who takes any version gets all of it
  const { revision, from } = startOf(store, collection, selection.prefix, options);
  const isNow = revision === store.revision;
  const range = isNow ? collection.range(selection.prefix, from) : collection.rangeAt(revision, selection.prefix, from);
  const entries: Entry[] = [];
  let remaining = 0;
  for (const entry of range) {
    if (limit > 0 && entries.length === limit) remaining++;
    else if (selection.matches(entry)) entries.push(entry);
  }
  const resourceVersion = String(revision);
  if (remaining === 0) return { entries, metadata: { resourceVersion } };
  const token = encodeToken({ revision, from: `${entries.at(-1)!.key}\0` }, selection.prefix);
  const count = selection.isWhole ? { remainingItemCount: remaining } : {}; // of the rest, not all may match
  return { entries, metadata: { resourceVersion, continue: token, ...count } };
}

interface Start {
  readonly revision: number;
  /** The first key is at or after it. */
  readonly from: string;
}

function startOf(store: Store, collection: Collection, prefix: string, options: ListOptions): Start {
  if (options.continue !== '') return resume(store, collection, prefix, options);
  const { resourceVersion, match, limit } = options;
  const asked = parseVersion(resourceVersion);
  if (asked > store.revision) throw tooLargeVersion(asked, store.revision);
  const isExact = match === 'Exact' || (match === '' && limit > 0 && asked > 0);
  if (!isExact) return { revision: store.revision, from: prefix };
  if (asked < collection.log.horizon) throw expired('The resourceVersion for the provided list is too old.');
  return { revision: asked, from: prefix };
}

function resume(store: Store, collection: Collection, prefix: string, options: ListOptions): Start {
  const { revision, from } = decodeToken(options.continue, prefix);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (revision < 0) return { revision: store.revision, from }; // he knows that the list is no longer whole
  if (revision >= collection.log.horizon && revision <= store.revision) return { revision, from };
  throw new ApiError(410, 'Expired', OLD_TOKEN, undefined, { continue: encodeToken({ revision: -1, from }, prefix) });
}

/** Parses a resource version; '' is 0. Throws an ApiError. */
export function parseVersion(text: string): number {
  if (text === '') return 0;
  if (/^\d{1,20}$/.test(text)) return Number(text);
  const problem = `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`;
  throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${goQuote(text)}: ${problem}`);
}
