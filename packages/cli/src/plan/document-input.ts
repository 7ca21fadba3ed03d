import { stat } from 'node:fs/promises';
import type { FileProblem } from '../fleet/json-document.ts';
import { type Io, readFile, type SizeLimit } from '../io.ts';
import { printableLine } from '../render/printable.ts';

/** A text of that size is the largest that JavaScript can hold. */
export const DOCUMENT_LIMIT: SizeLimit = { bytes: 511 * 1024 * 1024, advice: 'more than can be read at once' };

/** A document, or what is wrong with its text. */
type Parsed<T> = { readonly document: T } | { readonly problems: readonly FileProblem[] };

/**
 * Reads one document from a file, or from standard input where it is called `-`. `undefined` once it is said what keeps
 * it from being read. `kind` is for messages: `fleet file`.
 */
export async function loadDocument<T>(
  io: Io,
  name: string,
  kind: string,
  parse: (text: string) => Parsed<T>,
): Promise<T | undefined> {
  const isFolder = name !== '-' && (await stat(name).catch(() => undefined))?.isDirectory();
  if (isFolder) return refuse(io, [`${name}:1:1: error: is a folder, not a ${kind}`]);
  const file = await readFile(io, name, DOCUMENT_LIMIT);
  if ('problem' in file) return refuse(io, [`${file.name}:1:1: error: ${file.problem}`]);
  const parsed = parse(file.text);
  if ('document' in parsed) return parsed.document;
  return refuse(
    io,
    parsed.problems.map(({ line, column, field, message }) =>
      [`${file.name}:${line}:${column}: error`, ...(field === '' ? [] : [field]), message].join(': '),
    ),
  );
}

/** Says what is wrong with the input. */
export function refuse(io: Io, lines: readonly string[]): undefined {
  note(io, lines);
  io.exitCode = 1;
}

/** Says something about the input that does not keep it from being used. */
export function note(io: Io, lines: readonly string[]): void {
  io.stderr.write(lines.map((line) => `${printableLine(line)}\n`).join(''));
}
