import { MINUTE, SECOND } from '../clock.ts';
import { type Call, Caller, type CallerOptions, type Target } from './caller.ts';
import {
  type ApiObject,
  apiVersionOf,
  type ObjectRef,
  resourceNameOf,
  resourcePath,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { type ListAnswer, listOf } from './list-answer.ts';
import { isGone, isNotFound } from './status-error.ts';
import { ConnectionError, type TransportResponse } from './transport.ts';
import { readEvents, type WatchEvent } from './watch-stream.ts';

/** The user agent. API servers write it to their audit logs, and use the part before the slash as field manager. */
export const userAgent = (version: string): string => `karpenter/${version}`;

/** Options of any call. */
export interface CallOptions {
  /** Milliseconds for one try, including its answer; 60 s by default. */
  readonly timeout?: number;
  /** How often to retry if the server asks for it; 10 by default. */
  readonly retries?: number;
}

export interface ReadOptions extends CallOptions {
  readonly subresource?: string;
}

export interface WriteOptions extends CallOptions {
  readonly subresource?: string;
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
}

export interface Selectors {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends CallOptions, Selectors {
  readonly pageSize?: number;
  readonly resourceVersion?: string;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The resource version of the whole list. */
  readonly resourceVersion: string;
  /**
   * True for the first page. It is also true if the list starts again because the server dropped the rest: earlier
   * pages are then invalid.
   */
  readonly start: boolean;
}

export interface WatchOptions extends Selectors {
  readonly resourceVersion?: string | undefined;
  /** Sends the existing objects first, as ADDED events followed by a bookmark. */
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  /** `drop` leaves `metadata.managedFields` out, which costs less than half. */
  readonly managedFields?: 'keep' | 'drop';
  /** How long the server keeps the watch open. The client closes it half a minute later. */
  readonly timeoutSeconds?: number;
}

/** A change to an object. `apply` takes what this field manager wants; `force` takes fields over from others. */
export type Patch =
  | { readonly type: 'json'; readonly body: readonly unknown[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: unknown }
  | { readonly type: 'apply'; readonly body: unknown; readonly force?: boolean };

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** The object is deleted only if it has this uid or resource version; otherwise the call is refused as a conflict. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml', // JSON is YAML
} as const;

const PAGE_SIZE = 100; // 500 holds the event loop three times as long for the same CPU time
const WATCH_GRACE = 30 * SECOND;
const WATCH_TIMEOUT = 60 * MINUTE; // the longest a server lets a watch run by default, for callers who name no time

export interface ServerTraits {
  /** Whether the server supports `sendInitialEvents`: on in Kubernetes 1.32, off in 1.33, on again from 1.34. */
  streamsLists: boolean;
}

/**
 * A client of the Kubernetes API. Objects are plain JSON as the server sent them. A refusal rejects with StatusError, a
 * failure to get an answer with ConnectionError, and a cancelled call with the signal's reason.
 */
export class Client {
  /** What was found out about the server, shared by all users of the client. */
  readonly learnt: ServerTraits = { streamsLists: true };
  readonly #caller: Caller;

  constructor(options: CallerOptions) {
    this.#caller = new Caller(options);
  }

  get<T extends ApiObject>(
    type: ResourceType,
    ref: ObjectRef,
    options: ReadOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#caller.call<T>({ method: 'GET', ...at(type, ref, options) }, signal);
  }

  /**
   * Lists all objects page by page. If the server drops the list half-way (410), it starts again, and the second time
   * without pages; `start` marks the first page.
   */
  async *list<T extends ApiObject>(
    type: ResourceType,
    options: ListOptions = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Page<T>> {
    for (let lost = 0; ; lost++) {
      const limit = lost < 2 ? String(options.pageSize ?? PAGE_SIZE) : undefined;
      let next: string | undefined;
      try {
        do {
          const start = next === undefined;
          const list = await this.#page(type, options, { limit, continue: next }, signal);
          if (next !== undefined && next === list.metadata.continue) {
            throw new ConnectionError(`the API server answered with the same page of ${resourceNameOf(type)} again`);
          }
          next = list.metadata.continue || undefined;
          yield { items: withType<T>(type, list.items), resourceVersion: list.metadata.resourceVersion, start };
        } while (next !== undefined);
        return;
      } catch (error) {
        if (next === undefined || !isGone(error)) throw error;
      }
    }
  }

  /** Returns the whole list with its resource version. */
  async listAll<T extends ApiObject>(
    type: ResourceType,
    options: ListOptions = {},
    signal?: AbortSignal,
  ): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }> {
    let items: T[] = [];
    let resourceVersion = '';
    for await (const page of this.list<T>(type, options, signal)) {
      if (page.start) items = [];
      for (const item of page.items) items.push(item); // a page may be too long to be spread over arguments
      resourceVersion = page.resourceVersion;
    }
    return { items, resourceVersion };
  }

  /**
   * Yields changes until the server ends the watch. Throws a StatusError if the server refuses or sends an ERROR event,
   * and a ConnectionError if the stream breaks.
   */
  async *watch<T extends ApiObject>(
    type: ResourceType,
    options: WatchOptions = {},
    signal?: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    for await (const batch of this.watchInBatches<T>(type, options, signal)) yield* batch;
  }

  /**
   * Like `watch`, but yields events that arrive together as one batch: awaiting each one costs more than handling it.
   */
  watchInBatches<T extends ApiObject>(
    type: ResourceType,
    options: WatchOptions = {},
    signal?: AbortSignal,
  ): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { timeoutSeconds } = options;
    const query = {
      watch: 'true',
      ...selectors(options),
      resourceVersion: options.resourceVersion,
      allowWatchBookmarks: flag(options.allowWatchBookmarks),
      timeoutSeconds: timeoutSeconds?.toString(),
      ...(options.sendInitialEvents ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : {}),
    };
    const timeout = timeoutSeconds === undefined ? WATCH_TIMEOUT : timeoutSeconds * SECOND + WATCH_GRACE;
    const path = resourcePath(type, { namespace: options.namespace });
    const read = (response: TransportResponse) => readEvents<T>(response, options.managedFields);
    return this.#caller.stream({ method: 'GET', path, query, target: { type } }, timeout, read, signal);
  }

  /**
   * Creates an object, or a subresource such as `eviction` of the object it names. A create without a name is not
   * retried after a server error, because it could create two objects.
   */
  create<T extends ApiObject>(
    type: ResourceType,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const { namespace, name } = object.metadata;
    const { subresource } = options;
    const place = subresource === undefined ? all(type, namespace, options) : at(type, { namespace, name }, options);
    const isRepeatable = subresource === undefined && name !== '';
    return this.#write<T>('POST', { ...place, isRepeatable, query: writeQuery(options) }, object, signal);
  }

  /** Replaces the object. Rejects with a conflict if its `resourceVersion` is not the current one. */
  update<T extends ApiObject>(
    type: ResourceType,
    object: T,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const place = at(type, object.metadata, options);
    return this.#write<T>('PUT', { ...place, query: writeQuery(options) }, object, signal);
  }

  patch<T extends ApiObject>(
    type: ResourceType,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
    signal?: AbortSignal,
  ): Promise<T> {
    const query = { ...writeQuery(options), ...(patch.type === 'apply' ? { force: flag(patch.force) } : {}) };
    const body = { contentType: PATCH_TYPES[patch.type], json: patch.body };
    const isRepeatable = patch.type !== 'json'; // one may append to a list, or test for what it has changed itself
    return this.#caller.call<T>({ method: 'PATCH', ...at(type, ref, options), query, body, isRepeatable }, signal);
  }

  /**
   * Resolves when the server has accepted the deletion. Finalizers and the grace period may keep the object for longer.
   */
  async delete(type: ResourceType, ref: ObjectRef, options: DeleteOptions = {}, signal?: AbortSignal): Promise<void> {
    const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun, timeout, retries } = options;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds,
      propagationPolicy,
      preconditions,
      ...(dryRun ? { dryRun: ['All'] } : {}),
    };
    await this.#write('DELETE', at(type, ref, { timeout, retries }), body, signal);
  }

  /** Reads a path that is not a resource, such as `/version`. */
  read<T>(path: string, options: CallOptions = {}, signal?: AbortSignal): Promise<T> {
    return this.#caller.call<T>({ method: 'GET', path, ...options }, signal);
  }

  /** Whether the server knows the kind: false until its CRD is installed. */
  async serves(type: ResourceType, signal?: AbortSignal): Promise<boolean> {
    const path = `${type.group === '' ? '/api' : '/apis'}/${apiVersionOf(type)}`;
    try {
      const { resources } = await this.read<{ resources: readonly { readonly name: string }[] }>(path, {}, signal);
      return resources.some((resource) => resource.name === type.plural);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #page(
    type: ResourceType,
    options: ListOptions,
    paging: { readonly limit: string | undefined; readonly continue: string | undefined },
    signal: AbortSignal | undefined,
  ): Promise<ListAnswer> {
    // A continue token carries its version: the server refuses both together.
    const resourceVersion = paging.continue === undefined ? options.resourceVersion : undefined;
    const query = { ...selectors(options), resourceVersion, ...paging };
    const call: Call = { method: 'GET', ...all(type, options.namespace, options), query };
    return listOf(await this.#caller.call<unknown>(call, signal), type);
  }

  #write<T>(method: 'POST' | 'PUT' | 'DELETE', call: Place, json: unknown, signal?: AbortSignal): Promise<T> {
    return this.#caller.call<T>({ ...call, method, body: { contentType: 'application/json', json } }, signal);
  }
}

