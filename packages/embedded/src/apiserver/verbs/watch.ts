import { type Cancel, type Clock, MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { Random } from '../identity.ts';
import { type ApiError, expired } from '../status.ts';
import type { Change } from '../storage/change-log.ts';
import type { Collection, Entry, EventType } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';
import { parseVersion } from './list.ts';
import type { ListOptions } from './options.ts';
import type { Selection } from './selection.ts';

/** How a watch shows what it has to say; each answer is a whole line. */
export interface Presentation {
  /** `line` is the one made with the change, for whoever shows stored bytes as they are. */
  event(type: EventType, json: Buffer, line?: Buffer): Buffer;
  /** An object that was there before, as it left the selection: under the version with which it did. */
  departure(json: Buffer, resourceVersion: string): Buffer;
  bookmark(resourceVersion: string, endsInitialEvents: boolean): Buffer;
  error(error: ApiError): Buffer;
}

/** What a watch is made from. */
export interface WatchRequest {
  readonly store: Store;
  readonly collection: Collection;
  readonly selection: Selection;
  readonly options: ListOptions;
  readonly presentation: Presentation;
  readonly clock: Clock;
  readonly random: Random;
}

const BOOKMARK_EVERY = 1 * MINUTE;
/** A reader that is behind takes events in pieces of about this size, and we build no more than one ahead of it. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The changes of a collection, line by line, until its time is up, its reader is gone, or changes it has yet to send
 * are forgotten. It holds a place in the log and no queue of its own: a slow reader costs nothing.
 */
export class Watch {
  readonly body: AsyncIterable<Buffer>;
  readonly #request: WatchRequest;
  readonly #initial: readonly Entry[]; // what was there when it began
  #initialSent = 0;
  #place: number; // of the next change to look at
  #error: ApiError | undefined;
  #isInitialEndDue: boolean;
  #isBookmarkDue = false;
  #isOver = false; // nothing will be added to what is due
  #isDiscarded = false;
  #wake: (() => void) | undefined;

  constructor(request: WatchRequest, signal?: AbortSignal) {
    const { collection, selection, options } = request;
    const { log } = collection;
    const { sendInitialEvents } = options;
    const asked = sendInitialEvents ? 0 : parseVersion(options.resourceVersion);
    this.#request = request;
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

  async *#run(signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    const end = this.#begin(signal);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const lines = this.#isDiscarded ? [] : this.#take();
        if (lines.length > 0) yield lines.length === 1 ? lines[0]! : Buffer.concat(lines);
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

  #take(): Buffer[] {
    const lines: Buffer[] = [];
    let bytes = 0;
    for (const line of this.#due()) {
      lines.push(line);
      bytes += line.length;
      if (bytes >= CHUNK_BYTES) break;
    }
    return lines;
  }

  /** The lines that can be sent now. What was taken does not come again; what was not, does. */
  *#due(): Generator<Buffer> {
    const { presentation, collection, store } = this.#request;
    const { log } = collection;
    while (this.#initialSent < this.#initial.length) {
      yield presentation.event('ADDED', this.#initial[this.#initialSent++]!.json);
    }
    if (this.#isInitialEndDue) {
      this.#isInitialEndDue = false;
      yield presentation.bookmark(String(store.revision), true);
    }
    if (!log.reaches(this.#place)) this.#error = tooOld(this.#place, log.horizon);
    while (this.#place < log.end && this.#error === undefined) {
      const line = this.#lineFor(log.at(this.#place++)!);
      if (line !== undefined) yield line;
    }
    if (this.#error !== undefined && !this.#isOver) {
      this.#isOver = true;
      yield presentation.error(this.#error);
    } else if (this.#isBookmarkDue) {
      this.#isBookmarkDue = false;
      yield presentation.bookmark(String(store.revision), false);
    }
  }

  /** What a change means to those who see only the selection: an object may enter or leave it without being written. */
  #lineFor({ before, after, json, line, revision }: Change): Buffer | undefined {
    const { presentation, selection } = this.#request;
    const { key } = (after ?? before)!;
    if (!key.startsWith(selection.prefix)) return undefined;
    const wasSeen = before !== undefined && selection.matches(before);
    const isSeen = after !== undefined && selection.matches(after);
    if (isSeen && before === undefined) return presentation.event('ADDED', json, line);
    if (isSeen) return wasSeen ? presentation.event('MODIFIED', json, line) : presentation.event('ADDED', json);
    if (!wasSeen) return undefined;
    if (after === undefined) return presentation.event('DELETED', json, line);
    return presentation.departure(before.json, String(revision));
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
