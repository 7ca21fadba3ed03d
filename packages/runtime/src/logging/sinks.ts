import { closeSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../clock.ts';

/** The outputs of the log. */
export interface Sinks {
  /** Writes to all sinks. If one fails, the error sinks are told, and the others still get the line. */
  readonly write: (line: string) => void;
  /** Closes the sinks that are files. */
  readonly close: () => void;
}

/** A stream of this process, such as `process.stdout`. */
export interface OutputStream {
  write(text: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The sinks to open. */
export interface SinkSettings {
  /** Each is `stdout`, `stderr`, a path or a `file:` URL. Files are appended to. */
  readonly paths: readonly string[];
  /** Sinks for failures to write to `paths`, in the same notation. */
  readonly errorPaths: readonly string[];
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
}

/** Opens all sinks. Throws if one cannot be opened: running without logs is worse than not starting. */
export function openSinks(settings: SinkSettings): Sinks {
  const errors = openAll(settings.errorPaths, settings, () => undefined);
  const sinks = openAll(settings.paths, settings, (error) => {
    errors.write(`${new Date(settings.clock.now()).toISOString()} write error: ${error.message}\n`);
  });
  return {
    write: sinks.write,
    close: () => {
      sinks.close();
      errors.close();
    },
  };
}

type Streams = Pick<SinkSettings, 'stdout' | 'stderr'>;

function openAll(paths: readonly string[], streams: Streams, onError: (error: Error) => void): Sinks {
  const files: number[] = [];
  const writers = paths.map((path): ((line: string) => void) => {
    if (path === 'stdout' || path === 'stderr') {
      const stream = streams[path];
      stream.on('error', onError); // without a listener, a reader that closes the pipe would end the process
      return (line) => stream.write(line);
    }
    const file = openFile(path);
    files.push(file);
    return (line) => writeSync(file, line);
  });
  return {
    write: (line) => {
      for (const write of writers) attempt(() => write(line), onError);
    },
    close: () => files.forEach((file) => closeSync(file)),
  };
}

function openFile(path: string): number {
  try {
    return openSync(filePath(path), 'a', 0o666);
  } catch (cause) {
    throw new Error(`couldn't open sink ${JSON.stringify(path)}`, { cause });
  }
}

function filePath(path: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(path)?.[1]?.toLowerCase();
  if (scheme === undefined) return path;
  if (scheme !== 'file') throw new Error(`no sink found for scheme ${JSON.stringify(scheme)}`);
  return fileURLToPath(path);
}

function attempt(write: () => void, onError: (error: Error) => void): void {
  try {
    write();
  } catch (error) {
    onError(error as Error);
  }
}
