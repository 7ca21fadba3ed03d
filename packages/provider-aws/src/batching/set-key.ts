/**
 * A text that is equal for equal values, whatever the order of members and of list elements. What is undefined counts
 * as absent.
 */
export function setKey(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(setKey).sort().join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${setKey(member)}`);
  return `{${members.sort().join(',')}}`;
}
