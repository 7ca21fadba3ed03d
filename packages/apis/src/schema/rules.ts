// x-kubernetes-validations: CEL rules, run only on objects that passed the schema.
import { asResource, CelBudget, type CelRule, compileCel, OVER_BUDGET, toCel } from '@karpenter-ts/cel';
import { type FieldError, type FieldPath, fieldError } from './field-error.ts';
import {
  goQuote,
  isJsonArray,
  isJsonObject,
  isSameJson,
  type Json,
  memberOf,
  type StructuralSchema,
  type ValidationRule,
  valueSchemaOf,
} from '@karpenter-ts/kubernetes';
import { findOldItem } from './list-types.ts';

/**
 * Every CEL rule of the schema the value breaks. Rules that name `oldSelf` run only where there is an old value. When
 * the rules cost more than the API server grants one object, that is the last error, and no further rule is run.
 */
export function validateRules(value: Json, schema: StructuralSchema, old?: Json): readonly FieldError[] {
  const unchanged = old !== undefined && isSameJson(value, old);
  const run: Run = { errors: [], budget: new CelBudget(), isOver: false };
  walk({ value, schema: asResource(schema), old, path: [], field: '', unchanged }, run);
  return run.errors;
}

/** The rules of one object, one after the other. */
interface Run {
  readonly errors: FieldError[];
  readonly budget: CelBudget;
  /** True when no further rule is to be run. */
  isOver: boolean;
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

function walk(node: Node, run: Run): void {
  if (node.value === null) return;
  checkRules(node, node.schema['x-kubernetes-validations'] ?? [], run);
  for (const branch of node.schema.allOf ?? []) {
    checkRules({ ...node, unchanged: false }, branch['x-kubernetes-validations'] ?? [], run);
  }
  for (const child of children(node)) {
    if (run.isOver) return;
    walk(child, run);
  }
}

function* children(node: Node): Generator<Node> {
  const { value, schema, old } = node;
  if (isJsonArray(value)) {
    const { items } = schema;
    if (!items || !hasRules(items)) return;
    for (const [i, item] of value.entries()) {
      yield descend(node, items, item, findOldItem(item, schema, old), i, `[${i}]`);
    }
  }
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const property = memberOf(schema.properties, name);
    const below = property ?? valueSchemaOf(schema);
    if (member === undefined || below === undefined || !hasRules(below)) continue;
    const before = isJsonObject(old) ? memberOf(old, name) : undefined;
    const text = property === undefined ? `[${name}]` : node.field === '' ? name : `.${name}`;
    yield descend(node, below, member, before, name, text);
  }
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

function checkRules(node: Node, rules: readonly ValidationRule[], run: Run): void {
  if (rules.length === 0) return;
  const { errors, budget } = run;
  const self = toCel(node.value, node.schema);
  const oldSelf = node.old === undefined || node.old === null ? undefined : toCel(node.old, node.schema);
  for (const rule of rules) {
    if (run.isOver) return;
    const { test, message } = compiledRule(rule, node.schema);
    if (test.usesOldSelf && oldSelf === undefined && !rule.optionalOldSelf) continue;
    const outcome = test.evaluate({ self, oldSelf }, budget);
    if ('error' in outcome) {
      run.isOver = outcome.error === OVER_BUDGET;
      errors.push(run.isOver ? tooCostly(node, rule, budget) : failed(node, rule, outcome.error));
    } else if (outcome.value !== true && (!node.unchanged || test.usesOldSelf)) {
      const said = message?.evaluate({ self, oldSelf }, budget);
      run.isOver = said !== undefined && 'error' in said && said.error === OVER_BUDGET;
      errors.push(
        run.isOver
          ? messageTooCostly(node, rule, budget)
          : broken(node, rule, said && 'value' in said ? said.value : ''),
      );
    }
  }
}

/** A rule that costs more than one may, or than is left for the object, ends the run. */
function tooCostly(node: Node, rule: ValidationRule, budget: CelBudget): FieldError {
  const detail = budget.isExceeded
    ? `validation failed due to running out of cost budget, ${NO_FURTHER}`
    : `'${OVER_BUDGET}': ${NO_FURTHER} due to call cost exceeds limit for rule: ${nameOf(rule)}`;
  return fieldError('FieldValueInvalid', { path: node.path, field: node.field, value: node.schema.type ?? '', detail });
}

function messageTooCostly(node: Node, rule: ValidationRule, budget: CelBudget): FieldError {
  const detail = budget.isExceeded
    ? `messageExpression evaluation failed due to running out of cost budget, ${NO_FURTHER}`
    : `${NO_FURTHER} due to call cost exceeds limit for messageExpression: ${goQuote(rule.messageExpression ?? '')}`;
  const field = node.field + (rule.fieldPath ?? '');
  return fieldError('FieldValueInvalid', { path: node.path, field, value: node.schema.type ?? '', detail });
}

const NO_FURTHER = 'no further validation rules will be run';

function nameOf(rule: ValidationRule): string {
  return (rule.message ?? rule.rule).trim();
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
  const name = nameOf(rule);
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
