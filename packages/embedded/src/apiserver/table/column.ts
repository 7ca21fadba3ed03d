import type { JsonObject, LargeInteger } from '@karpenter-ts/kubernetes';
import { type KubeObject, objectAt, textAt } from '../object.ts';
import { ageOf } from './human-duration.ts';

/** What a cell holds; null shows as nothing. */
export type Cell = string | number | LargeInteger | boolean | null;

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name` marks the column that names the object. */
  readonly format: string;
  readonly description: string;
  /** 0 shows always, more with `-o wide` only. */
  readonly priority: number;
  /** `now` is for ages: the server tells them as spans of time. */
  readonly cell: (object: KubeObject, now: number) => Cell;
}

type CellOf = Column['cell'];

/** A column of text that shows always. */
export const column = (name: string, cell: CellOf): Column => ({
  name,
  type: 'string',
  format: '',
  description: '',
  priority: 0,
  cell,
});

/** A column of whole numbers. */
export const integer = (name: string, cell: CellOf): Column => ({ ...column(name, cell), type: 'integer' });

/** A column of truths. */
export const flag = (name: string, cell: CellOf): Column => ({ ...column(name, cell), type: 'boolean' });

/** A column that shows with `-o wide` only. */
export const wide = (name: string, cell: CellOf): Column => ({ ...column(name, cell), priority: 1 });

export const NAME: Column = { ...column('Name', ({ metadata }) => metadata.name), format: 'name' };

export const AGE: Column = column('Age', ({ metadata }, now) => ageOf(metadata.creationTimestamp, now));

/** The columns of kinds that have none of their own. */
export const DEFAULT_COLUMNS: readonly Column[] = [
  NAME,
  { ...column('Created At', ({ metadata }) => metadata.creationTimestamp ?? null), type: 'date' },
];

/** `a=1,b=2`, as labels are shown. */
export function formatLabels(labels: JsonObject): string {
  const pairs = Object.keys(labels).map((key) => `${key}=${textAt(labels, key)}`);
  return pairs.sort().join(',') || '<none>';
}

/** A member that is a number; 0 when it is missing or something else. */
export function numberAt(object: JsonObject, ...path: readonly string[]): number {
  const number = objectAt(object, ...path.slice(0, -1))[path.at(-1)!];
  return typeof number === 'number' ? number : 0;
}
