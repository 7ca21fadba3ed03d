/** What is kept of an object, decided once when it arrives. Must not change what it is given: others may have it, too. */
export type Transform<T> = (object: T) => T;

/**
 * Which fields stay: `true` keeps a value whole, a nested selection keeps those of its members; a list's selection goes
 * for each of its elements.
 */
export type Selection = true | { readonly [field: string]: Selection };

/** Without `metadata.managedFields`, which is half of an object's memory and which no reader of a cache needs. */
export function dropManagedFields<T extends { readonly metadata: object }>(object: T): T {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Only the selected fields, those that are there. Name and versions must be among them. */
export function keepFields<T extends object>(selection: Selection): Transform<T> {
  return (object) => select(object, selection) as T;
}

function select(value: unknown, selection: Selection): unknown {
  if (selection === true || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => select(element, selection));
  const kept: Record<string, unknown> = {};
  for (const field in selection) {
    const member = (value as Record<string, unknown>)[field];
    if (member !== undefined) kept[field] = select(member, selection[field] as Selection);
  }
  return kept;
}
