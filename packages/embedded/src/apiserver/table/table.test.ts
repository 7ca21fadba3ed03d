import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import type { PrinterColumn } from '@karpenter-ts/apis';
import { BUILTIN_RESOURCES } from '../kinds/builtin.ts';
import type { KubeObject } from '../object.ts';
import type { ServedResource } from '../resources.ts';
import { toTable } from './table.ts';

const CUSTOM: ServedResource = {
  group: 'example.com',
  version: 'v1',
  plural: 'foos',
  singular: 'foo',
  kind: 'Foo',
  listKind: 'FooList',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
  subresources: [],
  schema: {},
  columns: [
    { name: 'A', type: 'string', jsonPath: '.spec.a' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'N', type: 'integer', jsonPath: '.spec.n' },
    { name: 'F', type: 'number', jsonPath: '.spec.f' },
    { name: 'B', type: 'boolean', jsonPath: '.spec.b' },
    { name: 'L', type: 'string', jsonPath: '.spec.list[*].x' },
    { name: 'I', type: 'string', jsonPath: '.spec.list[0]' },
    { name: 'Lab', type: 'string', jsonPath: '.metadata.labels.example\\.com/a', wide: true },
    { name: 'D', type: 'date', jsonPath: '.spec.d' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ] as readonly PrinterColumn[],
};

const RESOURCES: ReadonlyMap<string, ServedResource> = new Map(
  [...BUILTIN_RESOURCES, CUSTOM].map((resource) => [`${resource.group}/${resource.plural}`, resource]),
);

/** Taken from a kube-apiserver 1.35.4: the columns of each resource, and the cells of objects at an instant. */
type Golden =
  | { readonly resource: string; readonly columns: readonly (readonly [string, string, string, number])[] }
  | { readonly resource: string; readonly at: string; readonly object: KubeObject; readonly cells: readonly unknown[] };

const GOLDEN = readFileSync(new URL('table.golden.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Golden);

for (const [name, resource] of RESOURCES) {
  test(`${name} has the columns and cells of the real server`, () => {
    const entries = GOLDEN.filter((golden) => golden.resource === name);
    assert.ok(entries.length > 0);
    for (const entry of entries) {
      if ('columns' in entry) {
        const { columnDefinitions } = toTable(resource, [], { now: 0 });
        const columns = columnDefinitions.map(({ name: title, type, format, priority }) => [
          title,
          type,
          format,
          priority,
        ]);
        assert.deepEqual(columns, entry.columns);
      } else {
        const [row] = toTable(resource, [entry.object], { now: Date.parse(entry.at) }).rows;
        assert.deepEqual(row?.cells, entry.cells, JSON.stringify(entry.object));
      }
    }
  });
}

const pod = (phase: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels: { a: 'b' } },
  spec: { containers: [] },
  status: { phase },
});
const PODS = RESOURCES.get('/pods')!;

test('a row has as much of its object as is asked for', () => {
  const included = (include?: 'None' | 'Metadata' | 'Object'): JsonObject | undefined =>
    toTable(PODS, [pod('Running')], { now: 0, ...(include && { include }) }).rows[0]?.object;
  assert.equal(included('None'), undefined);
  assert.deepEqual(included(), {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { name: 'p', labels: { a: 'b' } },
  });
  assert.deepEqual(included('Object'), pod('Running'));
});

test('rows of pods that have ended are marked as completed', () => {
  const [running, failed] = toTable(PODS, [pod('Running'), pod('Failed')], { now: 0 }).rows;
  assert.equal(running?.conditions, undefined);
  assert.deepEqual(failed?.conditions, [
    { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
  ]);
});

test('a custom resource without columns shows its age', () => {
  const { columnDefinitions, rows } = toTable({ ...CUSTOM, columns: [] }, [pod('')], { now: 0 });
  assert.deepEqual(
    columnDefinitions.map(({ name, type }) => [name, type]),
    [
      ['Name', 'string'],
      ['Age', 'date'],
    ],
  );
  assert.deepEqual(rows[0]?.cells, ['p', '<unknown>']);
});
