// Schema validation in the order and the words of the API server (kube-openapi as Kubernetes 1.35 vendors it).
import { compileRe2 } from '@karpenter-ts/cel';
import { type CauseReason, type FieldError, type FieldPath, fieldError, textOf } from './field-error.ts';
import {
  FORMATS,
  goQuote,
  isJsonArray,
  isJsonObject,
  isKnownFormat,
  isSameJson,
  type Json,
  type JsonObject,
  LargeInteger,
  memberOf,
  memberSchemaOf,
  type StructuralSchema,
} from '@karpenter-ts/kubernetes';
import { findOldItem } from './list-types.ts';

/**
 * Everything the schema refuses in the value. With `old`, what was refused before and did not change is let through,
 * so that a tightened schema does not block an unrelated update.
 */
export function validateSchema(value: Json, schema: StructuralSchema, old?: Json): readonly FieldError[] {
  const errors = check({ value, schema, path: [], old });
  const seen = new Set<string>();
  return errors.filter((error) => {
    const key = `${error.field}\n${error.message}`;
    return !seen.has(key) && seen.add(key);
  });
}

interface Node {
  readonly value: Json;
  readonly schema: StructuralSchema;
  readonly path: FieldPath;
  /** The value at this place before the update; undefined where the two cannot be told to be the same thing. */
  readonly old: Json | undefined;
}

function check(node: Node): readonly FieldError[] {
  const errors = checkAll(node);
  const unchanged = errors.length > 0 && node.old !== undefined && isSameJson(node.old, node.value);
  return unchanged ? [] : errors;
}

function checkAll(node: Node): readonly FieldError[] {
  if (node.value === null) return [...checkType(node), ...checkEnum(node)];
  return [
    ...checkType(node),
    ...checkCombinations(node),
    ...checkString(node),
    ...checkFormat(node),
    ...checkNumber(node),
    ...checkList(node),
    ...checkEnum(node),
    ...checkObject(node),
  ];
}

/** The server's text for a broken constraint: the path, then what it should be. */
function broken(node: Node, should: string, value: Json, reason: CauseReason = 'FieldValueInvalid'): FieldError {
  const name = node.path.length === 0 ? '' : textOf(node.path);
  return fieldError(reason, { path: node.path, value, detail: `${name} in body ${should}` });
}

function checkType(node: Node): readonly FieldError[] {
  const { schema, value } = node;
  const wanted = wantedTypes(schema);
  if (value === null) {
    if (wanted.length === 0 || schema.nullable) return [];
    return [wrongType(node, wanted.join(','), 'null')];
  }
  const { type, format } = typeOf(value);
  if (wanted.length === 0 || wanted.includes(type) || (type === 'integer' && wanted.includes('number'))) return [];
  if (schema.format === undefined || !isKnownFormat(schema.format)) return [wrongType(node, wanted.join(','), type)];
  return type === 'string' || type === 'array' ? [] : [wrongType(node, schema.format, format)];
}

function wrongType(node: Node, wanted: string, got: string): FieldError {
  return broken(node, `must be of type ${wanted}: ${goQuote(got)}`, got, 'FieldValueTypeInvalid');
}

function wantedTypes(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type ? [schema.type] : [];
}

/** The type of a value, and the width Go decodes it to where it has one. */
function typeOf(value: Exclude<Json, null>): { readonly type: string; readonly format: string } {
  if (value instanceof LargeInteger) return { type: 'integer', format: 'int64' };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { type: 'integer', format: 'int64' } : { type: 'number', format: 'float64' };
  }
  if (typeof value === 'object') return { type: isJsonArray(value) ? 'array' : 'object', format: '' };
  return { type: typeof value, format: '' };
}

/** anyOf, oneOf, allOf and not. Their own errors name no field: the server has lost it by then. */
function checkCombinations(node: Node): readonly FieldError[] {
  const { schema } = node;
  return [
    ...checkAnyOf(node, schema.anyOf ?? []),
    ...checkOneOf(node, schema.oneOf ?? []),
    ...checkAllOf(node, schema.allOf ?? []),
    ...(schema.not && matches(node, schema.not) ? [unplaced(node, 'must not validate the schema (not)')] : []),
  ];
}

function checkAnyOf(node: Node, branches: readonly StructuralSchema[]): readonly FieldError[] {
  const failures = branches.map((schema) => checkAll({ ...node, schema }));
  if (failures.length === 0 || failures.some((errors) => errors.length === 0)) return [];
  return [unplaced(node, 'must validate at least one schema (anyOf)'), ...failures[0]!];
}

function checkOneOf(node: Node, branches: readonly StructuralSchema[]): readonly FieldError[] {
  const failures = branches.map((schema) => checkAll({ ...node, schema }));
  const valid = failures.filter((errors) => errors.length === 0).length;
  if (branches.length === 0 || valid === 1) return [];
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  const reasons = valid === 0 ? failures[0]! : [];
  return [unplaced(node, `must validate one and only one schema (oneOf). ${found}`), ...reasons];
}

