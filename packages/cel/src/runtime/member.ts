import { describe } from './describe.ts';
import { CelList } from './list.ts';
import { CelMap } from './map.ts';
import { CelError, type CelResult, type CelValue, goTypeNameOf, typeNameOf, Uint } from './value.ts';

/** `value.key` or `value[key]`: an error where there is no such member. */
export function get(value: CelValue, key: CelValue): CelResult {
  const found = find(value, key);
  return found === undefined ? missing(value, key) : found;
}

/** `value.key` or `value[key]`, undefined where there is no such member, an error where the key cannot be one. */
export function find(value: CelValue, key: CelValue): CelResult | undefined {
  const problem = keyProblem(key);
  if (problem !== undefined) return problem;
  if (value instanceof CelMap) return value.find(key);
  if (!(value instanceof CelList)) return undefined;
  const index = indexOf(key);
  if (index instanceof CelError) return index;
  return index >= 0 && index < value.size ? value.at(index) : undefined;
}

function missing(value: CelValue, key: CelValue): CelError {
  const problem = value instanceof CelList ? 'index out of bounds' : 'no such key';
  return new CelError(`${problem}: ${describe(key)}`);
}

/** The error for a value that is no key of anything, or undefined. */
export function keyProblem(key: CelValue): CelError | undefined {
  if (typeof key === 'string' || typeof key === 'boolean' || isNumber(key)) return undefined;
  return new CelError(`invalid qualifier type: ${goTypeNameOf(key)}`);
}

function isNumber(key: CelValue): key is bigint | number | Uint {
  return typeof key === 'bigint' || typeof key === 'number' || key instanceof Uint;
}

function indexOf(key: CelValue): number | CelError {
  if (!isNumber(key)) return new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
  const index = Number(key instanceof Uint ? key.value : key);
  return Number.isInteger(index) ? index : new CelError(`unsupported index value ${describe(key)} in list`);
}
