import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatLabelSelector,
  LabelSelectorError,
  type LabelSelectorSpec,
  labelSelectorFrom,
  matchesLabels,
} from './label-selector.ts';

test('no selector selects nothing, an empty one everything', () => {
  assert.equal(matchesLabels(labelSelectorFrom(undefined), { a: 'b' }), false);
  assert.equal(matchesLabels(labelSelectorFrom(undefined), {}), false);
  assert.equal(matchesLabels(labelSelectorFrom({}), { a: 'b' }), true);
  assert.equal(matchesLabels(labelSelectorFrom({ matchLabels: {}, matchExpressions: [] }), undefined), true);
});

test('all labels and expressions must hold', () => {
  const selector = labelSelectorFrom({
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['front', 'edge'] },
      { key: 'zone', operator: 'NotIn', values: ['c'] },
      { key: 'team', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ],
  });
  const labels = { app: 'web', tier: 'edge', team: '' };
  assert.equal(matchesLabels(selector, labels), true);
  assert.equal(matchesLabels(selector, { ...labels, zone: 'a' }), true);
  assert.equal(matchesLabels(selector, { ...labels, zone: 'c' }), false);
  assert.equal(matchesLabels(selector, { ...labels, app: 'api' }), false);
  assert.equal(matchesLabels(selector, { ...labels, old: '' }), false);
  assert.equal(matchesLabels(selector, { app: 'web', tier: 'edge' }), false);
  assert.equal(formatLabelSelector(selector), 'app=web,!old,team,tier in (edge,front),zone notin (c)');
});

test('a key named as a member of every object is a label like others', () => {
  const selector = labelSelectorFrom({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] });
  assert.equal(matchesLabels(selector, {}), false);
  assert.equal(matchesLabels(selector, { constructor: 'x' }), true);
});

test('what makes no sense is refused in the words of the server', () => {
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const expression = (operator: string, ...values: string[]): LabelSelectorSpec => ({
    matchExpressions: [{ key: 'c', operator, values }],
  });
  const refused = (spec: LabelSelectorSpec, message: string): void =>
    assert.throws(() => labelSelectorFrom(spec), { name: LabelSelectorError.name, message });

  refused(expression('Gt', '1'), '"Gt" is not a valid label selector operator');
  refused(
    { matchExpressions: [{ key: 'c', operator: 'In' }] },
    "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  );
  refused(
    expression('Exists', 'a'),
    'values: Invalid value: ["a"]: values set must be empty for exists and does not exist',
  );
  refused(expression('In', '-'), `values[0][c]: Invalid value: "-": ${value}`);
  refused(
    expression('NotIn', 'ok', '-', '_'),
    `[values[1][c]: Invalid value: "-": ${value}, values[2][c]: Invalid value: "_": ${value}]`,
  );
  refused({ matchLabels: { a: '!' } }, `values[0][a]: Invalid value: "!": ${value}`);
});
