// x-kubernetes-validations: CEL rules, run only on objects that passed the schema.
import { type CelRule, compileCel } from '../cel/compile.ts';
import { asResource } from '../cel/resource-schema.ts';
import { toCel } from '../cel/values.ts';
import { type FieldError, type FieldPath, fieldError } from './field-error.ts';
import { findOldItem } from './list-types.ts';
import {
  isJsonArray,
  isJsonObject,
  isSameJson,
  type Json,
  type StructuralSchema,
  type ValidationRule,
  valueSchemaOf,
} from './structural.ts';

/** Every CEL rule of the schema the value breaks. Rules that name `oldSelf` run only where there is an old value. */
export function validateRules(value: Json, schema: StructuralSchema, old?: Json): readonly FieldError[] {
  const unchanged = old !== undefined && isSameJson(value, old);
  return walk({ value, schema: asResource(schema), old, path: [], field: '', unchanged });
}

interface Node {
  readonly value: Json;
  readonly schema: StructuralSchema;
  readonly old: Json | undefined;
  readonly path: FieldPath;
  /** Map keys are bracketed in rule errors: `spec.limits[cpu]`. */
  readonly field: string;
  /** True when this place, or the nearest one above that can be compared, is as it was before the update. */
  readonly unchanged: boolean;
}

function walk(node: Node): readonly FieldError[] {
  if (node.value === null) return [];
  const own = checkRules(node, node.schema['x-kubernetes-validations'] ?? []);
  const nested = (node.schema.allOf ?? []).flatMap((branch) =>
    checkRules({ ...node, unchanged: false }, branch['x-kubernetes-validations'] ?? []),
  );
  return [...own, ...nested, ...children(node).flatMap(walk)];
}

function children(node: Node): readonly Node[] {
  const { value, schema, old } = node;
  if (isJsonArray(value)) {
    const { items } = schema;
    if (!items || !hasRules(items)) return [];
    return value.map((item, i) => descend(node, items, item, findOldItem(item, schema, old), i, `[${i}]`));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const property = schema.properties?.[name];
    const below = property ?? valueSchemaOf(schema);
    if (member === undefined || below === undefined || !hasRules(below)) return [];
    const before = isJsonObject(old) ? old[name] : undefined;
    const text = property === undefined ? `[${name}]` : node.field === '' ? name : `.${name}`;
    return [descend(node, below, member, before, name, text)];
  });
}

function descend(
  node: Node,
  schema: StructuralSchema,
  value: Json,
  old: Json | undefined,
  segment: string | number,
  text: string,
): Node {
  const unchanged = old === undefined ? node.unchanged : isSameJson(value, old);
  return { value, schema, old, path: [...node.path, segment], field: node.field + text, unchanged };
}

function checkRules(node: Node, rules: readonly ValidationRule[]): readonly FieldError[] {
  if (rules.length === 0) return [];
  const self = toCel(node.value, node.schema);
  const oldSelf = node.old === undefined || node.old === null ? undefined : toCel(node.old, node.schema);
  return rules.flatMap((rule) => {
    const { test, message } = compiledRule(rule, node.schema);
    if (test.usesOldSelf && oldSelf === undefined && !rule.optionalOldSelf) return [];
    const outcome = test.evaluate({ self, oldSelf });
    if ('error' in outcome) return [failed(node, rule, outcome.error)];
    if (outcome.value === true || (node.unchanged && !test.usesOldSelf)) return [];
    const said = message?.evaluate({ self, oldSelf });
    return [broken(node, rule, said && 'value' in said ? said.value : undefined)];
  });
}

const MAX_MESSAGE_BYTES = 5 * 1024;

/** `said` is what the rule's messageExpression gave; the fixed message stands in when that cannot be shown. */
function broken(node: Node, rule: ValidationRule, said: unknown): FieldError {
  const place = { path: node.path, field: node.field + (rule.fieldPath ?? '') };
  const text = typeof said === 'string' ? said.trim() : '';
  const isShown = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
  const detail = isShown ? text : rule.message?.trim() || `failed rule: ${rule.rule.trim()}`;
  const isScalar = !isJsonArray(node.value) && !isJsonObject(node.value);
  const reason = rule.reason ?? 'FieldValueInvalid';
  if (reason === 'FieldValueForbidden' || reason === 'FieldValueRequired')
    return fieldError(reason, { ...place, detail });
  return fieldError(reason, { ...place, detail, ...(isScalar && { value: node.value }) });
}

/** A rule that cannot be evaluated fails, and the server shows the field's type where it would show the value. */
function failed(node: Node, rule: ValidationRule, error: string): FieldError {
  const name = (rule.message ?? rule.rule).trim();
  const detail = error.startsWith('no such overload')
    ? `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
    : `${error} evaluating rule: ${name}`;
  return fieldError('FieldValueInvalid', { path: node.path, field: node.field, value: node.schema.type ?? '', detail });
}

interface CompiledRule {
  readonly test: CelRule;
  readonly message: CelRule | undefined;
}

/** Compiled once per rule object, on first use: schemas live as long as the process. */
const compiled = new WeakMap<ValidationRule, CompiledRule>();

function compiledRule(rule: ValidationRule, self: StructuralSchema): CompiledRule {
  let found = compiled.get(rule);
  if (!found) {
    const { messageExpression, optionalOldSelf = false } = rule;
    const scope = { self, optionalOldSelf };
    const message = messageExpression ? compileCel(messageExpression, { ...scope, gives: 'string' }) : undefined;
    found = { test: compileCel(rule.rule, scope), message };
    compiled.set(rule, found);
  }
  return found;
}

const withRules = new WeakMap<StructuralSchema, boolean>();

/** True when there is a rule somewhere in the schema. */
export function hasRules(schema: StructuralSchema): boolean {
  let found = withRules.get(schema);
  if (found === undefined) {
    const below = [
      schema.items,
      valueSchemaOf(schema),
      ...Object.values(schema.properties ?? {}),
      ...(schema.allOf ?? []),
    ];
    found = schema['x-kubernetes-validations'] !== undefined || below.some((child) => child && hasRules(child));
    withRules.set(schema, found);
  }
  return found;
}
