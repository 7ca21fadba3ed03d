import type { Json, JsonObject, LargeInteger } from '@karpenter-ts/kubernetes';
import { isJsonArray, isJsonObject, isNumber, jsonTypeOf, setMember } from '../json-value.ts';
import { type Draft, setDefaults } from './defaults.ts';
import type { GoField, GoStruct, GoType, Scalar } from './go-types.ts';
import { LeafError, readBase64, readMicroTime, readQuantity, readTime } from './leaf-values.ts';

/** A JSON object as the Go struct of its kind keeps it: what it does not know is gone, what is missing has its default. */
export interface Decoded {
  readonly object: JsonObject;
  /** Where unknown fields stood, in the order of the document: `spec.containers[0].nmae`. */
  readonly unknown: readonly string[];
}

/** The object cannot be read as its kind. The message is Go's. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/**
 * Reads an object as Go's decoder does, null for missing included, and writes it as Go's encoder. Members that are the
 * very members of `known`, an object that was read before, are taken as they are. Throws DecodeError.
 */
export function decodeGo(object: JsonObject, type: GoStruct, known?: JsonObject): Decoded {
  const decoder = new Decoder();
  return { object: decoder.readStruct(object, type, known), unknown: decoder.unknown };
}

const ZEROS: Readonly<Record<Scalar, Json>> = { string: '', bool: false, int32: 0, int64: 0, float64: 0, bytes: null };

const NOTHING: JsonObject = {};

class Decoder {
  readonly unknown: string[] = [];
  readonly #path: (string | number)[] = []; // names of fields, indexes of items; keys of maps are left out as in Go
  #owner: GoStruct | undefined; // whose field is being read

  readStruct(value: Json, type: GoStruct, known: JsonObject = NOTHING): JsonObject {
    if (!isJsonObject(value)) throw this.#mismatch(value, type.text);
    const owner = this.#owner;
    this.#owner = type;
    const out: Draft = {};
    const { fields } = type;
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      const member = value[name];
      if (field === undefined) this.unknown.push(pathText([...this.#path, name]));
      else if (typeof member === 'object' && member !== null && member === known[name]) out[name] = member;
      else if (member !== undefined && member !== null) this.#readField(out, name, member, field);
    }
    for (const [name, field] of alwaysWritten(type)) {
      const isNothing = out[name] === undefined || isEmptyList(out[name]); // storage does not tell them apart
      if (isNothing) out[name] = this.#zero(field.type);
    }
    this.#owner = owner;
    setDefaults(type.name, out);
    return out;
  }

  #readField(out: Draft, name: string, member: Json, field: GoField): void {
    this.#path.push(name);
    const value = this.#read(member, field.type);
    this.#path.pop();
    if (!field.omitEmpty || !isEmpty(value, field.type)) out[name] = value;
  }

  #read(value: Json, type: GoType): Json {
    if (value === null) return this.#zero(type);
    switch (type.form) {
      case 'scalar':
        return this.#readScalar(value, type.scalar, type.text);
      case 'opaque':
        return this.#readOpaque(value, type.name);
      case 'pointer':
        return this.#read(value, type.to);
      case 'list':
        return this.#readList(value, type);
      case 'map':
        return this.#readMap(value, type);
      default:
        return this.readStruct(value, type);
    }
  }

