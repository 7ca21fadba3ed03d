import { Readable } from 'node:stream';
import type { Io } from './io.ts';

/** What a command wrote and how it ended. */
export interface RecordedIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
}

/** An `Io` that keeps what is written; `input` is its standard input. */
export function recordingIo(input = ''): RecordedIo {
  const written = { out: '', err: '' };
  return {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: { write: (text: string) => Boolean((written.out += text)) },
    stderr: { write: (text: string) => Boolean((written.err += text)) },
    hasColors: false,
    unwritable: new AbortController().signal,
    exitCode: 0,
    out: () => written.out,
    err: () => written.err,
  };
}
