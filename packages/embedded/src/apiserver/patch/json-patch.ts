import { type Json, type JsonObject, memberOf } from '@karpenter-ts/kubernetes';
import { MAX_DEPTH, parseJson } from '../json-syntax.ts';
import { copyOf, isDeeperThan, isJsonArray, isJsonObject, isSameJson, jsonTypeOf, setMember } from '../json-value.ts';
import { PatchError } from './patch-error.ts';

const MAX_OPERATIONS = 10_000;

/** What the real server says of every patch that does not fit: it keeps the cause to itself. */
const DOES_NOT_APPLY = 'the server rejected our request due to an error in our request';

/** What all copies of one patch may add up to, in bytes: each could double the last, and a short patch fill the memory. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/**
 * The object after a JSON patch (RFC 6902), given as the request's body; the input stays as it was. Throws a PatchError.
 * Lenient where the real server is: negative indexes count from the end, replacing or copying a missing member is no
 * error, and a missing `value` is null. The result need not be an object: a patch may replace the root.
 */
export function applyJsonPatch(object: JsonObject, body: string): Json {
  const draft = new Draft(object);
  for (const operation of decode(body)) draft.apply(operation);
  if (isDeeperThan(draft.root, MAX_DEPTH)) fail(); // by moving things into each other
  return draft.root;
}

interface Operation {
  readonly op: Json;
  readonly path: string | null;
  readonly from: string | null;
  readonly value: Json;
}

type Container = JsonObject | readonly Json[];
/** A container of the draft's own, which may be changed. */
type OwnContainer = { [key: string]: Json | undefined } | Json[];

const isContainer = (value: Json | undefined): value is Container => isJsonObject(value) || isJsonArray(value);

/**
 * A document that is being patched. Each container is copied when it is first changed and then changed in place, so
 * that thousands of operations on one large list or map do not copy it thousands of times.
 */
class Draft {
  root: Json;
  readonly #own = new Set<Container | OwnContainer>();
  #copiedBytes = 0;

  constructor(document: Json) {
    this.root = document;
  }

  apply({ op, path, from, value }: Operation): void {
    switch (op) {
      case 'add':
        this.#edit(path, (parent, key) => insert(parent, key, value));
        break;
      case 'remove':
        this.#edit(path, remove);
        break;
      case 'replace':
        if (path !== '') this.#edit(path, (parent, key) => replace(parent, key, value));
        else this.root = isContainer(value) ? value : fail();
        break;
      case 'move': {
        const moved = this.#read(from);
        this.#edit(from, remove);
        this.#edit(path, (parent, key) => insert(parent, key, moved));
        break;
      }
      case 'copy': {
        const copy = this.#copyOf(this.#read(from));
        this.#edit(path, (parent, key) => insert(parent, key, copy));
        break;
      }
      case 'test':
        if (!isSameJson(path === '' ? this.root : this.#read(path), value)) fail();
        break;
      default:
        fail();
    }
  }

  #read(path: string | null): Json {
    return segmentsOf(path).reduce((node, key) => (isContainer(node) ? get(node, key) : fail()), this.root);
  }

  /** Changes the container that holds the path's last segment. */
  #edit(path: string | null, change: (parent: OwnContainer, key: string) => void): void {
    const segments = segmentsOf(path);
    const last = segments.pop()!;
    if (!isContainer(this.root)) fail();
    let parent = this.#owned(this.root);
    this.root = parent;
    for (const key of segments) {
      const child = get(parent, key);
      if (!isContainer(child)) fail();
      const own = this.#owned(child);
      replace(parent, key, own);
      parent = own;
    }
    change(parent, last);
  }

  #owned(container: Container): OwnContainer {
    if (this.#own.has(container)) return container as OwnContainer;
    const own = isJsonArray(container) ? [...container] : { ...container };
    this.#own.add(own);
    return own;
  }

  /** A copy that shares no container with what it is a copy of: a later operation may change either. */
  #copyOf(value: Json): Json {
    this.#copiedBytes += Buffer.byteLength(JSON.stringify(value));
    return this.#copiedBytes > MAX_COPIED_BYTES ? fail() : copyOf(value);
  }
}

/** What stands before the first slash is ignored, as the real server does. */
function segmentsOf(path: string | null): string[] {
  const [, ...segments] = path?.split('/') ?? [];
  if (segments.length === 0) return fail();
  return segments.map((segment) => segment.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~')));
}

/** A missing member is null; a missing element is an error. */
function get(parent: Container, key: string): Json {
  return isJsonArray(parent) ? parent[indexIn(parent.length, key)]! : (memberOf(parent, key) ?? null);
}

function replace(parent: OwnContainer, key: string, value: Json): void {
  if (Array.isArray(parent)) parent[indexIn(parent.length, key)] = value;
  else setMember(parent, key, value);
}

function insert(parent: OwnContainer, key: string, value: Json): void {
  if (!Array.isArray(parent)) setMember(parent, key, value);
  else parent.splice(key === '-' ? parent.length : indexIn(parent.length + 1, key), 0, value);
}

function remove(parent: OwnContainer, key: string): void {
  if (Array.isArray(parent)) parent.splice(indexIn(parent.length, key), 1);
  else if (!Object.hasOwn(parent, key) || !Reflect.deleteProperty(parent, key)) fail();
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
