import type { Instant } from '../clock.ts';

/** Log levels, lowest first. There is no `warn`, because upstream has none. */
export type Level = 'debug' | 'info' | 'error';

/** The variable parts of a line, by key. Values may be anything that JSON can hold; `undefined` leaves the key out. */
export type Fields = Readonly<Record<string, unknown>>;

/** The content of a line. */
export interface LogEntry {
  readonly level: Level;
  readonly time: Instant;
  readonly logger: string;
  readonly caller: string | undefined;
  readonly message: string;
  readonly fields: Fields;
  /** `undefined` or `null` for a line without an error. */
  readonly error: unknown;
}
