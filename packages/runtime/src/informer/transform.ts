/** Returns what is kept of an object when it arrives. Must not change its argument, which may be shared. */
export type Transform<T> = (object: T) => T;

/**
 * The fields to keep. `true` keeps a value whole, a nested selection keeps the selected members; the selection of a
 * list applies to each element.
 */
export type Selection = true | { readonly [field: string]: Selection };

/** Removes `metadata.managedFields`, which takes half of an object's memory and which no reader of a cache needs. */
export function dropManagedFields<T extends { readonly metadata: object }>(object: T): T {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Keeps the selected fields only. Name and versions must be among them. */
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
