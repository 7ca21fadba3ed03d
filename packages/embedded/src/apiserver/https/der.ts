// As much of DER (X.690) as a certificate needs: every value is a tag, a length and its content.

/** A value of a tag; the content may come in parts. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

/** Lengths from 128 on are told in as many bytes as they need, after a byte that tells how many. */
function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...members: readonly Uint8Array[]): Buffer => der(0x30, ...members);

export const set = (...members: readonly Uint8Array[]): Buffer => der(0x31, ...members);

/** A whole number that is not negative, given as its bytes. */
export function unsigned(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const significant = bytes.subarray(start < 0 ? bytes.length - 1 : start);
  return der(0x02, significant[0]! >= 0x80 ? Buffer.of(0) : Buffer.of(), significant);
}

export const TRUE: Buffer = der(0x01, Buffer.of(0xff));

export const octets = (content: Uint8Array): Buffer => der(0x04, content);

/** Bits, of which the last byte leaves some unused. */
export const bits = (content: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.of(unused), content);

export const text = (value: string): Buffer => der(0x0c, Buffer.from(value));

/** An instant to the second. Years before 2050 are told in two digits (RFC 5280, section 4.1.2.5). */
export function instant(milliseconds: number): Buffer {
  const iso = new Date(milliseconds).toISOString(); // 2026-11-16T10:20:30.400Z
  const digits = iso.slice(0, 19).replace(/[-T:]/g, '');
  return digits < '2050' ? der(0x17, Buffer.from(`${digits.slice(2)}Z`)) : der(0x18, Buffer.from(`${digits}Z`));
}

/** A name in dotted form, such as `2.5.4.3`: the first two numbers share a byte, the others take seven bits a byte. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(sevenBits)]));
}

function sevenBits(value: number): readonly number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** A member of a structure that is told by its number; `form` says whether it holds values or plain bytes. */
export function tagged(number: number, form: 'values' | 'bytes', ...content: readonly Uint8Array[]): Buffer {
  return der((form === 'values' ? 0xa0 : 0x80) | number, ...content);
}
