import { isDeepStrictEqual } from 'node:util';

/** Without the members that are undefined, 0, '' or empty: built-in kinds leave these out. `kept` ones stay, if 0. */
export function omitEmpty<T extends object>(status: T, kept: readonly (keyof T)[] = []): T {
  const members = Object.entries(status).filter(
    ([name, value]) => !isEmpty(value) || (value !== undefined && kept.includes(name as keyof T)),
  );
  return Object.fromEntries(members) as T;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Whether writing `next` over `current` would change anything. */
export function isSameStatus(current: object | undefined, next: object): boolean {
  return isDeepStrictEqual(omitEmpty(current ?? {}), omitEmpty(next));
}
