import { type Json, type JsonObject, memberOf } from '@karpenter-ts/kubernetes';
import { formatGoValue, goTypeOf } from '../go-value.ts';
import { isJsonObject } from '../json-value.ts';
import { PatchError } from './patch-error.ts';

/** What decides where the elements of a patched list go. */
export interface ElementOrder {
  /** The order the patch wants of the elements it names. */
  readonly order: readonly Json[];
  /** The server's list, whose order holds for what the patch does not name. */
  readonly live: readonly Json[];
  /** The member that tells elements apart; '' for scalars. */
  readonly key: string;
}

type Places = ReadonlyMap<Json, number>;

/** Puts elements in the order of the patch, and the server's own among them, no further from their place than that. */
export function sortElements(elements: readonly Json[], { order, live, key }: ElementOrder): readonly Json[] {
  const stranger = key === '' || elements.length === 0 ? -1 : order.findIndex((element) => !isJsonObject(element));
  if (stranger >= 0) throw new PatchError(400, `value for key ${stranger} is not a map`);
  const identities = new Map(elements.map((element) => [element, identityOf(element, key)]));
  const placesOf = (list: readonly Json[]): Places =>
    new Map(list.map((element, i) => [identityOf(element, key), i] as const).toReversed()); // the first of equals counts
  const wanted = placesOf(order);
  const present = placesOf(live);
  const placeIn = (places: Places, element: Json): number | undefined => places.get(identities.get(element)!);
  const sort = (list: readonly Json[], places: Places): readonly Json[] =>
    list.toSorted((a, b) => (placeIn(places, a) ?? 0) - (placeIn(places, b) ?? 0));

  const named = sort(
    elements.filter((element) => placeIn(wanted, element) !== undefined),
    wanted,
  );
  const others = sort(
    elements.filter((element) => placeIn(wanted, element) === undefined),
    present,
  );
  const arranged: Json[] = [];
  let next = 0;
  for (const element of named) {
    const place = placeIn(present, element) ?? -1;
    while (next < others.length && (placeIn(present, others[next]!) ?? place) < place) arranged.push(others[next++]!);
    arranged.push(element);
  }
  return [...arranged, ...others.slice(next)];
}

/** Throws unless the patch's elements are named in the order it asks for, in that order. */
export function checkOrder(patch: readonly Json[], order: readonly Json[], key: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const elements = key === '' ? patch : patch.filter((element) => memberOf(asObject(element), '$patch') !== 'delete');
  let next = 0;
  for (let at = 0; next < elements.length && at < order.length; ) {
    const element = elements[next]!;
    const isDirective = isJsonObject(element) && Object.hasOwn(element, '$patch');
    if (isDirective || identityOf(element, key) === identityOf(order[at]!, key)) next++;
    if (!isDirective) at++;
  }
  if (next === elements.length) return;
  throw new PatchError(
    400,
    `The order in patch list:\n${formatGoValue(patch)}\n doesn't match $setElementOrder list:\n${formatGoValue(order)}\n`,
  );
}

/** What tells an element from others: a scalar itself, an object its merge key, which it must have. */
export function identityOf(element: Json, key: string): Json {
  if (key === '') return element;
  const object = asObject(element);
  if (Object.hasOwn(object, key)) return object[key] ?? null;
  throw new PatchError(400, `map: ${formatGoValue(object)} does not contain declared merge key: ${key}`);
}

function asObject(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw new PatchError(400, `expected a map[string]interface {}, but received a ${goTypeOf(value)}`);
}
