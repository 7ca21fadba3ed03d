import { goJson, goQuote, type Json, LargeInteger } from '@karpenter-ts/kubernetes';

/** Why a field was refused, in the words of `Status.details.causes[].reason`. */
export type CauseReason =
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** Where in an object: property names and list indexes from the root. */
export type FieldPath = readonly (string | number)[];

/**
 * One refused field. `field` and `message` are what the API server writes into a cause, to the letter;
 * `path` is the same place in a form that can be followed.
 */
export interface FieldError {
  readonly reason: CauseReason;
  readonly field: string;
  readonly message: string;
  readonly path: FieldPath;
}

const TITLES: Readonly<Record<CauseReason, string>> = {
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

/** What the server prints for an error with no field, such as a failed `anyOf`. */
const NO_FIELD = '<nil>';

interface Draft {
  readonly path: FieldPath;
  /** The server's spelling of the path where it differs from `textOf(path)`. */
  readonly field?: string;
  readonly detail?: string;
  /** The refused value; leave it out where the server does not repeat it. */
  readonly value?: Json;
}

/** Builds an error in the server's words: title, value if any, detail if any. */
export function fieldError(reason: CauseReason, draft: Draft): FieldError {
  let message = TITLES[reason];
  if (draft.value !== undefined) message += `: ${goValue(draft.value)}`;
  if (draft.detail) message += `: ${draft.detail}`;
  return { reason, field: draft.field ?? textOf(draft.path), message, path: draft.path };
}

/** `spec.budgets[0].nodes`: dotted names, bracketed indexes. The empty path is the server's `<nil>`. */
export function textOf(path: FieldPath): string {
  if (path.length === 0) return NO_FIELD;
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else text += text === '' ? segment : `.${segment}`;
  }
  return text;
}

/** As kubectl shows it: `spec.weight: Invalid value: 101: …`. */
export function renderFieldError(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}

/** A refused value as Go prints it: strings quoted, numbers and booleans plain, the rest as JSON. */
function goValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (value instanceof LargeInteger) return value.digits;
  return goJson(value);
}

/** Go's `%v` of a float64 leaves plain notation at 10^21, as JavaScript does, but pads the exponent to two digits. */
function goNumber(value: number): string {
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}
