/**
 * Called with each change after the cache has it, in order, one at a time. Should return at once, because it blocks all
 * others.
 */
export interface Handler<T> {
  /** `isInitial`: the object was there when the informer started, or when the handler was added. */
  onAdd?(object: T, isInitial: boolean): void;
  /** Also on resync, with the same object twice. */
  onUpdate?(old: T, object: T): void;
  /** With the last state known. */
  onDelete?(object: T): void;
}

/**
 * Handlers that are isolated from each other: one that throws, or whose promise rejects, is reported and affects no
 * other.
 */
export class Handlers<T> {
  // Wrapped, so that a handler that is added twice is called twice.
  readonly #all = new Set<{ readonly handler: Handler<T> }>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Calls the handler with the objects in `present` first. Returns a function that removes it. */
  add(handler: Handler<T>, present: Iterable<T>): () => void {
    const entry = { handler };
    for (const object of present) this.show(handler, object);
    this.#all.add(entry);
    return () => {
      this.#all.delete(entry);
    };
  }

  /** Calls one handler with an object that existed before. */
  show(handler: Handler<T>, object: T): void {
    this.#call(() => handler.onAdd?.(object, true));
  }

  added(object: T, isInitial: boolean): void {
    for (const { handler } of this.#all) this.#call(() => handler.onAdd?.(object, isInitial));
  }

  updated(old: T, object: T): void {
    for (const { handler } of this.#all) this.#call(() => handler.onUpdate?.(old, object));
  }

  deleted(object: T): void {
    for (const { handler } of this.#all) this.#call(() => handler.onDelete?.(object));
  }

  #call(run: () => unknown): void {
    try {
      const result = run();
      // The type says void, but an async function is accepted as well.
      if (result instanceof Promise) result.catch(this.#report);
    } catch (error) {
      this.#report(error);
    }
  }
}