  #readList(value: Json, type: GoType & { readonly form: 'list' }): Json {
    if (!isJsonArray(value)) throw this.#mismatch(value, type.text);
    return value.map((item, index) => {
      this.#path.push(index);
      const read = this.#read(item, type.items);
      this.#path.pop();
      return read;
    });
  }

  #readMap(value: Json, type: GoType & { readonly form: 'map' }): Json {
    if (!isJsonObject(value)) throw this.#mismatch(value, type.text);
    const out: Record<string, Json> = {};
    for (const key of Object.keys(value)) {
      const item = this.#read(value[key] ?? null, type.values);
      setMember(out, key, item); // users choose the keys
    }
    return out;
  }

  #readScalar(value: Json, scalar: Scalar, text: string): Json {
    switch (scalar) {
      case 'string':
        return typeof value === 'string' ? value : this.#fail(value, text);
      case 'bool':
        return typeof value === 'boolean' ? value : this.#fail(value, text);
      case 'float64':
        return isNumber(value) ? Number(value) : this.#fail(value, text);
      case 'bytes':
        return typeof value === 'string' ? leaf(readBase64, value) : this.#readBytes(value, text);
      default:
        return this.#readInteger(value, scalar, text);
    }
  }

  /** Go takes bytes as a list of numbers, too, and null for zero among them. */
  #readBytes(value: Json, text: string): Json {
    if (!isJsonArray(value)) return this.#fail(value, text);
    const bytes = value.map((item) => {
      if (item !== null && typeof item !== 'number') throw this.#mismatch(item, 'uint8');
      const byte = item ?? 0;
      if (!Number.isInteger(byte) || byte < 0 || byte > 255) throw this.#mismatch(byte, 'uint8', `number ${byte}`);
      return byte;
    });
    return Buffer.from(bytes).toString('base64');
  }

  #readInteger(value: Json, scalar: 'int32' | 'int64', text: string): number | LargeInteger {
    if (!isNumber(value)) return this.#fail(value, text);
    const fits = typeof value === 'number' ? isIntegerOf(value, scalar) : scalar === 'int64';
    if (!fits) throw this.#mismatch(value, text, `number ${String(value)}`);
    return value;
  }

  #readOpaque(value: Json, name: string): Json {
    switch (name) {
      case 'resource.Quantity':
        return leaf(readQuantity, value);
      case 'intstr.IntOrString':
        return typeof value === 'string' ? value : this.#readInteger(value, 'int32', 'int32');
      case 'meta.Time':
        return typeof value === 'string' ? leaf(readTime, value) : this.#fail(value, 'string');
      case 'meta.MicroTime':
        return typeof value === 'string' ? leaf(readMicroTime, value) : this.#fail(value, 'string');
      default:
        return value; // carried as it is: another program's JSON, or a schema that refers to itself
    }
  }

  #zero(type: GoType): Json {
    switch (type.form) {
      case 'scalar':
        return ZEROS[type.scalar];
      case 'struct':
        return this.readStruct({}, type);
      case 'opaque':
        return type.name === 'resource.Quantity' ? '0' : type.name === 'intstr.IntOrString' ? 0 : null;
      default:
        return null;
    }
  }

  #fail(value: Json, wanted: string): never {
    throw this.#mismatch(value, wanted);
  }

  #mismatch(value: Json, wanted: string, got: string = jsonTypeOf(value)): DecodeError {
    const field = this.#path.filter((segment) => typeof segment === 'string').join('.');
    const owner = this.#owner?.text ?? '';
    const place = field === '' ? 'Go value' : `Go struct field ${owner.slice(owner.indexOf('.') + 1)}.${field}`;
    return new DecodeError(`json: cannot unmarshal ${got} into ${place} of type ${wanted}`);
  }
}

/** A number that is beyond 64 bits is a float, whatever its digits. */
function isIntegerOf(value: number, scalar: 'int32' | 'int64'): boolean {
  return scalar === 'int32' ? value === (value | 0) : Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** Go's omitempty: pointers are empty when nil, so a zero behind one stays. */
function isEmpty(value: Json, type: GoType): boolean {
  if (value === null) return true;
  if (type.form === 'pointer' || type.form === 'opaque') return false;
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  return type.form !== 'struct' && (isJsonArray(value) ? value.length === 0 : Object.keys(value).length === 0);
}

function isEmptyList(value: Json): boolean {
  return isJsonArray(value) && value.length === 0;
}

const always = new Map<GoStruct, readonly (readonly [string, GoField])[]>();

/** The fields that Go writes even when they hold nothing. */
function alwaysWritten(type: GoStruct): readonly (readonly [string, GoField])[] {
  let fields = always.get(type);
  if (fields === undefined) {
    fields = [...type.fields].filter(([, field]) => !field.omitEmpty);
    always.set(type, fields);
  }
  return fields;
}

function leaf<T extends Json>(read: (value: T) => Json, value: T): Json {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof LeafError) throw new DecodeError(error.message);
    throw error;
  }
}

function pathText(path: readonly (string | number)[]): string {
  return path
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`))
    .join('')
    .slice(1);
}
