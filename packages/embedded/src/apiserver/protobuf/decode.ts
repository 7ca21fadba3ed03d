import { type Json, type JsonObject, LargeInteger, parseExactJson, timestamp } from '@karpenter-ts/kubernetes';
import { goTypeOf } from '../kinds/builtin.ts';
import { type GoField, type GoStruct, type GoType, goStruct } from '../kinds/go-types.ts';
import table from './field-numbers.json' with { type: 'json' };
import { readFields, WireError } from './wire.ts';

/** By struct: the JSON names of its fields from number 1 on. The table is made by field-numbers/main.go. */
const NUMBERS = table as Readonly<Record<string, string>>;

/** How every message of Kubernetes begins. */
const MAGIC = Buffer.from('k8s\0');

/** The kind has no protobuf form here: custom resources never have one. */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError';
}

/**
 * The object in a body of type `application/vnd.kubernetes.protobuf`, as its sender would have written it in JSON.
 * kubectl sends such bodies when it creates objects by its own types (`kubectl create configmap`, `drain`); nobody needs
 * them as answers, since every client takes JSON too. Throws a WireError or an UnknownKindError.
 */
export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw new WireError('provided data does not appear to be a protobuf message');
  const { 1: typeMeta = Buffer.of(), 2: raw = Buffer.of() } = lastOfEach(body.subarray(MAGIC.length));
  const { 1: version = Buffer.of(), 2: kindName = Buffer.of() } = lastOfEach(bytesOf(typeMeta));
  const apiVersion = bytesOf(version).toString();
  const kind = bytesOf(kindName).toString();
  return { apiVersion, kind, ...decodeMessage(bytesOf(raw), structOf(apiVersion, kind)) };
}

function lastOfEach(message: Buffer): Readonly<Record<number, bigint | Buffer>> {
  return Object.fromEntries(readFields(message).map(({ number, value }) => [number, value]));
}

function structOf(apiVersion: string, kind: string): GoStruct {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const name = kind === 'DeleteOptions' ? 'meta.DeleteOptions' : goTypeOf({ group, kind }); // those are of every group
  if (!Object.hasOwn(NUMBERS, name)) throw new UnknownKindError(`no protobuf of ${apiVersion} ${kind}`);
  return goStruct(name);
}

/** Without a prototype: users choose the keys of maps. */
type Members = Record<string, Json>;

const emptyMembers = (): Members => Object.create(null) as Members;

function decodeMessage(message: Buffer, struct: GoStruct): JsonObject {
  const members = emptyMembers();
  addMembers(members, message, { struct, numbering: struct.name });
  return members;
}

interface Layout {
  /** The struct the members are of, whose JSON has those of its embedded structs among its own. */
  readonly struct: GoStruct;
  /** The struct whose numbers the message has. */
  readonly numbering: string;
}

function addMembers(members: Members, message: Buffer, { struct, numbering }: Layout): void {
  const names = NUMBERS[numbering]?.split(' ') ?? [];
  for (const { number, value } of readFields(message)) {
    const name = names[number - 1] ?? '-';
    if (name.startsWith('=')) {
      addMembers(members, bytesOf(value), { struct, numbering: name.slice(1) });
      continue;
    }
    const field = struct.fields.get(name);
    if (field !== undefined) addMember(members, name, { field, value });
  }
}

function addMember(
  members: Members,
  name: string,
  { field, value }: { readonly field: GoField; readonly value: bigint | Buffer },
): void {
  const { type, omitEmpty } = field;
  if (type.form === 'list') {
    members[name] ??= [];
    (members[name] as Json[]).push(decodeValue(value, type.items));
  } else if (type.form === 'map') {
    members[name] ??= emptyMembers();
    const { 1: key = Buffer.of(), 2: entry = Buffer.of() } = lastOfEach(bytesOf(value));
    (members[name] as Members)[bytesOf(key).toString()] = decodeValue(entry, type.values);
  } else {
    const decoded = decodeValue(value, type);
    const isEmpty = decoded === '' || decoded === 0 || decoded === false || decoded === null;
    if (!isEmpty || !omitEmpty || type.form === 'pointer') members[name] = decoded;
  }
}

function decodeValue(value: bigint | Buffer, type: GoType): Json {
  switch (type.form) {
    case 'pointer':
      return decodeValue(value, type.to);
    case 'struct':
      return decodeMessage(bytesOf(value), type);
    case 'scalar':
      return SCALARS[type.scalar](value);
    case 'opaque':
      return decodeOpaque(bytesOf(value), type.name);
    default:
      throw new WireError(`a ${type.form} of lists`);
  }
}

const SCALARS = {
  string: (value: bigint | Buffer) => bytesOf(value).toString(),
  bytes: (value: bigint | Buffer) => bytesOf(value).toString('base64'),
  bool: (value: bigint | Buffer) => integerOf(value) !== 0,
  int32: (value: bigint | Buffer) => integerOf(value),
  int64: (value: bigint | Buffer) => LargeInteger.from(signed(value)),
  float64: (value: bigint | Buffer) => bytesOf(value).readDoubleLE(),
};

/** Types that write themselves, in JSON otherwise than in protobuf. */
function decodeOpaque(message: Buffer, name: string): Json {
  const { 1: first, 2: second, 3: third } = lastOfEach(message);
  switch (name) {
    case 'resource.Quantity':
      return bytesOf(first ?? Buffer.of()).toString();
    case 'intstr.IntOrString':
      return first === 1n ? bytesOf(third ?? Buffer.of()).toString() : integerOf(second ?? 0n);
    case 'meta.Time':
      return first === undefined ? null : formatSeconds(first);
    case 'meta.MicroTime':
      return first === undefined ? null : formatSeconds(first).replace('Z', `.${micros(second)}Z`);
    default: // holds JSON
      return parseExactJson(bytesOf(first ?? Buffer.from('null')).toString()) as Json;
  }
}

const formatSeconds = (value: bigint | Buffer): string => timestamp(integerOf(value) * 1000);

const micros = (nanos: bigint | Buffer = 0n): string => String(Math.floor(integerOf(nanos) / 1000)).padStart(6, '0');

function bytesOf(value: bigint | Buffer): Buffer {
  if (typeof value === 'bigint') throw new WireError('a number where bytes should be');
  return value;
}

/** Negative numbers are written as their complement in 64 bits. */
function signed(value: bigint | Buffer): bigint {
  if (typeof value !== 'bigint') throw new WireError('bytes where a number should be');
  return BigInt.asIntN(64, value);
}

function integerOf(value: bigint | Buffer): number {
  return Number(signed(value));
}
