import {
  isJsonArray,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  LargeInteger,
  memberOf,
  type StructuralSchema,
  valueSchemaOf,
} from '@karpenter-ts/kubernetes';
import { escapeProperty, unescapeProperty } from './escaping.ts';
import { embedded } from './resource-schema.ts';
import { equal } from './runtime/equality.ts';
import { findInt, jsonToCel } from './runtime/json.ts';
import { CelMap } from './runtime/map.ts';
import { CelError, type CelResult, type CelValue, NO_SUCH_OVERLOAD, Opaque } from './runtime/value.ts';
import { type ListSource, MapList, SchemaList, SetList } from './schema-lists.ts';
import { stringToCel } from './string-values.ts';

/**
 * JSON as rules see it through its schema: an `integer` is an int, a `number` a double, formatted text a timestamp,
 * duration or bytes. Takes next to no time: members are converted when a rule first reads them, and kept, so that rules
 * on every level of an object can each call it. Data that does not fit its schema becomes an error where it is read.
 */
export function toCel(json: Json, schema: StructuralSchema): CelResult {
  if (json === null) return schema.nullable === true ? null : NOT_NULLABLE;
  if (schema['x-kubernetes-int-or-string'] === true) return intOrString(json);
  switch (schema.type) {
    case 'object':
      return isJsonObject(json) ? new SchemaMap(json, embedded(schema)) : unexpected('a map', 'object');
    case 'array':
      return isJsonArray(json) ? listToCel(json, schema) : unexpected('an array', 'array');
    case 'string':
      return typeof json === 'string' ? stringToCel(json, schema.format) : mismatch('string', json);
    case 'number':
      return isNumber(json) ? Number(json) : mismatch('float', json);
    case 'integer':
      return findInt(json) ?? mismatch('int', json);
    case 'boolean':
      return typeof json === 'boolean' ? json : mismatch('bool', json);
    case undefined:
      return schema['x-kubernetes-preserve-unknown-fields'] === true ? new Preserved(json) : UNTYPED;
    default:
      return schema.type satisfies never;
  }
}

const NOT_NULLABLE = new CelError('invalid data, got null for schema with nullable=false');
const UNTYPED = new CelError(
  'invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ',
);

function unexpected(expected: string, type: string): CelError {
  return new CelError(`invalid data, expected ${expected} for the provided schema with type=${type}`);
}

function mismatch(expected: string, json: Json): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOf(json)}`);
}

function isNumber(json: Json): json is number | LargeInteger {
  return typeof json === 'number' || json instanceof LargeInteger;
}

function goTypeOf(json: Json): string {
  if (isNumber(json)) return findInt(json) === undefined ? 'float64' : 'int64';
  if (isJsonArray(json)) return '[]interface {}';
  return isJsonObject(json) ? 'map[string]interface {}' : typeof json === 'boolean' ? 'bool' : 'string';
}

function intOrString(json: Json): CelResult {
  if (typeof json === 'string') return json;
  return findInt(json) ?? new CelError('invalid data, expected XIntOrString value to be either a string or integer');
}

function listToCel(json: readonly Json[], schema: StructuralSchema): CelResult {
  const { items } = schema;
  if (items === undefined) return new CelError('invalid array type, expected Items with a non-empty Schema');
  const source: ListSource = {
    size: json.length,
    load: (index) => toCel(json[index]!, items),
    untyped: () => jsonToCel(json),
  };
  const type = schema['x-kubernetes-list-type'];
  switch (type) {
    case 'set':
      return new SetList(source);
    case 'map':
      return new MapList(
        source,
        (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeProperty(key) ?? key),
      );
    case 'atomic':
    case undefined:
      return new SchemaList(source);
    default:
      return type satisfies never;
  }
}

/** Data without a type: it can be compared with other such data, nothing else. */
class Preserved extends Opaque {
  readonly typeName = 'unknown';
  readonly json: Json;

  constructor(json: Json) {
    super();
    this.json = json;
  }

  equals(other: CelValue): boolean {
    return other instanceof Preserved && isSameJson(this.json, other.json);
  }

  toString(): string {
    return JSON.stringify(this.json);
  }
}

/** An object with properties, whose names rules write escaped, or a map of arbitrary keys, which they do not. */
class SchemaMap extends CelMap {
  readonly #json: JsonObject;
  readonly #schema: StructuralSchema;
  readonly #names: readonly string[];
  readonly #values = new Map<string, CelResult>();

  constructor(json: JsonObject, schema: StructuralSchema) {
    super();
    this.#json = json;
    this.#schema = schema;
    this.#names = Object.keys(json).filter((name) => json[name] !== undefined);
  }

  /** Counts every member, also those the schema does not know. */
  get size(): number {
    return this.#names.length;
  }

  get #isObject(): boolean {
    return this.#schema.properties !== undefined;
  }

  find(key: CelValue): CelResult | undefined {
    if (typeof key !== 'string') return NO_SUCH_OVERLOAD;
    const name = this.#isObject ? unescapeProperty(key) : key;
    return name === undefined ? undefined : this.#value(name);
  }

  *keys(): Generator<CelValue> {
    for (const name of this.#names) {
      if (this.#schemaOf(name) === undefined) continue;
      yield this.#isObject ? (escapeProperty(name) ?? name) : name;
    }
  }

  /** Members the schema does not know are compared as they are, and only where both have them. */
  override equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelMap)) return NO_SUCH_OVERLOAD;
    if (this.size !== other.size) return false;
    for (const name of this.#names) {
      const same = this.#schemaOf(name) === undefined ? this.#hasSameUnknown(name, other) : this.#hasSame(name, other);
      if (same !== true) return same;
    }
    return true;
  }

  #hasSame(name: string, other: CelMap): boolean | CelError {
    const mine = this.#value(name);
    const theirs = other instanceof SchemaMap ? other.#value(name) : other.find(name);
    if (mine === undefined || theirs === undefined) return mine === theirs;
    return equal(mine, theirs);
  }

  #hasSameUnknown(name: string, other: CelMap): boolean | CelError {
    if (!(other instanceof SchemaMap)) return NO_SUCH_OVERLOAD;
    const theirs = memberOf(other.#json, name);
    return theirs === undefined || isSameJson(this.#json[name], theirs);
  }

  override untyped(): CelValue {
    return jsonToCel(this.#json);
  }

  #schemaOf(name: string): StructuralSchema | undefined {
    const { properties } = this.#schema;
    if (properties === undefined) return valueSchemaOf(this.#schema);
    return memberOf(properties, name);
  }

  /** A null property of an object is an absent one. */
  #value(name: string): CelResult | undefined {
    const json = memberOf(this.#json, name);
    const schema = this.#schemaOf(name);
    if (json === undefined || schema === undefined || (json === null && this.#isObject)) return undefined;
    let value = this.#values.get(name);
    if (value === undefined) {
      value = toCel(json, schema);
      this.#values.set(name, value);
    }
    return value;
  }
}
