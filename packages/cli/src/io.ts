import { open, readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** What a command may touch of the outside: tests hand in their own. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Pick<Writable, 'write'>;
  readonly stderr: Pick<Writable, 'write'>;
  /** Whether a person sees what is written to `stdout`, in colours. */
  readonly hasColors: boolean;
  /** Aborted when output cannot be written any more: what runs until it is stopped stops then. */
  readonly unwritable: AbortSignal;
  /** Set rather than exit, so that pipes drain: 0 done, 1 found problems, 2 wrong usage. */
  exitCode: number;
}

/**
 * The process's own streams. A reader that has gone away is no failure, and nothing is said about it; any other error of
 * writing is told in one line, and the exit code is then never 0.
 */
export function processIo(): Io {
  const { stdin, stdout, stderr } = process;
  const unwritable = new AbortController();
  let leastExitCode = 0;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (unwritable.signal.aborted) return;
      unwritable.abort(error);
      if (isReaderGone(error, stream.isTTY)) return;
      leastExitCode = 1;
      process.exitCode = Math.max(Number(process.exitCode ?? 0), leastExitCode);
      stderr.write(`karpenter: the output cannot be written: ${error.message}\n`);
    });
  }
  return {
    stdin,
    stdout,
    stderr,
    hasColors: stdout.isTTY && stdout.hasColors(), // heeds NO_COLOR and its like
    unwritable: unwritable.signal,
    get exitCode() {
      return Number(process.exitCode ?? 0);
    },
    set exitCode(code) {
      process.exitCode = Math.max(code, leastExitCode);
    },
  };
}

/** A terminal that was closed answers EIO, which of a file means a broken disk. */
function isReaderGone({ code }: NodeJS.ErrnoException, isTerminal: boolean): boolean {
  return code === 'EPIPE' || code === 'ECONNRESET' || (code === 'EIO' && isTerminal);
}

/** A file's text, or why there is none. */
export type ReadFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly problem: string };

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/**
 * Reads manifests: files as they are, folders with all YAML and JSON below them in order of name, `-` from standard
 * input. Nothing beyond `limitBytes` is read into memory.
 */
export async function readManifests(
  io: Io,
  names: readonly string[],
  limitBytes: number,
): Promise<readonly ReadFile[]> {
  const files = await Promise.all(names.map(listFiles));
  const read: ReadFile[] = [];
  for (const name of files.flat()) {
    read.push(name === '-' ? await readStream(io.stdin, limitBytes) : await readOne(name, limitBytes));
  }
  return read;
}

async function listFiles(name: string): Promise<readonly string[]> {
  if (name === '-') return [name];
  const found = await stat(name).catch(() => undefined);
  if (!found?.isDirectory()) return [name];
  const entries = await readdir(name, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => EXTENSIONS.has(extname(path))).sort();
}

async function readOne(name: string, limitBytes: number): Promise<ReadFile> {
  try {
    await using file = await open(name);
    const { size } = await file.stat();
    if (size > limitBytes) return { name, problem: tooLarge(limitBytes) };
    return { name, text: decode(await file.readFile()) };
  } catch (error) {
    return { name, problem: readProblem(error) };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
};

function readProblem(error: unknown): string {
  if (error instanceof TypeError) return 'is not UTF-8 text';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

async function readStream(stream: Readable, limitBytes: number): Promise<ReadFile> {
  const name = '<stdin>';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limitBytes) return { name, problem: tooLarge(limitBytes) };
    chunks.push(bytes);
  }
  try {
    return { name, text: decode(Buffer.concat(chunks)) };
  } catch (error) {
    return { name, problem: readProblem(error) };
  }
}

/** Throws a TypeError on bytes that are not UTF-8. */
function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function tooLarge(limitBytes: number): string {
  return `is larger than ${limitBytes / (1024 * 1024)} MiB, more than an API server takes in one request; split it`;
}
