import { LargeInteger } from '@karpenter-ts/kubernetes';
import { fnv1 } from './fnv1.ts';

// How upstream hashes a Go value by its structure (spec 01 §11.2). Lists and maps do not depend on order; objects hash
// the Go names of their type and members, so those names are part of the interface here.

/** How values of one Go type hash, and which of them is its zero value. */
export interface Shape {
  hash(value: unknown): bigint;
  isZero(value: unknown): boolean;
}

/** One member of an object: its Go name, its JSON name, and whether Go holds it by value or behind a pointer. */
export interface Member {
  readonly nameHash: bigint;
  readonly jsonName: string;
  readonly shape: Shape;
  readonly byValue: boolean;
}

const utf8 = new TextEncoder();

/** Hash of a text's UTF-8 bytes. */
export function hashText(value: string): bigint {
  return fnv1(utf8.encode(value));
}

/** A string; zero when empty. */
export const text: Shape = {
  hash: (value) => hashText(value as string),
  isZero: (value) => value === '',
};

/** A text that hashes as another, equal for equal meaning: `canonical` sees it first. */
export function textAs(canonical: (value: string) => string): Shape {
  return { hash: (value) => hashText(canonical(value as string)), isZero: () => false };
}

/** One byte, 0 or 1; zero when false. */
export const bool: Shape = {
  hash: (value) => fnv1(Uint8Array.of(value ? 1 : 0)),
  isZero: (value) => value === false,
};

/** Four bytes, little endian; zero when 0. */
export const int32: Shape = {
  hash: (value) => {
    const bytes = new DataView(new ArrayBuffer(4));
    bytes.setInt32(0, value as number, true);
    return fnv1(new Uint8Array(bytes.buffer));
  },
  isZero: (value) => value === 0,
};

/** Eight bytes, little endian; zero when 0. */
export const int64: Shape = int64As((value) =>
  BigInt(value instanceof LargeInteger ? value.digits : (value as number)),
);

/** An int64 that JSON writes in another form. */
export function int64As(parse: (value: unknown) => bigint): Shape {
  return { hash: (value) => fnv1(littleEndian(parse(value))), isZero: (value) => parse(value) === 0n };
}

/** XOR of the elements: any order gives the same hash, and two equal elements cancel out. A present list is not zero. */
export function list(element: Shape): Shape {
  return {
    hash: (value) => (value as readonly unknown[]).reduce<bigint>((sum, item) => sum ^ element.hash(item), 0n),
    isZero: () => false,
  };
}

/** Entries in any order give the same hash. A present map is not zero, even if empty. */
export function map(element: Shape): Shape {
  return {
    hash: (value) => {
      let sum = 0n;
      for (const [key, item] of Object.entries(value as object)) sum ^= ordered(hashText(key), element.hash(item));
      return finish(sum);
    },
    isZero: () => false,
  };
}

/** An object of the Go type `typeName`; members in the order Go declares them. Zero when all members are. */
export function object(typeName: string, members: readonly Member[]): Shape {
  const typeHash = hashText(typeName);
  return {
    hash: (value) => {
      let sum = typeHash;
      for (const member of members) {
        const item = memberOf(value, member);
        if (!isSkipped(item, member)) sum = finish(sum ^ ordered(member.nameHash, member.shape.hash(item)));
      }
      return sum;
    },
    isZero: (value) => members.every((member) => isSkipped(memberOf(value, member), member)),
  };
}

/** A member that Go holds by value: left out when it has its zero value. */
export function value(name: string, jsonName: string, shape: Shape): Member {
  return { nameHash: hashText(name), jsonName, shape, byValue: true };
}

/** A member Go holds behind a pointer, or a list or map: left out only when absent, so `false` and 0 do hash. */
export function pointer(name: string, jsonName: string, shape: Shape): Member {
  return { nameHash: hashText(name), jsonName, shape, byValue: false };
}

/** A value whose Go type wraps it in an object of one member, where JSON has the bare value. */
export function wrapped(typeName: string, wrap: (jsonName: string) => Member): Shape {
  const shape = object(typeName, [wrap('inner')]);
  return { hash: (inner) => shape.hash({ inner }), isZero: (inner) => shape.isZero({ inner }) };
}

function memberOf(container: unknown, { jsonName }: Member): unknown {
  return (container as Readonly<Record<string, unknown>>)[jsonName];
}

function isSkipped(item: unknown, { byValue, shape }: Member): boolean {
  return item === undefined || item === null || (byValue && shape.isZero(item));
}

function ordered(a: bigint, b: bigint): bigint {
  return fnv1(littleEndian(a, b));
}

function finish(a: bigint): bigint {
  return fnv1(littleEndian(a));
}

function littleEndian(...numbers: readonly bigint[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(8 * numbers.length));
  for (const [i, number] of numbers.entries()) bytes.setBigUint64(8 * i, number, true);
  return new Uint8Array(bytes.buffer);
}
