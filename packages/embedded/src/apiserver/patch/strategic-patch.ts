import { type Json, type JsonObject, memberOf } from '@karpenter-ts/kubernetes';
import { sortElements, checkOrder, identityOf } from './element-order.ts';
import { formatGoValue, goTypeOf } from '../go-value.ts';
import { parseJson } from '../json-syntax.ts';
import { isJsonArray, isJsonObject, jsonTypeOf, without, withoutNulls } from '../json-value.ts';
import type { GoStruct, GoType } from '../kinds/go-types.ts';
import { PatchError } from './patch-error.ts';
import { findPatchStrategy, type PatchStrategy } from './patch-strategy.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder';
const DELETE_SCALARS = '$deleteFromPrimitiveList';

/**
 * The object of a built-in kind after a strategic merge patch, given as the request's body; the input stays as it was.
 * What a patch brings that is wholly new may hold nulls and directives, as on the real server: decoding the result
 * into the kind drops them. Throws a PatchError.
 */
export function applyStrategicPatch(object: JsonObject, body: string, kind: GoStruct): JsonObject {
  const patch = parseJson(body, (problem) => new PatchError(400, problem));
  if (patch === null) return object;
  if (isJsonObject(patch)) return mergeObjects(object, patch, kind);
  const problem = `json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`;
  throw new PatchError(400, problem);
}

type Members = Map<string, Json | undefined>;

function mergeObjects(original: JsonObject, patch: JsonObject, type: GoType): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return replaceOrEmpty(patch);
  const merged: Members = new Map(Object.entries(original));
  const changes: Members = new Map(Object.entries(patch));
  retainKeys(merged, changes);
  for (const [key, order] of changes) {
    if (key.startsWith(ELEMENT_ORDER)) mergeInOrder(merged, changes, { key, order: asList(order), type });
  }
  for (const [key, change] of changes) mergeMember(merged, { key, change: change ?? null, type });
  return Object.fromEntries(merged);
}

function replaceOrEmpty(patch: JsonObject): JsonObject {
  if (patch[DIRECTIVE] === 'replace') return without(patch, DIRECTIVE);
  if (patch[DIRECTIVE] === 'delete') return {};
  throw unknownDirective(patch);
}

/** `$retainKeys`: of a union, the members that a patch no longer names go. */
function retainKeys(merged: Members, changes: Members): void {
  if (!changes.has(RETAIN_KEYS)) return;
  const retained = changes.get(RETAIN_KEYS);
  changes.delete(RETAIN_KEYS);
  const isRetained = (key: string): boolean => isJsonArray(retained) && retained.includes(key);
  const isContent = ([key, change]: [string, Json | undefined]): boolean =>
    change !== null && !key.startsWith(DELETE_SCALARS) && !key.startsWith(ELEMENT_ORDER);
  if (!isJsonArray(retained) || [...changes].some((entry) => isContent(entry) && !isRetained(entry[0]))) {
    throw new PatchError(400, 'invalid patch format of retainKeys');
  }
  for (const key of merged.keys()) if (!isRetained(key)) merged.delete(key);
}

interface Ordering {
  readonly key: string;
  readonly order: readonly Json[];
  readonly type: GoType;
}

/** `$setElementOrder/x`: merges the list x, if there is one, and takes it and its order out of the changes. */
function mergeInOrder(merged: Members, changes: Members, { key, order, type }: Ordering): void {
  changes.delete(key);
  const field = suffixOf(key, ELEMENT_ORDER, 'setElementOrder list');
  const original = merged.has(field) ? asList(merged.get(field)) : undefined;
  const patch = changes.has(field) ? asList(changes.get(field)) : undefined;
  const list = listType(type, field);
  checkOrder(patch ?? [], order, list.key);
  if (original === undefined && patch === undefined) return;

  const result = patchedList(original, patch, list);
  checkTypes(original ?? [], patch ?? []);
  // The real server has edited the live list in place when it looks at its order: what was added counts as live as far
  // as the old list reached.
  const live = result.edited.slice(0, original?.length ?? 0);
  merged.set(field, sortElements(result.list, { order, live, key: list.key }));
  changes.delete(field);
}

function patchedList(
  original: readonly Json[] | undefined,
  patch: readonly Json[] | undefined,
  list: ListType,
): PatchedList {
  if (original === undefined) return unchanged(withoutDirectives(patch!) as readonly Json[]);
  return patch === undefined ? unchanged(original) : patchList(original, patch, list);
}

interface Change {
  readonly key: string;
  readonly change: Json;
  readonly type: GoType;
}

function mergeMember(merged: Members, { key, change, type }: Change): void {
  const isDeletion = key.startsWith(DELETE_SCALARS);
  const field = isDeletion ? suffixOf(key, DELETE_SCALARS, 'primitive list') : key;
  const original = merged.get(field);
  if (change === null) {
    merged.delete(field);
  } else if (isJsonArray(original) && isJsonArray(change)) {
    const list = listType(type, field);
    merged.set(field, isDeletion ? deleteElements(original, change, list) : patchList(original, change, list).list);
  } else if (isJsonObject(original) && isJsonObject(change)) {
    const isWhole = findPatchStrategy(type, field)?.strategy === 'replace';
    merged.set(field, isWhole ? change : mergeObjects(original, change, fieldType(type, field)));
  } else if (!isDeletion) {
    const taken = withoutDirectives(withoutNulls(change));
    if (taken === undefined) merged.delete(field);
    else merged.set(field, taken);
  }
}

