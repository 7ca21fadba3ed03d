// Parses YAML like kubectl, with the position of every field.
import { type Document, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import type { FieldPath } from '../schema/field-error.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '@karpenter-ts/kubernetes';
import { isTooDeep } from './nesting.ts';
import { isMergeKey, keyText, readYaml, YamlProblem, type YamlValue } from './yaml-value.ts';

/** A position in a file; line and column start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One object of a file, or the reason why it is none. */
export type Manifest =
  | {
      readonly object: JsonObject;
      readonly locate: (path: FieldPath) => Position;
      /** The position of a line within the text that a field holds; of the field, where its lines are not the file's. */
      readonly locateLine: (path: FieldPath, line: number) => Position;
    }
  | { readonly problem: string; readonly position: Position };

const START: Position = { line: 1, column: 1 };

/** Go's YAML has neither base-60 numbers nor dates, sets or binary: such text stays text. */
const FOREIGN_TAGS: ReadonlySet<string> = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
  'tag:yaml.org,2002:set',
]);

/** All objects of the text, in order. The items of a List count as objects, and empty documents are skipped. */
export function readManifests(text: string): readonly Manifest[] {
  if (isTooDeep(text)) return [{ problem: 'is nested too deeply to be a manifest', position: START }];
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.1',
    merge: true,
    intAsBigInt: true,
    uniqueKeys: false, // checked below: the library's own check takes quadratic time
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !isForeign(tag)),
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => readDocument(document, lines));
}

function isForeign(tag: { readonly tag: string; readonly format?: string }): boolean {
  return FOREIGN_TAGS.has(tag.tag) || tag.format === 'TIME';
}

function readDocument(document: Document.Parsed, lines: LineCounter): readonly Manifest[] {
  const [error] = document.errors;
  if (error) return [{ problem: error.message, position: positionAt(lines, error.pos[0]) }];
  const repeated = findRepeatedKey(document.contents);
  if (repeated) {
    const problem = `key ${JSON.stringify(repeated.key)} already set in map`;
    return [{ problem, position: positionAt(lines, repeated.offset) }];
  }
  let value: YamlValue;
  try {
    value = readYaml(document);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    const position = error.offset === undefined ? startOf(document.contents, lines) : positionAt(lines, error.offset);
    return [{ problem: error.message, position }];
  }
  return value.json === null ? [] : split(value, document, lines);
}

function split(value: YamlValue, document: Document.Parsed, lines: LineCounter): readonly Manifest[] {
  const locate = (path: FieldPath) => locateIn(document, value, path, lines);
  const locateLine = (path: FieldPath, line: number) => locateTextLine(document, value, { path, line }, lines);
  const { json } = value;
  if (!isJsonObject(json)) return [{ problem: 'is not an object', position: locate([]) }];
  const { kind, items } = json;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !isJsonArray(items))
    return [{ object: json, locate, locateLine }];
  return items.map((item, index): Manifest => {
    const below = (path: FieldPath) => locate(['items', index, ...path]);
    const lineBelow = (path: FieldPath, line: number) => locateLine(['items', index, ...path], line);
    return isJsonObject(item)
      ? { object: item, locate: below, locateLine: lineBelow }
      : { problem: 'is not an object', position: below([]) };
  });
}

/** The position of a field. For a missing field, the position of its nearest existing parent. */
function locateIn(document: Document.Parsed, value: YamlValue, path: FieldPath, lines: LineCounter): Position {
  let node: unknown = document.contents;
  let position = startOf(document.contents, lines);
  for (const segment of path) {
    const child = value.childOf(node, segment);
    if (!child) break;
    node = child.value;
    position = positionAt(lines, child.offset);
  }
  return position;
}

/** Only in a literal block, after `|`, do the lines of the text stand below each other as they are. */
function locateTextLine(
  document: Document.Parsed,
  value: YamlValue,
  { path, line }: { readonly path: FieldPath; readonly line: number },
  lines: LineCounter,
): Position {
  let node: unknown = document.contents;
  for (const segment of path) node = value.childOf(node, segment)?.value;
  if (!isScalar(node) || node.type !== 'BLOCK_LITERAL' || !node.range) return locateIn(document, value, path, lines);
  return { line: positionAt(lines, node.range[0]).line + line, column: 1 };
}

function findRepeatedKey(node: unknown): { readonly key: string; readonly offset: number } | undefined {
  if (isPair(node)) return findRepeatedKey(node.value);
  if (isSeq(node)) return firstOf(node.items, findRepeatedKey);
  if (!isMap(node)) return undefined;
  const seen = new Set<string>();
  for (const { key } of node.items) {
    if (!isScalar(key) || isMergeKey(key)) continue;
    const text = keyText(key);
    if (seen.has(text)) return { key: text, offset: key.range?.[0] ?? 0 };
    seen.add(text);
  }
  return firstOf(node.items, findRepeatedKey);
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function startOf(node: Node | null, lines: LineCounter): Position {
  return node?.range ? positionAt(lines, node.range[0]) : START;
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
