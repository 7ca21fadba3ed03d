import { gzipSync } from 'node:zlib';

/** A position in the code. */
export interface Frame {
  readonly name: string;
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** What a value counts, and its unit. */
interface ValueType {
  readonly type: string;
  readonly unit: string;
}

/** A profile in the form of pprof. */
export interface PprofProfile {
  readonly types: readonly ValueType[];
  /** One per distinct stack, innermost frame first, with one value per type. */
  readonly samples: Iterable<{ readonly stack: readonly Frame[]; readonly values: readonly number[] }>;
  /** The interval between two samples. */
  readonly period: ValueType & { readonly value: number };
  readonly startedAt: number;
  readonly durationMs: number;
}

/**
 * Encodes a profile as the gzipped protobuf that `go tool pprof` and continuous profilers read
 * (github.com/google/pprof, profile.proto).
 */
export function encodePprof({ types, samples, period, startedAt, durationMs }: PprofProfile): Buffer {
  const strings = new Table<string>(['']);
  const functions = new Table<string>();
  const locations = new Table<string>();
  const body = new Message();
  const valueType = ({ type, unit }: ValueType): Message =>
    new Message().number(1, strings.idOf(type)).number(2, strings.idOf(unit));

  const functionOf = ({ name, file }: Frame): number =>
    functions.idOf(`${name}\n${file}`, (id) => {
      const [text, path] = [strings.idOf(name), strings.idOf(file)];
      body.message(
        5,
        new Message()
          .number(1, id + 1)
          .number(2, text)
          .number(3, text)
          .number(4, path),
      );
    }) + 1;
  const locationOf = (frame: Frame): number =>
    locations.idOf(`${frame.name}\n${frame.file}\n${frame.line}`, (id) => {
      const line = new Message().number(1, functionOf(frame)).number(2, frame.line);
      body.message(4, new Message().number(1, id + 1).message(4, line));
    }) + 1;

  for (const type of types) body.message(1, valueType(type));
  for (const { stack, values } of samples) {
    body.message(2, new Message().packed(1, stack.map(locationOf)).packed(2, values));
  }
  body.number(9, startedAt * 1e6).number(10, durationMs * 1e6);
  body.message(11, valueType(period)).number(12, period.value);
  for (const text of strings.values()) body.bytes(6, Buffer.from(text)); // last, because all strings are known only now
  return gzipSync(body.finish());
}

/** Numbers values from 0 in the order in which they first occur. */
class Table<T> {
  readonly #ids = new Map<T, number>();

  constructor(first: readonly T[] = []) {
    for (const value of first) this.idOf(value);
  }

  idOf(value: T, onNew: (id: number) => void = () => {}): number {
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(value, id);
    onNew(id);
    return id;
  }

  values(): Iterable<T> {
    return this.#ids.keys();
  }
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** Encodes a protobuf message. Supports only what profiles need: integers from 0 to 2^53, bytes and messages. */
class Message {
  readonly #bytes: number[] = [];

  number(field: number, value: number): this {
    this.#varint(field * 8 + VARINT);
    this.#varint(value);
    return this;
  }

  bytes(field: number, value: Iterable<number> & { readonly length: number }): this {
    this.#varint(field * 8 + LENGTH_DELIMITED);
    this.#varint(value.length);
    for (const byte of value) this.#bytes.push(byte);
    return this;
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.#bytes);
  }

  packed(field: number, values: readonly number[]): this {
    const inner = new Message();
    for (const value of values) inner.#varint(value);
    return this.message(field, inner);
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes);
  }

  #varint(value: number): void {
    let rest = Math.round(value);
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes.push((rest % 0x80) | 0x80);
    this.#bytes.push(rest);
  }
}
