// The language our kinds are written in. One value is both the structural schema the API server gets and, through
// `Infer`, the static type of an admitted object, so the two cannot drift apart.
import type { Json, StructuralSchema, ValidationRule } from '@karpenter-ts/kubernetes';

declare const TYPE: unique symbol;

/** A structural schema that knows the TypeScript type of what it admits. */
export interface Schema<T> extends StructuralSchema {
  readonly [TYPE]?: T;
}

/** The static type of the values a schema admits, after defaulting. */
export type Infer<S> = S extends Schema<infer T> ? T : never;

/** A property the object must have; `present` says that only a default fills it in. */
interface Field<T> {
  readonly schema: Schema<T>;
  readonly need: 'required' | 'defaulted' | 'required-defaulted';
}

type Shape = Readonly<Record<string, Schema<unknown> | Field<unknown>>>;

type TypeOf<F> = F extends Field<infer T> ? T : Infer<F>;

/** Required and defaulted properties are there in every admitted object; the others may be missing. */
type ObjectOf<S extends Shape> = {
  readonly [K in keyof S as S[K] extends Field<unknown> ? K : never]: TypeOf<S[K]>;
} & {
  readonly [K in keyof S as S[K] extends Field<unknown> ? never : K]?: TypeOf<S[K]> | undefined;
};

type Flat<T> = { readonly [K in keyof T]: T[K] };

/** Bounds every string may carry; `enum` narrows the static type to its members. */
interface StringBounds {
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: 'date-time';
  readonly rules?: readonly ValidationRule[];
}

/** A string, within bounds. */
export function string(description: string, bounds: StringBounds = {}): Schema<string> {
  const { rules, ...rest } = bounds;
  return { description, type: 'string', ...rest, ...validations(rules) };
}

/** One of a closed set of strings. The order is the one users see in the server's error. */
export function oneOf<const V extends readonly string[]>(description: string, values: V): Schema<V[number]> {
  return { description, type: 'string', enum: values };
}

/** A whole number of 32 or 64 bits, or of no stated width as Go's `int` is written. */
export function integer(
  description: string,
  bounds: { readonly format?: 'int32' | 'int64'; readonly minimum?: number; readonly maximum?: number } = {},
): Schema<number> {
  return { description, type: 'integer', ...bounds };
}

/** True or false. */
export function boolean(description: string): Schema<boolean> {
  return { description, type: 'boolean' };
}

interface ListBounds {
  readonly listType?: 'atomic' | 'set';
  readonly mapKeys?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly rules?: readonly ValidationRule[];
  /** Constraints that upstream put on the array instead of its items; kept because the schema is interface. */
  readonly misplaced?: Pick<StructuralSchema, 'pattern' | 'maxLength'>;
}

/** A list; `mapKeys` makes it a map keyed by those members, `listType` tells server-side apply how to merge it. */
export function list<T>(description: string, items: Schema<T>, bounds: ListBounds = {}): Schema<readonly T[]> {
  const { listType, mapKeys, rules, misplaced, ...rest } = bounds;
  return {
    description,
    type: 'array',
    items,
    ...rest,
    ...misplaced,
    ...(listType && { 'x-kubernetes-list-type': listType }),
    ...(mapKeys && { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': mapKeys }),
    ...validations(rules),
  };
}

interface MapBounds {
  readonly maxProperties?: number;
  readonly mapType?: 'atomic' | 'granular';
  readonly rules?: readonly ValidationRule[];
}

/** A map from any string to values of one schema. */
export function map<T>(
  description: string,
  values: Schema<T>,
  bounds: MapBounds = {},
): Schema<Readonly<Record<string, T>>> {
  const { mapType, rules, ...rest } = bounds;
  return {
    description,
    type: 'object',
    additionalProperties: values,
    ...rest,
    ...(mapType && { 'x-kubernetes-map-type': mapType }),
    ...validations(rules),
  };
}

/** An object with known properties; unknown ones are pruned. */
export function object<S extends Shape>(
  description: string | undefined,
  shape: S,
  rules?: readonly ValidationRule[],
): Schema<Flat<ObjectOf<S>>> {
  const properties: Record<string, StructuralSchema> = {};
  const need: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    properties[name] = isField(field) ? field.schema : field;
    if (isField(field) && field.need !== 'defaulted') need.push(name);
  }
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    properties,
    ...(need.length > 0 && { required: need.sort() }),
    ...validations(rules),
  };
}

/** Marks a property that the user must write. */
export function required<T>(field: Schema<T> | Field<T>): Field<T> {
  return isField(field) ? { schema: field.schema, need: 'required-defaulted' } : { schema: field, need: 'required' };
}

/** Marks a property that the server fills in when it is missing. */
export function defaulted<T>(schema: Schema<T>, value: Json): Field<T> {
  return { schema: { ...schema, default: value }, need: 'defaulted' };
}

function isField(field: Schema<unknown> | Field<unknown>): field is Field<unknown> {
  return 'schema' in field && 'need' in field;
}

function validations(rules: readonly ValidationRule[] | undefined): Pick<StructuralSchema, 'x-kubernetes-validations'> {
  return rules && rules.length > 0 ? { 'x-kubernetes-validations': rules } : {};
}
