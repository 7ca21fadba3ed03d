import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LabelSelectorSpec, labelSelectorFrom } from '@karpenter-ts/kubernetes';
import { Namespaces } from '../model/pods/namespaces.ts';
import type { TopologyRule } from './rule.ts';
import { SelectorIndex } from './selector-index.ts';

/** An index of rules, and how many of them are tried when it is asked. */
class CountingIndex {
  tried = 0;
  readonly #index = new SelectorIndex<{ readonly rule: TopologyRule }>();
  readonly #namespaces = new Namespaces([]);

  add(matchLabels: Readonly<Record<string, string>>, ...listed: readonly string[]): void {
    this.select({ matchLabels }, ...listed);
  }

  select(spec: LabelSelectorSpec, ...listed: readonly string[]): void {
    const scope = this.#namespaces.of('', listed, undefined);
    const namespaces = { ...scope, has: (name: string) => ++this.tried > 0 && scope.has(name) };
    this.#index.add({ rule: { selector: labelSelectorFrom(spec), namespaces } as unknown as TopologyRule });
  }

  find(namespace: string, labels: Readonly<Record<string, string>>): number {
    return this.#index.find({ id: 0, namespace, labels }).length;
  }
}

test('of rules with one selector in a thousand namespaces, those of the pod’s own are tried', () => {
  const index = new CountingIndex();
  for (let i = 0; i < 1000; i++) index.add({ app: 'web' }, `ns-${i}`);
  index.add({ app: 'web' }, 'ns-7', 'ns-8');
  assert.equal(index.find('ns-7', { app: 'web', tier: 'front' }), 2);
  assert.equal(index.find('ns-9', { app: 'web' }), 1);
  assert.equal(index.tried, 4);
});

test('of rules that each ask for a label of their own, those are tried that ask for one the pod has', () => {
  const index = new CountingIndex();
  for (let i = 0; i < 1000; i++) index.add({ [`app-${i}`]: 'x' }, 'default');
  assert.equal(index.find('default', { 'app-7': 'x', 'app-8': 'y', 'app-9': 'x' }), 2);
  assert.equal(index.tried, 2);
});

test('rules that differ in the values they exclude are not tried one by one', () => {
  const index = new CountingIndex();
  const excluding = (values: readonly string[], namespace: string) => ({
    spec: {
      matchExpressions: [
        { key: 'tenant', operator: 'Exists' },
        { key: 'tenant', operator: 'NotIn', values },
      ],
    },
    namespace,
  });
  const rules = Array.from({ length: 1000 }, (_, i) => excluding([`t${i}`, 'all'], 'default'));
  for (const { spec, namespace } of [...rules, excluding(['t1'], 'other')]) index.select(spec, namespace);
  assert.equal(index.find('default', { tenant: 't7' }), 999);
  assert.equal(index.find('default', { tenant: 'someone' }), 1000);
  assert.equal(index.find('default', { tenant: 'all' }), 0);
  assert.equal(index.find('default', {}), 0);
  assert.equal(index.find('other', { tenant: 't7' }), 1);
  assert.equal(index.tried, 5);
});

test('rules are found in the order they were added, however they are filed', () => {
  const namespaces = new Namespaces([]).only('default');
  const index = new SelectorIndex<{ readonly name: string; readonly rule: TopologyRule }>();
  const specs: Readonly<Record<string, LabelSelectorSpec>> = {
    exact: { matchLabels: { app: 'web' } },
    excluding: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] },
    both: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['back'] }] },
    all: {},
  };
  const order = ['exact', 'all', 'excluding', 'both', 'exact'];
  for (const name of order) {
    const rule = { selector: labelSelectorFrom(specs[name]), namespaces } as unknown as TopologyRule;
    index.add({ name, rule });
  }
  const found = (labels: Readonly<Record<string, string>>) =>
    index.find({ id: 0, namespace: 'default', labels }).map(({ name }) => name);
  assert.deepEqual(found({ app: 'web' }), order);
  assert.deepEqual(found({ app: 'web', tier: 'back' }), ['exact', 'all', 'excluding', 'exact']);
  assert.deepEqual(found({ app: 'db' }), ['all']);
});

test('rules about all namespaces are one, and no larger where there are many', () => {
  const textWith = (count: number, own: string) => {
    const namespaces = new Namespaces(Array.from({ length: count }, (_, i) => ({ name: `ns-${i}`, labels: {} })));
    return namespaces.of(own, [], {}).text;
  };
  assert.equal(textWith(1000, 'ns-1'), textWith(10, 'ns-2'));
  const namespaces = new Namespaces([{ name: 'a', labels: { team: 'x' } }]);
  const scope = namespaces.of('own', ['b', 'a', 'b'], { matchLabels: { team: 'x' } });
  assert.equal(namespaces.of('other', ['a', 'b'], { matchExpressions: [], matchLabels: { team: 'x' } }), scope);
  assert.deepEqual(
    ['a', 'b', 'c', 'own'].filter((name) => scope.has(name)),
    ['a', 'b'],
  );
  namespaces.mention('c');
  assert.ok(namespaces.of('own', [], {}).has('c'));
});
