import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { ApiServer } from '../server.ts';

// What a controller would change at once is seen only where there is none. The rest is in contract/api/eviction.ts.

const NAMESPACE = '/api/v1/namespaces/default';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

async function start(budgetStatus: JsonObject) {
  const server = new ApiServer();
  const ask = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: JsonObject) => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const response = await server.handle({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    let text = '';
    for await (const chunk of response.body) text += chunk.toString();
    return JSON.parse(text) as { code?: number; details?: JsonObject; status: JsonObject };
  };
  const spec = { containers: [{ name: 'main', image: 'example.com/app:1' }] };
  await ask('POST', `${NAMESPACE}/pods`, { metadata: { name: 'a', labels: { app: 'a' } }, spec });
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await ask('PATCH', `${NAMESPACE}/pods/a/status`, { status: ready });
  await ask('POST', BUDGETS, {
    metadata: { name: 'b' },
    spec: { selector: { matchLabels: { app: 'a' } }, maxUnavailable: 1 },
  });
  await ask('PATCH', `${BUDGETS}/b/status`, { status: budgetStatus });
  return { ask, evict: () => ask('POST', `${NAMESPACE}/pods/a/eviction`, { metadata: { name: 'a' } }) };
}

const causeOf = ({ details }: { details?: JsonObject }): unknown =>
  (details?.['causes'] as readonly { message: string }[] | undefined)?.[0]?.message;

test('a budget that has not been counted since it changed refuses for ten seconds', async () => {
  const { evict } = await start({ observedGeneration: 0, disruptionsAllowed: 1 });
  const answer = await evict();
  assert.deepEqual([answer.code, answer.details?.['retryAfterSeconds']], [429, 10]);
  assert.equal(causeOf(answer), 'The disruption budget b is still being processed by the server.');
});

test('an eviction takes its share of the budget and leaves a note for the controller', async () => {
  const { ask, evict } = await start({
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
  });
  assert.equal((await evict()).code, 201);
  const { status } = await ask('GET', `${BUDGETS}/b`);
  assert.equal(status['disruptionsAllowed'], 0);
  assert.deepEqual(Object.keys(status['disruptedPods'] as JsonObject), ['a']);
  const [condition] = status['conditions'] as readonly JsonObject[];
  assert.deepEqual(
    [condition?.['type'], condition?.['status'], condition?.['reason']],
    ['DisruptionAllowed', 'False', 'InsufficientPods'],
  );
});

test('a budget that could not be counted says so', async () => {
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message: 'no scale',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const { evict } = await start({ observedGeneration: 1, disruptionsAllowed: 0, conditions: [condition] });
  assert.equal(
    causeOf(await evict()),
    'The disruption budget b does not allow evicting pods currently because it failed sync: no scale',
  );
});

test('a budget that was used up says that', async () => {
  const { evict } = await start({ observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 1 });
  assert.equal(causeOf(await evict()), 'The disruption budget b does not allow evicting pods currently');
});

test('a budget below nothing is an error of its own', async () => {
  const { evict } = await start({ observedGeneration: 1, disruptionsAllowed: -1 });
  assert.equal((await evict()).code, 403);
});