function checkAllOf(node: Node, branches: readonly StructuralSchema[]): readonly FieldError[] {
  const failures = branches.map((schema) => checkAll({ ...node, schema }));
  const invalid = failures.filter((errors) => errors.length > 0).length;
  if (invalid === 0) return [];
  const none = invalid === branches.length ? '. None validated' : '';
  return [...failures.flat(), unplaced(node, `must validate all the schemas (allOf)${none}`)];
}

function matches(node: Node, schema: StructuralSchema): boolean {
  return checkAll({ ...node, schema }).length === 0;
}

function unplaced(node: Node, detail: string): FieldError {
  const name = node.path.length === 0 ? '' : textOf(node.path);
  const error = fieldError('FieldValueInvalid', { path: [], value: '', detail: `${goQuote(name)} ${detail}` });
  return { ...error, path: node.path };
}

/** The first broken bound only: too long, else too short, else the pattern. */
function checkString(node: Node): readonly FieldError[] {
  const { value, schema, path } = node;
  if (typeof value !== 'string') return [];
  const length = runeCount(value);
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    const detail = `may not be more than ${schema.maxLength} ${schema.maxLength === 1 ? 'byte' : 'bytes'}`;
    return [fieldError('FieldValueTooLong', { path, detail })];
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    return [broken(node, `should be at least ${schema.minLength} chars long`, value)];
  }
  if (schema.pattern !== undefined && !compileRe2(schema.pattern).test(value)) {
    return [broken(node, `should match '${schema.pattern}'`, value)];
  }
  return [];
}

function runeCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function checkFormat(node: Node): readonly FieldError[] {
  const { value, schema } = node;
  const isValid = schema.format === undefined ? undefined : memberOf(FORMATS, schema.format);
  if (typeof value !== 'string' || isValid === undefined || isValid(value)) return [];
  return [wrongType(node, schema.format!, value)];
}

function checkNumber(node: Node): readonly FieldError[] {
  const { value, schema } = node;
  if (typeof value !== 'number' && !(value instanceof LargeInteger)) return [];
  const errors: FieldError[] = [];
  const { multipleOf, minimum, maximum } = schema;
  const number = Number(value);
  if (multipleOf !== undefined && !Number.isInteger(number / multipleOf)) {
    errors.push(broken(node, `should be a multiple of ${multipleOf}`, value));
  }
  if (minimum !== undefined && (schema.exclusiveMinimum ? number <= minimum : number < minimum)) {
    const bound = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    errors.push(broken(node, `should be ${bound} ${minimum}`, value));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? number >= maximum : number > maximum)) {
    const bound = schema.exclusiveMaximum ? 'less than' : 'less than or equal to';
    errors.push(broken(node, `should be ${bound} ${maximum}`, value));
  }
  return errors;
}

function checkList(node: Node): readonly FieldError[] {
  const { value, schema, path, old } = node;
  if (!isJsonArray(value)) return [];
  const { items } = schema;
  const errors = items
    ? value.flatMap((item, index) =>
        check({ value: item, schema: items, path: [...path, index], old: findOldItem(item, schema, old) }),
      )
    : [];
  const size = value.length;
  if (schema.minItems !== undefined && size < schema.minItems) {
    errors.push(broken(node, `should have at least ${schema.minItems} items`, size));
  }
  if (schema.maxItems !== undefined && size > schema.maxItems) errors.push(tooMany(path, size, schema.maxItems));
  if (schema.uniqueItems && value.some((item, i) => value.slice(0, i).some((other) => isSameJson(item, other)))) {
    errors.push(broken(node, "shouldn't contain duplicates", ''));
  }
  return errors;
}

function tooMany(path: FieldPath, size: number, max: number): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return fieldError('FieldValueTooMany', { path, value: size, detail });
}

function checkEnum(node: Node): readonly FieldError[] {
  const { value, schema, path } = node;
  if (!schema.enum || schema.enum.some((allowed) => isSameJson(allowed, value))) return [];
  const names = schema.enum.map((allowed) => goQuote(typeof allowed === 'string' ? allowed : JSON.stringify(allowed)));
  return [fieldError('FieldValueNotSupported', { path, value, detail: `supported values: ${names.join(', ')}` })];
}

function checkObject(node: Node): readonly FieldError[] {
  const { value, schema, path } = node;
  if (!isJsonObject(value)) return [];
  const size = Object.values(value).filter((member) => member !== undefined).length;
  const errors: FieldError[] = [];
  if (schema.minProperties !== undefined && size < schema.minProperties) {
    errors.push(broken(node, `should have at least ${schema.minProperties} properties`, size));
  }
  if (schema.maxProperties !== undefined && size > schema.maxProperties) {
    errors.push(tooMany(path, size, schema.maxProperties));
  }
  for (const error of checkMembers(node, value)) errors.push(error); // too many to be spread over arguments
  for (const name of schema.required ?? []) {
    if (memberOf(value, name) === undefined) errors.push(fieldError('FieldValueRequired', { path: [...path, name] }));
  }
  return errors;
}

function checkMembers(node: Node, value: JsonObject): readonly FieldError[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const schema = memberSchemaOf(node.schema, name);
    if (member === undefined || schema === undefined) return [];
    const old = isJsonObject(node.old) ? memberOf(node.old, name) : undefined;
    return check({ value: member, schema, path: [...node.path, name], old });
  });
}
