import type { EmulatorClock } from '../clock.ts';
import type { Place } from '../state/place.ts';

/** What a handler knows of the request beside its input. */
export interface Call {
  readonly operation: string;
  /** The account and the region that are called. */
  readonly place: Place;
  readonly accessKeyId: string;
  readonly requestId: string;
  readonly clock: EmulatorClock;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/** An answer as the SDK's types have it, without what the SDK adds. */
export type Answer<Output> = Omit<Output, '$metadata'>;

/** Carries out one operation. Throws an ApiError to refuse. */
export type Handler<Input, Output> = (input: Input, call: Call) => Answer<Output> | Promise<Answer<Output>>;

/** A handler of any operation. Its input comes from the wire, in the shape that AWS' model of the operation gives it. */
export type AnyHandler = (input: never, call: Call) => object | Promise<object>;

export type Handlers = Readonly<Record<string, AnyHandler>>;
