import { CelList } from '../runtime/list.ts';
import { CelMap } from '../runtime/map.ts';
import { CelError, type CelResult, type CelValue, typeNameOf } from '../runtime/value.ts';

/** What the checker tells types apart by. A `param` is a type still to be found, an `error` one already complained of. */
type TypeKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'int'
  | 'uint'
  | 'string'
  | 'duration'
  | 'timestamp'
  | 'list'
  | 'map'
  | 'type'
  | 'opaque'
  | 'struct'
  | 'param';

/** The static type of an expression. */
export interface CelType {
  readonly kind: TypeKind;
  /** As values of the type report it at run time, and as messages spell it. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** The type of a field, for a `struct` made from a schema; other structs have no fields. */
  readonly field?: (name: string) => CelType | undefined;
}

function simple(kind: TypeKind, name: string = kind): CelType {
  return { kind, name, params: [] };
}

/** Any type: what is done with it is looked at only when it runs. */
export const DYN = simple('dyn');
/** The type of what has been complained of, which fits everywhere so that one mistake is one issue. */
export const ERROR = simple('error', '!error!');
export const BOOL = simple('bool');
export const INT = simple('int');
export const STRING = simple('string');

const NAMED: ReadonlyMap<string, CelType> = new Map([
  ['dyn', DYN],
  ['bool', BOOL],
  ['int', INT],
  ['string', STRING],
  ['bytes', simple('bytes')],
  ['double', simple('double')],
  ['uint', simple('uint')],
  ['null', simple('null', 'null_type')],
  ['duration', simple('duration', 'google.protobuf.Duration')],
  ['timestamp', simple('timestamp', 'google.protobuf.Timestamp')],
  ['IP', simple('opaque', 'net.IP')],
  ['CIDR', simple('opaque', 'net.CIDR')],
  ['Quantity', simple('struct', 'kubernetes.Quantity')],
  ['URL', simple('struct', 'kubernetes.URL')],
  ['Semver', simple('struct', 'kubernetes.Semver')],
  ['Format', simple('struct', 'kubernetes.NamedFormat')],
]);

/** `list(element)`. */
export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', params: [element] };
}

/** `map(key, value)`. */
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', params: [key, value] };
}

/** `optional_type(value)`. */
export function optionalOf(value: CelType): CelType {
  return { kind: 'opaque', name: 'optional_type', params: [value] };
}

/** `type(of)`: the type of the name `int`, of `type(1)`. */
export function typeOf(of: CelType): CelType {
  return { kind: 'type', name: 'type', params: [of] };
}

/** A type to be inferred; two of one name are the same type. */
export function paramType(name: string): CelType {
  return simple('param', name);
}

const GENERIC: Readonly<Record<string, (first: CelType, second: CelType) => CelType>> = {
  list: listOf,
  map: mapOf,
  optional: optionalOf,
  type: typeOf,
};

const parsed = new Map<string, CelType>(NAMED);

/** The type a library's signature names: `int`, `list(T)`, `map(string, list(string))`; one capital is a parameter. */
export function parseType(text: string): CelType {
  let type = parsed.get(text);
  if (type === undefined) {
    type = text.includes('(') ? parseGeneric(text) : paramType(text);
    parsed.set(text, type);
  }
  return type;
}

function parseGeneric(text: string): CelType {
  const open = text.indexOf('(');
  const [first, second] = splitTypes(text.slice(open + 1, -1)).map(parseType);
  return GENERIC[text.slice(0, open)]!(first!, second!);
}

/** The parts of a comma-separated list of types. */
export function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 2;
    }
  }
  return start < text.length ? [...parts, text.slice(start)] : parts;
}

/** A type as cel-go's messages print it. */
export function formatType(type: CelType): string {
  if (type.kind === 'null' || type.kind === 'duration' || type.kind === 'timestamp') return type.kind;
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
}

/** True when they are the same type, parameters by their name. */
export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => isSameType(param, b.params[i]!));
}

/** Whether a function that takes the type takes the value. Of a list or a map the first element answers for all. */
export function acceptsValue(type: CelType, value: CelValue): boolean {
  if (type.kind === 'dyn' || type.kind === 'param') return true;
  if (type.name !== typeNameOf(value)) return false;
  if (value instanceof CelList) return value.size === 0 || acceptsResult(type.params[0]!, value.at(0));
  if (!(value instanceof CelMap)) return true;
  for (const key of value.keys()) {
    return acceptsValue(type.params[0]!, key) && acceptsResult(type.params[1]!, value.find(key)!);
  }
  return true;
}

function acceptsResult(type: CelType, value: CelResult): boolean {
  return type.kind === 'dyn' || type.kind === 'param' || (!(value instanceof CelError) && acceptsValue(type, value));
}
