import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckedObject, type CheckOptions, checkManifests } from './check-manifests.ts';

function check(text: string, options?: CheckOptions): readonly CheckedObject[] {
  return checkManifests([{ name: 'a.yaml', text }], options);
}

const errorsOf = (text: string) =>
  check(text).flatMap(({ errors }) => errors.map(({ line, message, hint }) => ({ line, message, hint })));

const POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
`;

test('an error carries the line of the field, or of what should hold it', () => {
  assert.deepEqual(
    check(`${POOL}  weight: 0\n  limits:\n    cpu: many\n`)[0]!.errors.map(({ line, column, field }) => [
      line,
      column,
      field,
    ]),
    [
      [9, 3, 'spec.weight'],
      [11, 5, 'spec.limits.cpu'],
    ],
  );
  const [missing] = check(POOL.replace('requirements: []', 'expireAfter: 1h'))[0]!.errors;
  assert.deepEqual([missing!.field, missing!.line], ['spec.template.spec.requirements', 6]);
});

test('a near miss is named: a misspelt field, one at the wrong level, a value, a kind, an old version', () => {
  const hints = (text: string) => errorsOf(text).map(({ hint }) => hint);
  assert.deepEqual(hints(`${POOL}  wieght: 1\n`), ['did you mean spec.weight?']);
  assert.deepEqual(hints(`${POOL}  Weight: 1\n`), ['did you mean spec.weight?']);
  assert.deepEqual(hints(`${POOL}  taints: []\n`), ['did you mean spec.template.spec.taints?']);
  assert.deepEqual(hints(`${POOL}  disruption: {consolidationPolicy: balanced}\n`).filter(Boolean), [
    'did you mean Balanced?',
  ]);
  assert.deepEqual(hints(POOL.replace('NodePool', 'NodePol')), ['did you mean NodePool?']);
  assert.deepEqual(hints(POOL.replace('karpenter.sh/v1', 'karpenter.sh/v1beta1')), ['did you mean karpenter.sh/v1?']);
  assert.deepEqual(hints(`${POOL}  unrelated: 1\n`), [undefined]);
});

test('unknown kinds, missing kinds and missing versions are reported', () => {
  assert.deepEqual(errorsOf('apiVersion: apps/v1\nkind: Deployment\n'), [
    { line: 2, message: 'no matches for kind "Deployment" in version "apps/v1"', hint: undefined },
  ]);
  assert.deepEqual(errorsOf('apiVersion: karpenter.sh/v1\n')[0]!.message, 'kind not set');
  assert.deepEqual(errorsOf('kind: NodePool\n')[0]!.message, 'apiVersion not set');
});

test('documents, lists and JSON are read one object at a time, with their own lines', () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n- ${POOL.trim().replaceAll('\n', '\n  ')}\n- 5\n`;
  const checked = check(`# nothing\n---\n${POOL}---\n${list}---\n${JSON.stringify({ kind: 'X', apiVersion: 'v1' })}\n`);
  assert.deepEqual(
    checked.map(({ kind, valid, line }) => [kind, valid, line]),
    [
      ['NodePool', true, 3],
      ['NodePool', true, 15],
      ['', false, 23],
      ['X', false, 25],
    ],
  );
});

test('text is read as kubectl reads it', () => {
  const tagged = (value: string) =>
    check(POOL.replace('{name: default}', `{name: default, labels: {a: ${value}}}`))[0]!;
  assert.match(
    tagged('yes').errors[0]!.message,
    /cannot unmarshal bool into Go struct field ObjectMeta.labels of type string/,
  );
  assert.match(tagged('010').errors[0]!.message, /cannot unmarshal number/);
  assert.equal(tagged('2026-01-01').valid, true);
  assert.equal(tagged("'yes'").valid, true);
  const merged = `x: &base {group: karpenter.k8s.aws, kind: EC2NodeClass}\n${POOL.replace(/nodeClassRef: .*/, 'nodeClassRef: {<<: *base, name: a}')}`;
  assert.deepEqual(
    errorsOf(merged).map(({ message }) => message),
    ['unknown field "x"'],
  );
});

test('bad YAML and repeated keys are named with their line', () => {
  assert.equal(errorsOf(`${POOL}  weight: 1\n  weight: 2\n`)[0]!.message, 'key "weight" already set in map');
  assert.deepEqual([errorsOf(`${POOL}  weight: 1\n  weight: 2\n`)[0]!.line, errorsOf('a: b: c\n')[0]!.line], [10, 1]);
});

test('bombs and deep nesting are refused within a second', () => {
  const level = (name: string, of: string) =>
    `${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(',')}]\n`;
  const bombs = [
    `a: &a [x]\n${level('b', 'a')}${level('c', 'b')}${level('d', 'c')}${level('e', 'd')}${level('f', 'e')}${level('g', 'f')}`,
    '['.repeat(1_000_000),
    '{a: '.repeat(500_000),
    '- '.repeat(500_000),
    Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
  ];
  for (const bomb of bombs) {
    const begun = performance.now();
    const [checked] = check(bomb);
    assert.equal(checked!.valid, false);
    assert.ok(performance.now() - begun < 1000, bomb.slice(0, 20));
  }
});

test('what only the controller finds is found too, as errors and as warnings', () => {
  const pool = POOL.replace(
    'requirements: []',
    'requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [xspot]}]',
  );
  assert.match(errorsOf(pool)[0]!.message, /^invalid value: no valid values found in \[xspot\]/);
  const budget = check(`${POOL}  disruption: {budgets: [{nodes: "1", schedule: "0 0 31 2 *", duration: 1h}]}\n`)[0]!;
  assert.deepEqual(
    [budget.valid, budget.warnings.map(({ field }) => field)],
    [true, ['spec.disruption.budgets[0].schedule']],
  );
});

test('fields and labels are told from what JavaScript objects inherit', () => {
  for (const name of ['toString', 'valueOf', 'constructor', '__proto__']) {
    assert.deepEqual(errorsOf(`${POOL}  ${name}: {a: 1}\n`), [
      { line: 9, message: `unknown field "spec.${name}"`, hint: undefined },
    ]);
  }
  const labelled = (key: string) => errorsOf(POOL.replace('{name: default}', `{name: default, labels: {${key}: a}}`));
  assert.match(labelled('__proto__')[0]!.message, /^Invalid value: "__proto__": name part must consist of/);
  assert.deepEqual(labelled('constructor'), []);
});
