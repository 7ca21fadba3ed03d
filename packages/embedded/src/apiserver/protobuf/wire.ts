/** A message that is not protobuf. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** One field of a message: a whole number, or bytes that are text, a message or whatever the field is. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** The fields of a message, in their order; a list has one for each element. Throws a WireError. */
export function* readFields(message: Buffer): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WireError('unexpected end of a number');
  };
  const bytes = (length: number): Buffer => {
    if (at + length > message.length) throw new WireError('unexpected end of a field');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    if (number === 0) throw new WireError('illegal field number 0');
    yield { number, value: readValue(tag & 7, varint, bytes) };
  }
}

function readValue(wireType: number, varint: () => bigint, bytes: (length: number) => Buffer): bigint | Buffer {
  switch (wireType) {
    case 0:
      return varint();
    case 1:
      return bytes(8);
    case 2:
      return bytes(Number(varint()));
    case 5:
      return bytes(4);
    default:
      throw new WireError(`illegal wire type ${wireType}`);
  }
}
