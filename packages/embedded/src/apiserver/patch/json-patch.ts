import type { Json, JsonObject } from '@karpenter-ts/apis';
import { parseJson } from '../json-syntax.ts';
import { isJsonArray, isJsonObject, isSameJson, jsonTypeOf, memberOf, without } from '../json-value.ts';
import { PatchError } from './patch-error.ts';

const MAX_OPERATIONS = 10_000;

/** What the real server says of every patch that does not fit: it keeps the cause to itself. */
const DOES_NOT_APPLY = 'the server rejected our request due to an error in our request';

/**
 * The object after a JSON patch (RFC 6902), given as the request's body; the input stays as it was. Throws a PatchError.
 * Lenient where the real server is: negative indexes count from the end, replacing or copying a missing member is no
 * error, and a missing `value` is null. The result need not be an object: a patch may replace the root.
 */
export function applyJsonPatch(object: JsonObject, body: string): Json {
  let document: Json = object;
  for (const operation of decode(body)) document = apply(document, operation);
  return document;
}

interface Operation {
  readonly op: Json;
  readonly path: string | null;
  readonly from: string | null;
  readonly value: Json;
}

function apply(document: Json, { op, path, from, value }: Operation): Json {
  switch (op) {
    case 'add':
      return edit(document, path, (parent, key) => insert(parent, key, value));
    case 'remove':
      return edit(document, path, remove);
    case 'replace':
      if (path === '') return isContainer(value) ? value : fail();
      return edit(document, path, (parent, key) => replace(parent, key, value));
    case 'move': {
      const moved = read(document, from);
      const rest = edit(document, from, remove);
      return edit(rest, path, (parent, key) => insert(parent, key, moved));
    }
    case 'copy': {
      const copied = read(document, from);
      return edit(document, path, (parent, key) => insert(parent, key, copied));
    }
    case 'test':
      return isSameJson(path === '' ? document : read(document, path), value) ? document : fail();
    default:
      return fail();
  }
}

type Container = JsonObject | readonly Json[];

const isContainer = (value: Json | undefined): value is Container => isJsonObject(value) || isJsonArray(value);

/** The document with the container that holds the path's last segment exchanged; what is not on the way is shared. */
function edit(document: Json, path: string | null, change: (parent: Container, key: string) => Json): Json {
  const walk = (node: Json, [key, ...rest]: readonly string[]): Json => {
    if (!isContainer(node) || key === undefined) return fail();
    return rest.length === 0 ? change(node, key) : replace(node, key, walk(get(node, key), rest));
  };
  return walk(document, segmentsOf(path));
}

function read(document: Json, path: string | null): Json {
  return segmentsOf(path).reduce((node, key) => (isContainer(node) ? get(node, key) : fail()), document);
}

/** What stands before the first slash is ignored, as the real server does. */
function segmentsOf(path: string | null): readonly string[] {
  const [, ...segments] = path?.split('/') ?? [];
  if (segments.length === 0) return fail();
  return segments.map((segment) => segment.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~')));
}

/** A missing member is null; a missing element is an error. */
function get(parent: Container, key: string): Json {
  return isJsonArray(parent) ? parent[indexIn(parent.length, key)]! : (memberOf(parent, key) ?? null);
}

function replace(parent: Container, key: string, value: Json): Json {
  return isJsonArray(parent) ? parent.with(indexIn(parent.length, key), value) : { ...parent, [key]: value };
}

function insert(parent: Container, key: string, value: Json): Json {
  if (!isJsonArray(parent)) return { ...parent, [key]: value };
  const index = key === '-' ? parent.length : indexIn(parent.length + 1, key);
  return parent.toSpliced(index, 0, value);
}

function remove(parent: Container, key: string): Json {
  if (isJsonArray(parent)) return parent.toSpliced(indexIn(parent.length, key), 1);
  return Object.hasOwn(parent, key) ? without(parent, key) : fail();
}

function indexIn(length: number, key: string): number {
  if (!/^[+-]?\d+$/.test(key)) return fail();
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  return index >= 0 && index < length ? index : fail();
}

function fail(): never {
  throw new PatchError(422, DOES_NOT_APPLY);
}

function decode(body: string): readonly Operation[] {
  const patch = parseJson(body, decodingError);
  if (patch === null) return [];
  if (!isJsonArray(patch)) throw decodingError(mismatch(patch, 'value of type []handlers.jsonPatchOp'));
  if (patch.length > MAX_OPERATIONS) throw tooMany(patch.length);
  return patch.map(decodeOperation);
}

function decodeOperation(operation: Json): Operation {
  if (operation !== null && !isJsonObject(operation)) {
    throw decodingError(mismatch(operation, 'value of type handlers.jsonPatchOp'));
  }
  const text = (name: 'op' | 'path' | 'from'): string | null => {
    const value = operation?.[name] ?? null;
    if (value === null || typeof value === 'string') return value;
    throw decodingError(mismatch(value, `struct field jsonPatchOp.${name} of type string`));
  };
  return { op: text('op'), path: text('path'), from: text('from'), value: operation?.['value'] ?? null };
}

const mismatch = (value: Json, target: string): string =>
  `json: cannot unmarshal ${jsonTypeOf(value)} into Go ${target}`;

const decodingError = (problem: string): PatchError => new PatchError(400, `error decoding patch: ${problem}`);

const tooMany = (count: number): PatchError =>
  new PatchError(
    413,
    `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count}`,
  );
