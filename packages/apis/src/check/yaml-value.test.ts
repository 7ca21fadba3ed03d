import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlias, isMap, isScalar, parseDocument, visit } from 'yaml';
import { readManifests } from './manifest.ts';
import { readYaml } from './yaml-value.ts';

/** The only object of a text, as JSON. */
function jsonOf(text: string): string {
  const [manifest] = readManifests(text);
  return manifest !== undefined && 'object' in manifest ? JSON.stringify(manifest.object) : (manifest?.problem ?? '');
}

test('whole numbers of 64 bits stay as they are; beyond, they are floats as in Go', () => {
  assert.equal(
    jsonOf(
      '{a: 9223372036854775807, b: -9223372036854775808, c: 9007199254740993, d: 9007199254740991, e: 010, f: 0x10}',
    ),
    '{"a":9223372036854775807,"b":-9223372036854775808,"c":9007199254740993,"d":9007199254740991,"e":8,"f":16}',
  );
  assert.equal(jsonOf('{a: 9223372036854775808}'), '{"a":9223372036854776000}');
  assert.equal(jsonOf('{9223372036854775807: a, 1: b, true: c}'), '{"1":"b","9223372036854775807":"a","true":"c"}');
});

test('an alias is what its anchor was before it, and what a map says itself goes before what it merges', () => {
  assert.equal(jsonOf('a: &x 1\nb: *x\nc: &x 2\nd: *x\n'), '{"a":1,"b":1,"c":2,"d":2}');
  assert.equal(
    jsonOf('x: &x {a: 1, b: 1}\nw: &w {b: 2, c: 2}\nz: {<<: [*x, *w], c: 3}\n'),
    '{"x":{"a":1,"b":1},"w":{"b":2,"c":2},"z":{"c":3,"a":1,"b":1}}',
  );
  assert.equal(jsonOf('x: {"<<": 1}'), '{"x":{"<<":1}}');
});

test('aliases that mean nothing, themselves or too much are named', () => {
  assert.equal(jsonOf('a: &a [*a]'), "anchor 'a' value contains itself");
  assert.equal(jsonOf('a: {<<: 1}'), 'map merge requires map or sequence of maps as the value');
  assert.equal(jsonOf('? {a: 1}\n: b\n'), 'unsupported map key');
  const repeats = (count: number) => `a: &a {b: c}\nl: [${Array.from({ length: count }, () => '*a').join(',')}]\n`;
  assert.match(jsonOf(repeats(300)), /^\{/);
  assert.equal(jsonOf(repeats(300_000)), 'document contains excessive aliasing');
  const long = `a: &a ${'x'.repeat(100_000)}\nl: [${Array.from({ length: 3_000 }, () => '*a').join(',')}]\n`;
  assert.equal(jsonOf(long), 'document contains excessive aliasing');
});

test('names that every JavaScript object inherits are keys like others', () => {
  const text = 'x: &x {__proto__: {a: 1}}\nz: {<<: *x, constructor: 2, toString: 3}\n';
  assert.equal(jsonOf(text), '{"x":{"__proto__":{"a":1}},"z":{"constructor":2,"toString":3,"__proto__":{"a":1}}}');
});

test('reading a document and finding its fields looks at each of them a few times only, however many there are', () => {
  const count = 5_000;
  const lines = Array.from({ length: count }, (_, i) => `k${i}: &a${i} v\nl${i}: *a${i}`);
  const document = parseDocument(lines.join('\n'), { uniqueKeys: false });
  let reads = 0;
  const counted = (node: object, member: string, value: unknown): void => {
    Object.defineProperty(node, member, { get: () => (reads++, value) });
  };
  visit(document, (key, node) => {
    if (isScalar(node) && key === 'key') counted(node, 'value', node.value);
    if (isAlias(node)) counted(node, 'source', node.source);
  });
  const value = readYaml(document);
  assert.ok(isMap(document.contents));
  for (let i = 0; i < count; i++) assert.ok(value.childOf(document.contents, `l${i}`));
  assert.ok(reads < 20 * count, `${reads}`);
});
