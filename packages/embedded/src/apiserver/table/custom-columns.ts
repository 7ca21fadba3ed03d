import { goJson, type Json, LargeInteger } from '@karpenter-ts/kubernetes';
import type { PrinterColumn } from '@karpenter-ts/apis';
import { AGE, type Cell, type Column, NAME } from './column.ts';
import { ageOf } from './human-duration.ts';
import { parseJsonPath } from './json-path.ts';

/** Columns with their paths parsed, by the definition they come from: a watch asks for them with every event. */
const known = new WeakMap<readonly PrinterColumn[], readonly Column[]>();

/** The columns of a custom resource: those its definition asks for, or else its age. */
export function customColumns(columns: readonly PrinterColumn[]): readonly Column[] {
  let parsed = known.get(columns);
  if (parsed === undefined) {
    parsed = columns.length === 0 ? [NAME, { ...AGE, type: 'date' }] : [NAME, ...columns.map(customColumn)];
    known.set(columns, parsed);
  }
  return parsed;
}

function customColumn({ name, type, jsonPath, wide, description }: PrinterColumn): Column {
  const find = parseJsonPath(jsonPath);
  return {
    name,
    type,
    format: '',
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: wide ? 1 : 0,
    cell: (object, now) => cellOf(type, find?.(object)[0], now),
  };
}

/** A value that is not of the column's type shows as nothing; a column of text shows everything. */
function cellOf(type: Column['type'], value: Json | undefined, now: number): Cell {
  if (value === undefined) return null;
  if (type === 'string') return formatText(value);
  if (typeof value === 'number' && (type === 'integer' || type === 'number')) {
    return type === 'integer' ? Math.trunc(value) : value;
  }
  if (value instanceof LargeInteger) return type === 'integer' || type === 'number' ? value : null;
  if (typeof value === 'boolean' && type === 'boolean') return value;
  return typeof value === 'string' && type === 'date' ? formatDate(value, now) : null;
}

function formatText(value: Json): string {
  if (value === null) return '<no value>';
  return typeof value === 'object' ? goJson(value) : String(value);
}

function formatDate(text: string, now: number): string {
  return text !== '' && Number.isNaN(Date.parse(text)) ? '<invalid>' : ageOf(text, now);
}