interface PatchedList {
  readonly list: readonly Json[];
  /** The live list with deletions made and additions at its end: `list` before it was put in order. */
  readonly edited: readonly Json[];
}

const unchanged = (list: readonly Json[]): PatchedList => ({ list, edited: list });

function patchList(original: readonly Json[], patch: readonly Json[], list: ListType): PatchedList {
  if (!list.isMerged) return { list: patch, edited: original };
  if (original.length === 0 && patch.length === 0) return unchanged(original);
  if (checkTypes(original, patch) === 'object') return mergeKeyedList(original, patch, list);
  const edited = [...new Set([...original, ...patch])];
  return { list: sortElements(edited, { order: patch, live: original, key: list.key }), edited };
}

/** `$deleteFromPrimitiveList/x`. */
function deleteElements(original: readonly Json[], patch: readonly Json[], list: ListType): readonly Json[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (checkTypes(original, patch) === 'object') return mergeKeyedList(original, patch, list).list;
  const deleted = new Set(patch);
  return original.filter((element) => !deleted.has(element));
}

function mergeKeyedList(original: readonly Json[], patch: readonly Json[], list: ListType): PatchedList {
  const { key, items } = list;
  if (key === '') throw serverFault(`cannot merge lists without merge key for ${goKindOf(items)}`);
  const { live, changes } = obeyElements(original as readonly JsonObject[], patch as readonly JsonObject[], key);
  const edited = [...live];
  const places = new Map(live.map((element, at) => [memberOf(element, key), at] as const).toReversed()); // the first of equals
  for (const change of changes) {
    const identity = identityOf(change, key);
    const at = places.get(identity);
    if (at !== undefined) edited[at] = mergeObjects(edited[at]!, change, items);
    else places.set(identity, edited.push(change) - 1);
  }
  return { list: sortElements(edited, { order: changes, live, key }), edited };
}

/** Carries out the elements of a patched list that are directives; the others are its changes. */
function obeyElements(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  key: string,
): { readonly live: readonly JsonObject[]; readonly changes: readonly JsonObject[] } {
  const changes = patch.filter((element) => !Object.hasOwn(element, DIRECTIVE));
  const deleted = new Set<Json | undefined>();
  let isReplaced = false;
  for (const element of patch) {
    const directive = memberOf(element, DIRECTIVE);
    if (directive === 'delete') {
      deleted.add(identityOf(element, key));
    } else if (directive === 'replace') {
      isReplaced = true;
    } else if (directive === 'merge') {
      throw serverFault('merging lists cannot yet be specified in the patch');
    } else if (directive !== undefined) {
      throw unknownDirective(element);
    }
  }
  if (isReplaced) return { live: changes, changes: [] };
  return {
    live: deleted.size === 0 ? original : original.filter((other) => !deleted.has(memberOf(other, key))),
    changes,
  };
}

/** Elements must be all of one type; returns JSON's word for it. */
function checkTypes(original: readonly Json[], patch: readonly Json[]): string {
  const [first, ...others] = [...original, ...patch].map(jsonTypeOf);
  if (first === undefined) throw serverFault('no elements in any of the given slices');
  if (first === 'array') throw new PatchError(422, 'the server rejected our request due to an error in our request');
  if (first !== 'null' && others.every((other) => other === first)) return first;
  throw serverFault(`list element types are not identical: ${formatGoValue([original, patch])}`);
}

interface ListType {
  readonly items: GoType;
  readonly isMerged: boolean;
  readonly key: PatchStrategy['key'];
}

function listType(parent: GoType, field: string): ListType {
  const type = fieldType(parent, field);
  if (type.form !== 'list') throw serverFault('expected slice or array type, but got: struct');
  const strategy = findPatchStrategy(parent, field);
  const isMerged = strategy?.strategy === 'merge' || strategy?.strategy === 'merge,retainKeys';
  return { items: dereference(type.items), isMerged, key: strategy?.key ?? '' };
}

function fieldType(parent: GoType, name: string): GoType {
  if (parent.form === 'map')
    throw serverFault('merging an object in json but data type is not struct, instead is: map');
  const field = parent.form === 'struct' ? parent.fields.get(name) : undefined;
  if (field !== undefined) return dereference(field.type);
  const struct = parent.text.slice(parent.text.lastIndexOf('.') + 1);
  throw serverFault(`unable to find api field in struct ${struct} for the json field "${name}"`);
}

const dereference = (type: GoType): GoType => (type.form === 'pointer' ? type.to : type);

const goKindOf = (type: GoType): string => (type.form === 'scalar' ? type.scalar : 'struct');

/** Without the members and elements that hold a directive. A value that holds one itself is nothing. */
function withoutDirectives(value: Json): Json | undefined {
  if (isJsonArray(value)) return value.map(withoutDirectives).filter((element) => element !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const members = Object.entries(value).map(([key, member]) => [key, withoutDirectives(member ?? null)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function suffixOf(key: string, prefix: string, what: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  throw new PatchError(400, `invalid patch format of ${what}`);
}

function asList(value: Json | undefined): readonly Json[] {
  if (isJsonArray(value)) return value;
  throw serverFault(`expected a []interface {}, but received a ${goTypeOf(value ?? null)}`);
}

const unknownDirective = (patch: JsonObject): PatchError =>
  serverFault(`unknown patch type: ${formatGoValue(patch[DIRECTIVE] ?? null)} in map: ${formatGoValue(patch)}`);

/** A mistake in the patch that the real server takes for its own. */
const serverFault = (message: string): PatchError => new PatchError(400, message);
