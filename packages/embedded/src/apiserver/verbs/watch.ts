import { type Cancel, type Clock, MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { Random } from '../identity.ts';
import { type ApiError, expired } from '../status.ts';
import type { Change } from '../storage/change-log.ts';
import type { Collection } from '../storage/collection.ts';
import type { Entry, EventType } from '../storage/entry.ts';
import type { Store } from '../storage/store.ts';
import { parseVersion } from './list.ts';
import type { ListOptions } from './options.ts';
import type { Selection } from './selection.ts';

/** How a watch shows what it has to say: each event as an item, and what is sent together in one piece. */
export interface Presentation<Item, Piece> {
  event(type: EventType, state: Entry): Item;
  /** An object that was there before, as it left the selection: under the version with which it did. */
  departure(before: Entry, resourceVersion: string): Item;
  bookmark(resourceVersion: string, endsInitialEvents: boolean): Item;
  error(error: ApiError): Item;
  /** About how many bytes an event of this state has. */
  sizeOf(state: Entry): number;
  join(items: Item[]): Piece;
}

/** What a watch is made from. */
export interface WatchRequest<Item, Piece> {
  readonly store: Store;
  readonly collection: Collection;
  readonly selection: Selection;
  readonly options: ListOptions;
  readonly presentation: Presentation<Item, Piece>;
  readonly clock: Clock;
  readonly random: Random;
}

const BOOKMARK_EVERY = 1 * MINUTE;
/** A reader that is behind takes events in pieces of about this size, and we build no more than one ahead of it. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The changes of a collection, piece by piece, until its time is up, its reader is gone, or changes it has yet to send
 * are forgotten. It holds a place in the log and no queue of its own: a slow reader costs nothing.
 */
export class Watch<Piece, Item = unknown> {
  readonly body: AsyncIterable<Piece>;
  readonly #request: WatchRequest<Item, Piece>;
  readonly #initial: readonly Entry[]; // what was there when it began
  readonly #begunAt: number; // the revision of that: changes after it are sent behind the bookmark that ends it
  #initialSent = 0;
  #place: number; // of the next change to look at
  #taken = 0; // bytes of what is in the piece under way
  #error: ApiError | undefined;
  #isInitialEndDue: boolean;
  #isBookmarkDue = false;
  #isOver = false; // nothing will be added to what is due
  #isDiscarded = false;
  #wake: (() => void) | undefined;

  constructor(request: WatchRequest<Item, Piece>, signal?: AbortSignal) {
    const { collection, selection, options } = request;
    const { log } = collection;
    const { sendInitialEvents } = options;
    const asked = sendInitialEvents ? 0 : parseVersion(options.resourceVersion);
    this.#request = request;
    this.#begunAt = request.store.revision;
    this.#initial = sendInitialEvents
      ? Array.from(collection.range(selection.prefix)).filter((entry) => selection.matches(entry))
      : [];
    this.#isInitialEndDue = sendInitialEvents && options.bookmarks;
    this.#place = asked === 0 ? log.end : log.placeAfter(asked);
    if (asked > 0 && asked < log.horizon) this.#error = tooOld(asked, log.horizon);
    this.body = this.#run(signal);
  }

  /** Ends the watch at once. */
  discard(): void {
    this.#isDiscarded = true;
    this.#wake?.();
  }

  async *#run(signal: AbortSignal | undefined): AsyncGenerator<Piece> {
    const { presentation } = this.#request;
    const end = this.#begin(signal);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const items = this.#isDiscarded ? [] : this.#take();
        if (items.length > 0) yield presentation.join(items);
        else if (this.#isOver || this.#isDiscarded) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      end();
    }
  }

  /** Sets off what wakes the watch; the answer takes it all back. */
  #begin(signal: AbortSignal | undefined): () => void {
    const { collection, clock, options } = this.#request;
    const wake = (): void => this.#wake?.();
    const cancels = [collection.listen(wake), clock.after(this.#duration(), () => this.#finish())];
    if (options.bookmarks) cancels.push(every(clock, BOOKMARK_EVERY, () => this.#remind()));
    signal?.addEventListener('abort', wake);
    return () => {
      for (const cancel of cancels) cancel();
      signal?.removeEventListener('abort', wake);
    };
  }

  #remind(): void {
    this.#isBookmarkDue = true;
    this.#wake?.();
  }

  /** The last bookmark lets the client go on from here. */
  #finish(): void {
    this.#isOver = true;
    this.#isBookmarkDue = this.#request.options.bookmarks;
    this.#wake?.();
  }

  /** Half an hour to an hour when the client names no time, so that not all come back at once. */
  #duration(): number {
    const { options, random } = this.#request;
    return options.timeoutSeconds ? options.timeoutSeconds * SECOND : 30 * MINUTE * (1 + random());
  }

  #take(): Item[] {
    const items: Item[] = [];
    this.#taken = 0;
    for (const item of this.#due()) {
      items.push(item);
      if (this.#taken >= CHUNK_BYTES) break;
    }
    return items;
  }

  /** The items that can be sent now. What was taken does not come again; what was not, does. */
  *#due(): Generator<Item> {
    const { presentation, collection, store } = this.#request;
    const { log } = collection;
    while (this.#initialSent < this.#initial.length) {
      const entry = this.#initial[this.#initialSent++]!;
      this.#taken += presentation.sizeOf(entry);
      yield presentation.event('ADDED', entry);
    }
    if (this.#isInitialEndDue) {
      this.#isInitialEndDue = false;
      yield presentation.bookmark(String(this.#begunAt), true);
    }
    if (!log.reaches(this.#place)) this.#error = tooOld(this.#place, log.horizon);
    while (this.#place < log.end && this.#error === undefined) {
      const change = log.at(this.#place++)!;
      const item = this.#itemFor(change);
      if (item === undefined) continue;
      this.#taken += presentation.sizeOf(change.state);
      yield item;
    }
    if (this.#error !== undefined && !this.#isOver) {
      this.#isOver = true;
      yield presentation.error(this.#error);
    } else if (this.#isBookmarkDue) {
      this.#isBookmarkDue = false;
      yield presentation.bookmark(String(store.revision), false); // every change up to it has been sent
    }
  }

  /** What a change means to those who see only the selection: an object may enter or leave it without being written. */
  #itemFor({ before, after, state, revision }: Change): Item | undefined {
    const { presentation, selection } = this.#request;
    const { key } = (after ?? before)!;
    if (!key.startsWith(selection.prefix)) return undefined;
    const wasSeen = before !== undefined && selection.matches(before);
    const isSeen = after !== undefined && selection.matches(after);
    if (isSeen && before === undefined) return presentation.event('ADDED', state);
    if (isSeen) return wasSeen ? presentation.event('MODIFIED', state) : presentation.event('ADDED', state);
    if (!wasSeen) return undefined;
    if (after === undefined) return presentation.event('DELETED', state);
    return presentation.departure(before, String(revision));
  }
}

const tooOld = (asked: number, horizon: number): ApiError => expired(`too old resource version: ${asked} (${horizon})`);

function every(clock: Clock, interval: number, run: () => void): Cancel {
  let cancel = (): void => {};
  const arm = (): void => {
    cancel = clock.after(interval, () => {
      arm();
      run();
    });
  };
  arm();
  return () => cancel();
}
