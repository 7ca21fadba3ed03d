import type { CheckedObject, Finding } from '@karpenter-ts/apis/manifests';
import { printableJson, printableLine } from './printable.ts';

/** For programs. Fields are only ever added. */
export function renderJson(checked: readonly CheckedObject[]): string {
  return `${printableJson(JSON.stringify({ apiVersion: 'karpenter-ts.dev/v1', objects: checked }, undefined, 2))}\n`;
}

/** For people, a line per finding as compilers print them, and a line of totals. */
export function renderText(checked: readonly CheckedObject[]): string {
  const invalid = checked.filter(({ valid }) => !valid).length;
  const totals = `${checked.length} checked, ${checked.length - invalid} valid, ${invalid} invalid`;
  return `${[...checked.flatMap(objectLines), totals].map(printableLine).join('\n')}\n`;
}

function objectLines(object: CheckedObject): readonly string[] {
  const { file, line, hash, hashVersion } = object;
  const drift = hash === undefined ? '' : `, drift hash ${hash} (${hashVersion})`;
  return [
    ...object.errors.flatMap((finding) => findingLines(object, 'error', finding)),
    ...object.warnings.flatMap((finding) => findingLines(object, 'warning', finding)),
    ...(object.valid ? [`${file}:${line}: ok: ${title(object)}${drift}`] : []),
  ];
}

function findingLines(object: CheckedObject, severity: string, finding: Finding): readonly string[] {
  const { line, column, field, message, hint } = finding;
  const subject = title(object) === '' ? '' : `${title(object)}: `;
  const place = field === '' || message.startsWith('unknown field') ? '' : `${field}: `;
  const head = `${object.file}:${line}:${column}: ${severity}: ${subject}${place}${message}`;
  return hint === undefined ? [head] : [head, `    hint: ${hint}`];
}

function title({ kind, name }: CheckedObject): string {
  return kind === '' ? '' : `${kind} "${name}"`;
}
