import type { CauseReason, FieldError, FieldPath } from '@karpenter-ts/apis';
import { goJson, goQuote, type Json } from '@karpenter-ts/kubernetes';

/** A field error. Built-in kinds have one more reason than schemas. */
export interface Problem extends Omit<FieldError, 'reason'> {
  readonly reason: CauseReason | 'FieldValueNotFound';
}

/** A value printed as the real server prints its internal type: with its own order and often other names. */
export class InnerForm {
  readonly text: string;

  constructor(value: Json) {
    this.text = JSON.stringify(value);
  }
}

/** The field is missing. */
export const required = (path: FieldPath, detail = ''): Problem =>
  errorAt('FieldValueRequired', path, join('Required value', detail));

/** The value breaks a rule. */
export const invalidValue = (path: FieldPath, value: Json | InnerForm, detail: string): Problem =>
  errorAt('FieldValueInvalid', path, join(`Invalid value: ${printed(value)}`, detail));

/** The value is none of those that are known. */
export const notSupported = (path: FieldPath, value: Json | InnerForm, known: readonly string[]): Problem =>
  errorAt(
    'FieldValueNotSupported',
    path,
    `Unsupported value: ${printed(value)}: supported values: ${known.map(goQuote).join(', ')}`,
  );

/** The value is there a second time. */
export const duplicate = (path: FieldPath, value: Json | InnerForm): Problem =>
  errorAt('FieldValueDuplicate', path, `Duplicate value: ${printed(value)}`);

/** The field may not be set, or not be changed. */
export const forbiddenField = (path: FieldPath, detail: string): Problem =>
  errorAt('FieldValueForbidden', path, join('Forbidden', detail));

/** The value takes up too much room. */
export const tooLong = (path: FieldPath, detail: string): Problem =>
  errorAt('FieldValueTooLong', path, join('Too long', detail));

/** The value refers to something that is not there. */
export const notThere = (path: FieldPath, value: Json): Problem =>
  errorAt('FieldValueNotFound', path, `Not found: ${printed(value)}`);

/** A segment that is the key of a map and stands in brackets: `limits[cpu]`. */
export const mapKey = (key: string): string => `[${key}]`;

function errorAt(reason: Problem['reason'], path: FieldPath, message: string): Problem {
  return { reason, path: [...path], field: pathText(path), message }; // the path may go on
}

function pathText(path: FieldPath): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else text += text === '' || segment.startsWith('[') ? segment : `.${segment}`;
  }
  return text;
}

const join = (title: string, detail: string): string => (detail === '' ? title : `${title}: ${detail}`);

function printed(value: Json | InnerForm): string {
  if (value instanceof InnerForm) return value.text;
  return typeof value === 'string' ? goQuote(value) : goJson(value);
}
