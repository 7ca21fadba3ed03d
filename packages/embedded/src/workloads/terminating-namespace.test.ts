import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Controller, DONE, nullLogger, StatusError } from '@karpenter-ts/runtime';
import { sparingTerminatingNamespaces } from './terminating-namespace.ts';

function failing(error: Error): Controller {
  return { name: 'test', reconcile: () => Promise.reject(error) };
}

function pass(controller: Controller): Promise<unknown> {
  return controller.reconcile('key', new AbortController().signal, nullLogger);
}

test('what cannot be created because its namespace is going is given up', async () => {
  const causes = [{ reason: 'NamespaceTerminating' }];
  const error = new StatusError({ code: 403, reason: 'Forbidden', details: { causes } });
  assert.equal(await pass(sparingTerminatingNamespaces(failing(error))), DONE);
});

test('every other refusal is passed on', async () => {
  const error = new StatusError({ code: 403, reason: 'Forbidden' });
  await assert.rejects(pass(sparingTerminatingNamespaces(failing(error))), error);
});
