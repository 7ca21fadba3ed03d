/** Tests run with this set: what a cache hands out is then frozen through and through. */
const FREEZE = process.env['KARPENTER_FREEZE'] === '1';

/**
 * Marks a value that many hold at once, such as an object from a cache. Nobody may change it: tests freeze it deeply,
 * so that a write throws there; in production it costs nothing.
 */
export function shared<T>(value: T): T {
  return FREEZE ? deepFreeze(value) : value;
}

/** Freezes a value and everything it holds. Parts already frozen are taken as frozen throughout. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
