import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { RESOURCES } from '@karpenter-ts/apis';
import type { Json, JsonObject, StructuralSchema } from '@karpenter-ts/kubernetes';
import { type CelType, DYN } from './check/cel-type.ts';
import { type CheckedExpr, check } from './check/checker.ts';
import { checkLiterals } from './check/literal-checks.ts';
import { CelCompileError, compileCel } from './compile.ts';
import { asResource } from './resource-schema.ts';
import { PlanError } from './runtime/call.ts';
import { describe } from './runtime/describe.ts';
import { Frame } from './runtime/frame.ts';
import { jsonToCel } from './runtime/json.ts';
import { CelList } from './runtime/list.ts';
import { CelMap } from './runtime/map.ts';
import { plan } from './runtime/planner.ts';
import { CelError, type CelResult, type CelValue, Optional, typeNameOf } from './runtime/value.ts';
import { renderIssues } from './syntax/issue.ts';
import { SyntaxIssue } from './syntax/lexer.ts';
import { parse } from './syntax/parser.ts';
import { toCel } from './values.ts';

// cel.golden.jsonl holds what cel-go 0.26 gives in the environment of kube-apiserver 1.35; golden.go makes it.

interface Row {
  readonly expr: string;
  readonly root?: boolean;
  readonly old?: 'optional';
  readonly gives?: 'bool' | 'string';
  readonly self?: Json;
  readonly oldSelf?: Json;
  readonly out: Json;
}

interface CrdRule {
  readonly flavour: 'core' | 'aws';
  /** Kind, then properties; `[]` is an item, `{}` a value. */
  readonly place: readonly string[];
  readonly expr: string;
  readonly cases: readonly Omit<Row, 'expr'>[];
}

type Line = { readonly schema: StructuralSchema } | CrdRule | (Row & { readonly typed?: true });

const isRow = (line: Line): line is Row & { readonly typed?: true } => 'out' in line;

const golden = readFileSync(new URL('cel.golden.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

const schema = golden.find((line) => 'schema' in line)!.schema;
const crdRules = golden.filter((line) => 'cases' in line);
const rules = golden.filter(isRow).filter((row) => row.typed);
const expressions = golden.filter(isRow).filter((row) => !row.typed);

test('an expression has the type, and gives the value or the words of the error, that cel-go gives', () => {
  assert.ok(expressions.length > 450);
  for (const row of expressions) assert.deepEqual(evaluate(row), row.out, describeRow(row));
});

test('a rule on typed data compiles and evaluates as in the API server', () => {
  assert.ok(rules.length > 100);
  for (const row of rules) assert.deepEqual(evaluateRule(row, schema), row.out, describeRow(row));
});

test("every rule of our CRDs is upstream's and treats values as the API server does", () => {
  const covered = new Set<string>();
  for (const { flavour, place, expr, cases } of crdRules) {
    const schema = schemaAt(flavour, place);
    assert.ok(
      schema['x-kubernetes-validations']?.some((rule) => rule.rule === expr),
      `${place.join('.')}: ${expr}`,
    );
    for (const row of cases)
      assert.deepEqual(evaluateRule({ ...row, expr }, schema), row.out, describeRow({ ...row, expr }));
    covered.add(expr);
  }
  const ours = [...RESOURCES.core, ...RESOURCES.aws].flatMap(({ schema }) => rulesOf(schema));
  assert.deepEqual(
    [...new Set(ours)].filter((rule) => !covered.has(rule)),
    [],
  );
});

function describeRow({ expr, self, oldSelf }: Row): string {
  return `${expr} on ${JSON.stringify(self)}${oldSelf === undefined ? '' : `, was ${JSON.stringify(oldSelf)}`}`;
}

function evaluate({ expr, self }: Row): Json {
  try {
    const checked = check(parse(expr), { self: DYN });
    const issues = checked.issues.length > 0 ? checked.issues : checkLiterals(checked);
    if (issues.length > 0) return { compile: renderIssues(expr, issues) };
    return { type: typeText(checked.type), ...run(checked, self) };
  } catch (error) {
    if (error instanceof SyntaxIssue) return { compile: renderIssues(expr, [error.issue]) };
    throw error;
  }
}

function run(checked: CheckedExpr, self: Json | undefined): JsonObject {
  try {
    const variable = self === undefined ? new CelError('no such attribute(s): self') : jsonToCel(self);
    return outcome(plan(checked, ['self'])(new Frame([variable], 1e6)));
  } catch (error) {
    if (error instanceof PlanError) return { program: error.message };
    throw error;
  }
}

function typeText({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(typeText).join(', ')})`;
}

function evaluateRule({ expr, root, old, gives = 'bool', self, oldSelf }: Row, declared: StructuralSchema): Json {
  const schema = root === true ? asResource(declared) : declared;
  try {
    const rule = compileCel(expr, { self: schema, gives, optionalOldSelf: old === 'optional' });
    const variables = {
      self: toCel(self!, schema),
      oldSelf: oldSelf === undefined ? undefined : toCel(oldSelf, schema),
    };
    const result = rule.evaluate(variables);
    return {
      ...('error' in result ? { error: result.error } : outcome(result.value)),
      ...(rule.usesOldSelf && { usesOldSelf: true }),
    };
  } catch (error) {
    if (error instanceof CelCompileError) return { compile: error.reason };
    throw error;
  }
}

function outcome(result: CelResult): { readonly error: string } | { readonly value: Json } {
  return result instanceof CelError ? { error: result.message } : { value: show(result) };
}

/** As golden.go writes a value. */
function show(value: CelResult): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (value instanceof CelError) return `error:${value.message}`;
  if (value instanceof CelList) return Array.from(value, show);
  if (value instanceof CelMap) {
    return {
      map: Object.fromEntries(
        Array.from(value.keys(), (key) => [`${typeNameOf(key)}:${text(key)}`, show(value.find(key)!)]),
      ),
    };
  }
  if (value instanceof Optional) return { optional: value.value === undefined ? 'nothing' : show(value.value) };
  return `${typeNameOf(value)}:${text(value)}`;
}

function text(value: CelValue): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return describe(value);
}

function schemaAt(flavour: 'core' | 'aws', [kind, ...segments]: readonly string[]): StructuralSchema {
  let schema = RESOURCES[flavour].find((resource) => resource.kind === kind)!.schema;
  for (const segment of segments) {
    const { items, additionalProperties, properties } = schema;
    if (segment === '[]') schema = items!;
    else schema = segment === '{}' ? (additionalProperties as StructuralSchema) : properties![segment]!;
  }
  return schema;
}

function rulesOf(schema: StructuralSchema): readonly string[] {
  const { items, additionalProperties, properties = {} } = schema;
  const below = [...Object.values(properties), items, additionalProperties].filter(
    (child) => typeof child === 'object',
  );
  return [...(schema['x-kubernetes-validations'] ?? []).map((rule) => rule.rule), ...below.flatMap(rulesOf)];
}
