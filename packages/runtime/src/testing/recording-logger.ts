import type { Logger } from '../logger.ts';
import { errorText } from '../logging/error-text.ts';
import type { Fields, Level } from '../logging/log-entry.ts';
import { errorValues } from '../logging/structured-error.ts';

/** A log line for assertions: the fields of logger and call merged, the error as text. */
export interface RecordedLine {
  readonly level: Level;
  readonly logger: string;
  readonly message: string;
  readonly fields: Fields;
  readonly error?: string;
}

/** A logger that records every line of every level; derived loggers share `lines`. */
export interface RecordingLogger extends Logger {
  readonly lines: readonly RecordedLine[];
}

/** A new recording logger, named `controller`. */
export function recordingLogger(): RecordingLogger {
  const lines: RecordedLine[] = [];
  const derive = (logger: string, context: Fields): RecordingLogger => {
    const record = (level: Level, message: string, fields: Fields | undefined, error?: string): void => {
      lines.push({
        level,
        logger,
        message,
        fields: { ...context, ...fields },
        ...(error === undefined ? {} : { error }),
      });
    };
    return {
      lines,
      debug: (message, fields) => record('debug', message, fields),
      info: (message, fields) => record('info', message, fields),
      error: (message, error, fields) =>
        error === undefined
          ? record('error', message, fields)
          : record('error', message, { ...fields, ...errorValues(error) }, errorText(error)),
      with: (fields) => derive(logger, { ...context, ...fields }),
      named: (suffix) => derive(`${logger}.${suffix}`, context),
      isEnabled: () => true,
    };
  };
  return derive('controller', {});
}
