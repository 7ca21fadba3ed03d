import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { defaultsOf } from '@karpenter-ts/runtime';
import { awsModule } from './module.ts';

const ROOT = import.meta.dirname;

test('the module names its settings and its kind of NodeClass, and refuses settings that cannot be', () => {
  const process = { env: {}, version: '1.14.1', readClusterCa: async () => undefined };
  const options = defaultsOf(awsModule.options);
  assert.deepEqual(awsModule.check(options), ['missing field, cluster-name']);
  assert.deepEqual(
    awsModule.configure(options, process).nodeClasses.map(({ kind }) => kind),
    ['EC2NodeClass'],
  );
});

test('importing the provider loads neither its parts nor the SDK of AWS', () => {
  const { files, packages } = loadedWith(join(ROOT, 'index.ts'));
  assert.deepEqual([...files].map((file) => relative(ROOT, file)).sort(), [
    'index.ts',
    'module.ts',
    'node-class/node-class-lookup.ts',
    'node-class/node-class-parts.ts',
    'options/options.ts',
  ]);
  assert.deepEqual(
    [...packages].filter((name) => !name.startsWith('@karpenter-ts/')),
    [],
  );
});

/** What an import of this file loads at once. Imports of types load nothing. */
function loadedWith(
  file: string,
  files = new Set<string>(),
  packages = new Set<string>(),
): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  if (files.has(file)) return { files, packages };
  files.add(file);
  for (const [, clause = '', specifier = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) ([^;]*?)from '([^']+)';$/gm,
  )) {
    if (clause.startsWith('type ')) continue;
    if (specifier.startsWith('.')) loadedWith(join(dirname(file), specifier), files, packages);
    else packages.add(specifier);
  }
  return { files, packages };
}
