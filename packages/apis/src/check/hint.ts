import type { FieldPath } from '../schema/field-error.ts';
import { textOf } from '../schema/field-error.ts';
import { memberSchemaOf, type StructuralSchema } from '@karpenter-ts/kubernetes';

/** How many letters may differ before two names are two names. */
const MAX_TYPOS = 2;

/** The name among `known` that `written` is most likely a slip of, if any. */
export function findNearMiss(written: string, known: readonly string[]): string | undefined {
  const lower = written.toLowerCase();
  const limit = Math.min(MAX_TYPOS, Math.floor(written.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of known) {
    const distance = name.toLowerCase() === lower ? 0 : editDistance(lower, name.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/**
 * What an unknown field was probably meant to be: a misspelt neighbour, else a field of that name elsewhere in the
 * object (people write `spec.requirements` for `spec.template.spec.requirements`).
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

/** Where fields of each name are in the spec. Once per schema: a file may have a hundred thousand unknown fields. */
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

/** Letters to insert, drop, change or swap, up to `limit`; `limit` stands for "that many or more". */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(change, row[j]! + 1, next[j - 1]! + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, previous[j - 2]! + 1);
      next.push(cost);
    }
    [previous, row] = [row, next];
  }
  return Math.min(row[b.length]!, limit);
}
