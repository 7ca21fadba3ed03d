import { isJsonArray, isJsonObject, type Json, type JsonObject, LargeInteger } from '@karpenter-ts/kubernetes';
import { ArrayList, CelList } from './list.ts';
import { CelMap } from './map.ts';
import { type CelResult, type CelValue, Optional } from './value.ts';

/** JSON as CEL reads it where no schema says more: whole numbers are ints, and names are not escaped. */
export function jsonToCel(json: Json): CelValue {
  if (json instanceof LargeInteger) return BigInt(json.digits);
  if (typeof json === 'number') return findInt(json) ?? json;
  if (isJsonArray(json)) return new ArrayList(json.map(jsonToCel));
  return isJsonObject(json) ? new JsonMap(json) : json;
}

/** The int that a number is, if it is a whole one of 64 bits. */
export function findInt(json: Json): bigint | undefined {
  if (json instanceof LargeInteger) return BigInt(json.digits);
  return typeof json === 'number' && Number.isInteger(json) && Math.abs(json) < 2 ** 63 ? BigInt(json) : undefined;
}

class JsonMap extends CelMap {
  readonly #json: JsonObject;

  constructor(json: JsonObject) {
    super();
    this.#json = json;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  find(key: CelValue): CelResult | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#json, key)) return undefined;
    const json = this.#json[key];
    return json === undefined ? undefined : jsonToCel(json);
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.#json);
  }
}

/**
 * An optional as an expression sees it that reads it from a variable or a member. cel-go unwraps it there and wraps it
 * again, and what comes back no longer knows its schema: dates are text, names are not escaped, nulls are present.
 */
export function withoutSchema(optional: Optional): Optional {
  const { value } = optional;
  return value instanceof CelMap || value instanceof CelList ? new Optional(value.untyped()) : optional;
}
