import type { Instant } from '../clock.ts';

/** How much a line matters, least first. There is no `warn`: upstream has none. */
export type Level = 'debug' | 'info' | 'error';

/** What varies about a line, by key. A value may be anything that JSON can hold; `undefined` leaves the key out. */
export type Fields = Readonly<Record<string, unknown>>;

/** Everything a line says. */
export interface LogEntry {
  readonly level: Level;
  readonly time: Instant;
  readonly logger: string;
  readonly caller: string | undefined;
  readonly message: string;
  readonly fields: Fields;
  /** Nothing if `undefined` or `null`. */
  readonly error: unknown;
}
