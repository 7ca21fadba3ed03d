import type { FieldPath } from '../schema/field-error.ts';
import { textOf } from '../schema/field-error.ts';
import { memberSchemaOf, type StructuralSchema } from '@karpenter-ts/kubernetes';
import { findNearMiss } from '../names/near-miss.ts';

/**
 * What an unknown field was probably meant to be: a sibling with a similar name, else a field of that name elsewhere in
 * the object (people write `spec.requirements` for `spec.template.spec.requirements`).
 */
export function findFieldMeant(path: FieldPath, schema: StructuralSchema): string | undefined {
  const name = String(path.at(-1));
  const siblings = Object.keys(schemaAt(path.slice(0, -1), schema)?.properties ?? {});
  const neighbour = findNearMiss(name, siblings);
  if (neighbour !== undefined) return textOf([...path.slice(0, -1), neighbour]);
  const elsewhere = placesByName(schema).get(name) ?? [];
  return elsewhere.length === 1 ? elsewhere[0] : undefined;
}

const places = new WeakMap<StructuralSchema, ReadonlyMap<string, readonly string[]>>();

/**
 * The paths of all fields by name. Computed once per schema, because a file may have a hundred thousand unknown fields.
 */
function placesByName(schema: StructuralSchema): ReadonlyMap<string, readonly string[]> {
  let known = places.get(schema);
  if (known === undefined) {
    const named = Map.groupBy(fieldsOf(schema, []), (path) => path.at(-1)!);
    known = new Map([...named].map(([name, paths]) => [String(name), paths.map(textOf)]));
    places.set(schema, known);
  }
  return known;
}

function schemaAt(path: FieldPath, schema: StructuralSchema): StructuralSchema | undefined {
  let at: StructuralSchema | undefined = schema;
  for (const segment of path) {
    at = typeof segment === 'number' ? at?.items : at && memberSchemaOf(at, segment);
  }
  return at;
}

function fieldsOf(schema: StructuralSchema, path: FieldPath): readonly FieldPath[] {
  const below = Object.entries(schema.properties ?? {}).filter(([key]) => path.length > 0 || key === 'spec');
  return below.flatMap(([key, property]) => [[...path, key], ...fieldsOf(property, [...path, key])]);
}
