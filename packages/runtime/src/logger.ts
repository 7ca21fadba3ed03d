import type { Clock } from './clock.ts';
import { consoleLine } from './logging/console-line.ts';
import { jsonLine } from './logging/json-line.ts';
import type { Fields, Level, LogEntry } from './logging/log-entry.ts';
import { Sampler } from './logging/sampler.ts';
import { errorValues } from './logging/structured-error.ts';
import { defineCounter } from './metrics/definition.ts';
import type { Metrics } from './metrics/registry.ts';

/**
 * Writes lines. The message is a fixed phrase people search for; everything that varies is a field. Logging never
 * throws and never waits.
 */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  /** `error` comes last on the line as text; facts attached to it (`StructuredError`) become fields before it. */
  error(message: string, error?: unknown, fields?: Fields): void;
  /** A logger whose lines all carry these fields too, before those of the call; a key of both has the call's value. */
  with(fields: Fields): Logger;
  /** A logger of a part: `controller` becomes `controller.<suffix>`. */
  named(suffix: string): Logger;
  /** Whether a line of this level would be written: for fields that cost something to make. */
  isEnabled(level: Level): boolean;
}

/** The logger all others derive from. */
export interface RootLogger extends Logger {
  /** Changes the level of this logger and of all derived from it, at once. */
  setLevel(level: Level): void;
}

/** How and where to log. */
export interface LoggerSettings {
  readonly level: Level;
  readonly clock: Clock;
  /** Takes whole lines, each with its newline. See `openSinks`. */
  readonly write: (line: string) => void;
  readonly format: 'json' | 'console';
  /** Colours for `console`; off if not given. */
  readonly hasColors?: boolean;
  /** Counts the lines that sampling drops. */
  readonly metrics?: Metrics;
}

const droppedLines = defineCounter(
  'karpenter_log_lines_dropped_total',
  ['level'],
  'Log lines dropped because equal ones came too fast.',
);

/** A logger named `controller`, with the lines of spec 05 §6.1. */
export function createLogger(settings: LoggerSettings): RootLogger {
  return new LineLogger(new Output(settings), 'controller', {});
}

/** Says nothing. */
export const nullLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  with: () => nullLogger,
  named: () => nullLogger,
  isEnabled: () => false,
};

/** Adds the revision this program was built from to every line, or says once that it is not known. */
export function withCommit(logger: Logger, revision: string | undefined): Logger {
  if (revision !== undefined) return logger.with({ commit: revision });
  logger.info('Unable to read vcs.revision from binary');
  return logger;
}

const SEVERITY = { debug: 0, info: 1, error: 2 } as const satisfies Record<Level, number>;

/** What a family of loggers shares: the level, the sampling and where lines go. */
class Output {
  level: Level;
  readonly #settings: LoggerSettings;
  readonly #sampler = new Sampler();
  readonly #render: (entry: LogEntry) => string;

  constructor(settings: LoggerSettings) {
    this.level = settings.level;
    this.#settings = settings;
    const hasColors = settings.hasColors ?? false;
    this.#render = settings.format === 'json' ? jsonLine : (entry) => consoleLine(entry, hasColors);
  }

  write(entry: Omit<LogEntry, 'time' | 'caller'>): void {
    const { clock, metrics, write } = this.#settings;
    const time = clock.now();
    if (!this.#sampler.admits(entry.level, entry.message, time)) {
      metrics?.increment(droppedLines, { level: entry.level });
      return;
    }
    write(this.#render({ ...entry, time, caller: this.level === 'debug' ? findCaller() : undefined }));
  }
}

class LineLogger implements RootLogger {
  readonly #output: Output;
  readonly #name: string;
  readonly #context: Fields;

  constructor(output: Output, name: string, context: Fields) {
    this.#output = output;
    this.#name = name;
    this.#context = context;
  }

  debug(message: string, fields?: Fields): void {
    if (this.isEnabled('debug')) this.#write('debug', message, fields);
  }

  info(message: string, fields?: Fields): void {
    if (this.isEnabled('info')) this.#write('info', message, fields);
  }

  error(message: string, error?: unknown, fields?: Fields): void {
    this.#write('error', message, { ...fields, ...errorValues(error) }, error);
  }

  with(fields: Fields): Logger {
    return new LineLogger(this.#output, this.#name, { ...this.#context, ...fields });
  }

  named(suffix: string): Logger {
    return new LineLogger(this.#output, `${this.#name}.${suffix}`, this.#context);
  }

  isEnabled(level: Level): boolean {
    return SEVERITY[level] >= SEVERITY[this.#output.level];
  }

  setLevel(level: Level): void {
    this.#output.level = level;
  }

  #write(level: Level, message: string, fields: Fields | undefined, error?: unknown): void {
    const logger = this.#name;
    this.#output.write({ level, logger, message, fields: { ...this.#context, ...fields }, error });
  }
}

/** Frames of this file above the one that logged: findCaller, Output.write, #write, and debug, info or error. */
const OWN_FRAMES = 4;

/** `dir/file:line` of whoever called debug, info or error. Costs some microseconds: for the debug level only. */
function findCaller(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = OWN_FRAMES + 1;
  const frame = new Error().stack?.split('\n').at(OWN_FRAMES + 1);
  Error.stackTraceLimit = stackTraceLimit;
  return frame?.match(/([^/\\(]+[/\\][^/\\]+:\d+):\d+\)?$/)?.[1];
}