type Place = Pick<Call, 'path' | 'query' | 'timeout' | 'retries' | 'isRepeatable'> & { readonly target: Target };

interface PlaceOptions {
  readonly subresource?: string | undefined;
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
}

function at(type: ResourceType, ref: ObjectRef, { subresource, timeout, retries }: PlaceOptions): Place {
  const target = { type, name: ref.name, subresource };
  return { path: resourcePath(type, ref, subresource), target, timeout, retries };
}

function all(type: ResourceType, namespace: string | undefined, { timeout, retries }: PlaceOptions): Place {
  return { path: resourcePath(type, { namespace }), target: { type }, timeout, retries };
}

function selectors({ labelSelector, fieldSelector }: Selectors): Record<string, string | undefined> {
  return { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined };
}

function writeQuery({ fieldManager, dryRun }: WriteOptions): Record<string, string | undefined> {
  return { fieldManager, dryRun: dryRun ? 'All' : undefined };
}

const flag = (value: boolean | undefined): string | undefined => (value ? 'true' : undefined);

/** The members of a list come without kind and version; with them they equal what a watch sends. */
function withType<T>(type: ResourceType, items: readonly object[] | null): T[] {
  const apiVersion = apiVersionOf(type);
  return (items ?? []).map((item) => ({ kind: type.kind, apiVersion, ...item }) as T);
}
