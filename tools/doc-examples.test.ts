import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as kubernetes from '@karpenter-ts/kubernetes';
import * as runtime from '@karpenter-ts/runtime';

const PACKAGES: Readonly<Record<string, object>> = {
  '@karpenter-ts/kubernetes': kubernetes,
  '@karpenter-ts/runtime': runtime,
};

const IMPORT = /import \{([^}]*)\} from '([^']+)'/g;

/** The suites on a real control plane run the example; this says sooner that a name has moved. */
test('the example of docs/runtime.md imports names that its packages export', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/runtime.md'), 'utf8');
  const [, source = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const imports = [...source.matchAll(IMPORT)];
  assert.ok(imports.length > 0);
  for (const [, names = '', specifier = ''] of imports) {
    const values = names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '));
    const exported = Object.keys(PACKAGES[specifier] ?? {});
    for (const name of values) assert.ok(exported.includes(name.split(' as ')[0]!), `${name} of ${specifier}`);
  }
});
