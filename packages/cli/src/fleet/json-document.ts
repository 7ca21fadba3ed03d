// Reading a JSON file that is written by hand or by another program: what is wrong with it is said with its field and
// line.
import { examine, type FieldPath, type Resource } from '@karpenter-ts/apis';
import { goQuote, type JsonObject } from '@karpenter-ts/kubernetes';
import { findSyntaxError, locateFields, MAX_DEPTH, type Position } from './json-position.ts';

/** One thing wrong with a file, and where. */
export interface FileProblem extends Position {
  /** As `nodePools[0].spec.weight`; empty when it is about the whole file. */
  readonly field: string;
  readonly message: string;
}

/** Something wrong that its schema does not say. */
export interface Mistake {
  readonly path: FieldPath;
  readonly message: string;
}

/** The kind of a document. */
export interface DocumentKind<T> {
  /** In messages: `fleet`. */
  readonly name: string;
  /** The document as if it were a kind of the API server: its words, paths and defaults come with that. */
  readonly resource: Resource;
  /** What no schema says. */
  findMistakes(content: T): readonly Mistake[];
}

/** The content of a document, or what is wrong with it in the order of the lines. */
export type ReadDocument<T> = { readonly content: T } | { readonly problems: readonly FileProblem[] };

/** Reads a document. What an API server would refuse is refused in its words. */
export function readDocument<T>(text: string, { name, resource, findMistakes }: DocumentKind<T>): ReadDocument<T> {
  const raw = findObject(text);
  if (raw === undefined) {
    const position = findSyntaxError(text) ?? { line: 1, column: 1 };
    return { problems: [{ ...position, field: '', message: 'is not a JSON object' }] };
  }
  if (isDeeperThan(raw, MAX_DEPTH)) {
    const position = findSyntaxError(text)!; // which is where that gives up
    return { problems: [{ ...position, field: '', message: `is nested too deeply to be a ${name}` }] };
  }
  const examined = examineContent(raw, { name, resource, findMistakes });
  return 'content' in examined ? examined : { problems: locate(examined.mistakes, text).sort(byPosition) };
}

/** What is wrong with the fields of a document, without their lines. */
export function examineContent<T>(
  raw: JsonObject,
  { name, resource, findMistakes }: DocumentKind<T>,
): { readonly content: T } | { readonly mistakes: readonly Mistake[] } {
  const { decoding, errors, object } = examine({ ...raw, metadata: { name } }, resource);
  const bySchema = [...decoding, ...errors.filter(({ path }) => path.length > 0)];
  const content: unknown = object;
  const mistakes = bySchema.length > 0 ? bySchema : findMistakes(content as T); // the schema holds: so do its types
  return mistakes.length > 0 ? { mistakes } : { content: content as T };
}

/** A mistake for each name that is there already. */
export function findRepeated(
  names: readonly string[],
  pathTo: (index: number) => FieldPath,
  seen = new Set<string>(),
): readonly Mistake[] {
  return names.flatMap((name, index) => {
    if (seen.has(name)) return { path: pathTo(index), message: `Duplicate value: ${goQuote(name)}` };
    seen.add(name);
    return [];
  });
}

function findObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Without recursion, which is what such a value would exhaust. */
function isDeeperThan(value: object, depth: number): boolean {
  let level: object[] = [value];
  for (let reached = 0; level.length > 0; reached++) {
    if (reached > depth) return true;
    level = level.flatMap((one) =>
      Object.values(one).filter((member) => typeof member === 'object' && member !== null),
    );
  }
  return false;
}

function locate(problems: readonly Mistake[], text: string): FileProblem[] {
  const positions = locateFields(
    text,
    problems.map(({ path }) => path),
  );
  return problems.map(({ path, message }, i) => ({ field: fieldName(path), message, ...positions[i]! }));
}

/** As `nodePools[0].spec.weight`. */
export function fieldName(path: FieldPath): string {
  const text = path.map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`)).join('');
  return text.replace(/^\./, '');
}

function byPosition(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}
