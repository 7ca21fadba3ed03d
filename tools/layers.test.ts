import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLayerViolations } from './layers.ts';

function violations(path: string, text: string): readonly string[] {
  return findLayerViolations([{ path, text }]);
}

test('an import that points up the packages is a violation, with its line', () => {
  assert.deepEqual(violations('packages/kubernetes/src/a.ts', "// One.\nexport { main } from '@karpenter-ts/cli';\n"), [
    'packages/kubernetes/src/a.ts:2: kubernetes must not import cli; it may import nothing of ours',
  ]);
});

test('an import that points down the packages passes', () => {
  assert.deepEqual(violations('packages/cli/src/a.ts', "export { admit } from '@karpenter-ts/apis';\n"), []);
});

test("an import of another package's insides is a violation, whoever imports", () => {
  const text = "import { admit } from '../../packages/apis/src/schema/admission.ts';\n";
  assert.deepEqual(violations('e2e/lab/a.ts', text), [
    'e2e/lab/a.ts:1: import apis by its name, not by the path ../../packages/apis/src/schema/admission.ts',
  ]);
});

test('a dynamic import counts like any other', () => {
  assert.match(violations('packages/apis/src/a.ts', "await import('@karpenter-ts/core');")[0]!, /must not import core/);
});

test('the fixtures of another package are for tests alone', () => {
  const text = "import { FakeProvider } from '@karpenter-ts/cloudprovider/testing';\n";
  assert.match(violations('packages/core/src/operator/a.ts', text)[0]!, /is for tests/);
  assert.deepEqual(violations('packages/core/src/operator/a.test.ts', text), []);
  assert.deepEqual(violations('packages/core/src/operator/testing/a.ts', text), []);
});

test('a package without a row is a violation, not a way around the table', () => {
  assert.match(violations('packages/new/src/a.ts', "import '@karpenter-ts/apis';\n")[0]!, /no row for the package new/);
});

test('an import that points up the folders of a package is a violation, and one that points down is none', () => {
  const up = violations('packages/apis/src/names/a.ts', "import { b } from '../check/b.ts';\n");
  assert.deepEqual(up, [
    'packages/apis/src/names/a.ts:1: the folder names must not import from check, which stands above it',
  ]);
  assert.deepEqual(violations('packages/apis/src/check/b.ts', "import { a } from '../names/a.ts';\n"), []);
});

test('an import that points up the folders of a package is a violation', () => {
  const upInCore = "import { Provisioner } from '../provisioning/provisioner.ts';\n";
  assert.deepEqual(violations('packages/core/src/state/a.ts', upInCore), [
    'packages/core/src/state/a.ts:1: the folder state must not import from provisioning, which stands above it',
  ]);
  const upInScheduling = "import { Packer } from '../../packing/packer.ts';\n";
  assert.deepEqual(violations('packages/scheduling/src/model/pods/a.ts', upInScheduling), [
    'packages/scheduling/src/model/pods/a.ts:1: the folder model must not import from packing, which stands above it',
  ]);
});

test('an import that points down the folders of a package passes', () => {
  assert.deepEqual(violations('packages/core/src/operator/a.ts', "import { b } from '../state/b.ts';\n"), []);
  assert.deepEqual(violations('packages/scheduling/src/planner.ts', "import { b } from './packing/b.ts';\n"), []);
});

test('a folder must not import a file at the root, unless every folder may', () => {
  const planner = "import { planSnapshot } from '../planner.ts';\n";
  assert.deepEqual(violations('packages/scheduling/src/cost/a.ts', planner), [
    'packages/scheduling/src/cost/a.ts:1: the folder cost must not import from planner.ts, which stands above it',
  ]);
  assert.deepEqual(violations('packages/scheduling/src/cost/a.test.ts', planner), []);
  const plan = "import type { Plan } from '../plan.ts';\n";
  assert.deepEqual(violations('packages/scheduling/src/cost/a.ts', plan), []);
});

test('a file that every folder may import imports no folder', () => {
  assert.deepEqual(violations('packages/scheduling/src/plan.ts', "import type { B } from './model/b.ts';\n"), [
    'packages/scheduling/src/plan.ts:1: plan.ts must not import from model, because every folder may import plan.ts',
  ]);
});

test('a folder without a place in the order is a violation', () => {
  const text = "import { b } from '../new/b.ts';\n";
  assert.match(violations('packages/scheduling/src/model/a.ts', text)[0]!, /no place for the folder new/);
});
