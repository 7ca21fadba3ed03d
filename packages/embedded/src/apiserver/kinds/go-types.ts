// What Go's encoder and decoder know of the built-in kinds. The table is made from the Go sources by go-types/main.go.
import table from './go-types.json' with { type: 'json' };

/** A type as a Go program has it. */
export type GoType =
  | { readonly form: 'scalar'; readonly scalar: Scalar; readonly text: string }
  | { readonly form: 'opaque'; readonly name: string; readonly text: string }
  | { readonly form: 'pointer'; readonly to: GoType; readonly text: string }
  | { readonly form: 'list'; readonly items: GoType; readonly text: string }
  | { readonly form: 'map'; readonly values: GoType; readonly text: string }
  | GoStruct;

/** A struct; its fields are found when first asked for, as types may refer to themselves. */
export interface GoStruct {
  readonly form: 'struct';
  /** `core.Container` */
  readonly name: string;
  /** As Go prints it: `v1.Container`. */
  readonly text: string;
  readonly fields: ReadonlyMap<string, GoField>;
}

/** One field of a struct. */
export interface GoField {
  readonly type: GoType;
  /** Left out of the JSON when empty; the others are always written. */
  readonly omitEmpty: boolean;
}

export type Scalar = 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'bytes';

const TABLE = table as Readonly<Record<string, string | Readonly<Record<string, string>>>>;
const SCALARS: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'float64']);
const known = new Map<string, GoType>();

/** The struct of this name; throws when the table has none. */
export function goStruct(name: string): GoStruct {
  const type = goType(name);
  if (type.form !== 'struct') throw new Error(`${name} is no struct`);
  return type;
}

/** The type written like this in the table: `*int32`, `[]core.Container`, `map[string]string`. */
function goType(text: string): GoType {
  let type = known.get(text);
  if (type === undefined) {
    type = parse(text);
    known.set(text, type);
  }
  return type;
}

function parse(text: string): GoType {
  if (text.startsWith('*')) return { form: 'pointer', to: goType(text.slice(1)), text: printed(text) };
  if (text === '[]uint8') return { form: 'scalar', scalar: 'bytes', text };
  if (text.startsWith('[]')) return { form: 'list', items: goType(text.slice(2)), text: printed(text) };
  if (text.startsWith('map[')) {
    return { form: 'map', values: goType(text.slice(text.indexOf(']') + 1)), text: printed(text) };
  }
  return SCALARS.has(text) ? { form: 'scalar', scalar: text as Scalar, text } : named(text);
}

function named(name: string): GoType {
  const entry = TABLE[name];
  if (entry === undefined) return { form: 'opaque', name, text: printed(name) };
  if (typeof entry === 'string') return { ...goType(entry), text: printed(name) };
  return struct(name, entry);
}

function struct(name: string, entry: Readonly<Record<string, string>>): GoStruct {
  let fields: ReadonlyMap<string, GoField> | undefined;
  return {
    form: 'struct',
    name,
    text: printed(name),
    get fields() {
      fields ??= new Map(Object.entries(entry).map(([field, text]) => [field, goField(text)]));
      return fields;
    },
  };
}

function goField(text: string): GoField {
  const omitEmpty = text.endsWith('?');
  return { type: goType(omitEmpty ? text.slice(0, -1) : text), omitEmpty };
}

/** Go names a package by its last part: all API groups are `v1` to it. */
function printed(text: string): string {
  return text.replace(/[a-z]+\./g, (name) =>
    name === 'resource.' || name === 'intstr.' || name === 'runtime.' ? name : 'v1.',
  );
}
