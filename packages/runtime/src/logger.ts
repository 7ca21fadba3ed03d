import type { Clock } from './clock.ts';
import { consoleLine } from './logging/console-line.ts';
import { jsonLine } from './logging/json-line.ts';
import type { Fields, Level, LogEntry } from './logging/log-entry.ts';
import { Sampler } from './logging/sampler.ts';
import { errorValues } from './logging/structured-error.ts';
import { defineCounter } from './metrics/definition.ts';
import type { Metrics } from './metrics/registry.ts';

/**
 * Writes log lines. The message is a fixed phrase that people search for; everything that varies is a field. Logging
 * never throws and never waits.
 */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  /** `error` is written as text at the end of the line. The values of a `StructuredError` become fields before it. */
  error(message: string, error?: unknown, fields?: Fields): void;
  /**
   * A logger that adds these fields to all lines, before the fields of the call. If both have a key, the value of the
   * call counts.
   */
  with(fields: Fields): Logger;
  /** A logger for a component: `controller` becomes `controller.<suffix>`. */
  named(suffix: string): Logger;
  /** Whether a line of this level would be written. Ask before computing expensive fields. */
  isEnabled(level: Level): boolean;
}

/** The logger that all others derive from. */
export interface RootLogger extends Logger {
  /** Changes the level of this logger and of all loggers derived from it. */
  setLevel(level: Level): void;
}

/** The level, the format and the output of a logger. */
export interface LoggerSettings {
  readonly level: Level;
  readonly clock: Clock;
  /** Receives whole lines, each with its newline. See `openSinks`. */
  readonly write: (line: string) => void;
  readonly format: 'json' | 'console';
  /** Whether the `console` format uses colours; false by default. */
  readonly hasColors?: boolean;
  /** Counts the lines that sampling drops. */
  readonly metrics?: Metrics;
}

const droppedLines = defineCounter(
  'karpenter_log_lines_dropped_total',
  ['level'],
  'Log lines dropped because equal ones came too fast.',
);

/** The logger named `controller`, which writes lines as in spec 05 §6.1. */
export function createLogger(settings: LoggerSettings): RootLogger {
  return new LineLogger(new Output(settings), 'controller', {});
}

/** A logger that writes nothing. */
export const nullLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  with: () => nullLogger,
  named: () => nullLogger,
  isEnabled: () => false,
};

/** Adds the commit this program was built from to every line. If it is unknown, logs that once. */
export function withCommit(logger: Logger, revision: string | undefined): Logger {
  if (revision !== undefined) return logger.with({ commit: revision });
  logger.info('Unable to read vcs.revision from binary');
  return logger;
}

const SEVERITY = { debug: 0, info: 1, error: 2 } as const satisfies Record<Level, number>;

/** What all derived loggers share: the level, the sampler and the output. */
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

/**
 * The number of stack frames in this file above the caller: findCaller, Output.write, #write, and debug, info or error.
 */
const OWN_FRAMES = 4;

/**
 * `dir/file:line` of the caller of debug, info or error. Takes some microseconds, so it is used at the debug level
 * only.
 */
function findCaller(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = OWN_FRAMES + 1;
  const frame = new Error().stack?.split('\n').at(OWN_FRAMES + 1);
  Error.stackTraceLimit = stackTraceLimit;
  return frame?.match(/([^/\\(]+[/\\][^/\\]+:\d+):\d+\)?$/)?.[1];
}
