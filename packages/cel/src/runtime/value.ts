import type { Duration } from './duration.ts';
import type { CelList } from './list.ts';
import type { CelMap } from './map.ts';
import type { Timestamp } from './timestamp.ts';

/** A value literals can spell. CEL's int is a bigint, its double a number. */
export type Scalar = null | boolean | bigint | number | string | Uint8Array | Uint;

/** Any value an expression can hold. */
export type CelValue = Scalar | Timestamp | Duration | CelList | CelMap | Optional | TypeValue | Opaque;

/** What evaluating gives. An error is a value: `||`, `&&` and the quantifiers may drop it again. */
export type CelResult = CelValue | CelError;

/** An evaluation error; `message` is cel-go's text. Not an `Error`: rules make and drop them by the thousand. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** An operation does not exist for the types its operands turned out to have. */
export const NO_SUCH_OVERLOAD = new CelError('no such overload');

/** An unsigned 64-bit integer. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A value or nothing: `optional.of(x)`, `optional.none()`. */
export class Optional {
  static readonly NONE = new Optional(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A type as a value: what `type(x)` gives and what the name `int` stands for. */
export class TypeValue {
  readonly typeName: string;

  constructor(typeName: string) {
    this.typeName = typeName;
  }
}

/** A value that knows itself what it equals: a list, a map, or of a library's own type. */
export abstract class Structured {
  abstract readonly typeName: string;
  abstract equals(other: CelValue): boolean | CelError;
}

/** A value of a library's own type. Comparing it with one of another type is an error, unlike for CEL's types. */
export abstract class Opaque extends Structured {
  abstract override toString(): string;
}

/** The type's name as errors and `type()` spell it. */
export function typeNameOf(value: CelValue): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value === null) return 'null_type';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Optional) return 'optional_type';
  return value instanceof TypeValue ? 'type' : value.typeName;
}

/** The name of cel-go's own type, which a few of its errors let through. */
export function goTypeNameOf(value: CelValue): string {
  const name = typeNameOf(value);
  return GO_TYPE_NAMES[name] ?? name;
}

const GO_TYPE_NAMES: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  int: 'types.Int',
  double: 'types.Double',
  string: 'types.String',
  null_type: 'types.Null',
  bytes: 'types.Bytes',
  uint: 'types.Uint',
  list: '*types.baseList',
  map: '*types.baseMap',
  type: '*types.Type',
  optional_type: '*types.Optional',
  'google.protobuf.Timestamp': 'types.Timestamp',
  'google.protobuf.Duration': 'types.Duration',
};
