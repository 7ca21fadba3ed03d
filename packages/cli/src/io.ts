import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
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

/** How much of a file is read, and what to tell the owner of a larger one. */
export interface SizeLimit {
  readonly bytes: number;
  readonly advice: string;
}

export const MANIFEST_LIMIT: SizeLimit = {
  bytes: 3 * 1024 * 1024,
  advice: 'more than an API server takes in one request; split it',
};

/**
 * Reads manifests: files as they are, folders with all YAML and JSON below them in order of name, `-` from standard
 * input. Nothing beyond the limit is read into memory, whatever a file is. A folder without manifests is a problem.
 */
export async function readManifests(io: Io, names: readonly string[], limit: SizeLimit): Promise<readonly ReadFile[]> {
  const found = await Promise.all(names.map(listFiles));
  const read: ReadFile[] = [];
  for (const file of found.flat()) {
    read.push('problem' in file ? file : await readFile(io, file.name, limit));
  }
  return read;
}

/** Reads one file, or standard input where it is called `-`. */
export function readFile(io: Io, name: string, limit: SizeLimit): Promise<ReadFile> {
  return name === '-' ? readLimited('<stdin>', io.stdin, limit) : readLimited(name, createReadStream(name), limit);
}

/** A file to read, or why it cannot be. */
type FoundFile = { readonly name: string } | { readonly name: string; readonly problem: string };

/** What the user names is read, whatever it is: shells hand over the output of a command as a pipe with a name. */
async function listFiles(name: string): Promise<readonly FoundFile[]> {
  if (name === '-') return [{ name }];
  const found = await stat(name).catch(() => undefined);
  if (!found?.isDirectory()) return [{ name }];
  const files = await listFolder(name);
  return files.length > 0 ? files : [{ name, problem: 'holds no YAML or JSON file' }];
}

/**
 * The manifests of a folder and of those below it. Links to files are followed, since a mounted ConfigMap holds nothing
 * else; links to folders are not, since they could lead back. The files behind those links are in a folder whose name
 * starts with two dots, which is Kubernetes' own.
 */
async function listFolder(folder: string): Promise<readonly FoundFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => readProblem(error));
  if (typeof entries === 'string') return [{ name: folder, problem: entries }];
  const files: FoundFile[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('..')) files.push(...(await listFolder(name)));
    if (entry.isDirectory() || !EXTENSIONS.has(extname(name))) continue;
    const target = entry.isSymbolicLink() ? await stat(name).catch(() => undefined) : entry;
    if (target?.isDirectory()) continue;
    if (target === undefined || target.isFile()) files.push({ name });
    else files.push({ name, problem: 'is not a regular file' }); // to open a pipe waits for somebody to write
  }
  return files;
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

/** The size is counted while reading: pipes and devices do not tell theirs. */
async function readLimited(name: string, stream: Readable, { bytes: most, advice }: SizeLimit): Promise<ReadFile> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > most) return { name, problem: `is larger than ${most / (1024 * 1024)} MiB, ${advice}` };
      chunks.push(bytes);
    }
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch (error) {
    return { name, problem: readProblem(error) };
  }
}
