/**
 * A member of its own, never what every object inherits: users choose names of labels, resources and fields, and
 * `constructor` is one.
 */
export function memberOf<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
