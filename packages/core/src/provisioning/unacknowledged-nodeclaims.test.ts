import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { NodeClaim } from '@karpenter-ts/apis';
import {
  Client,
  ConnectionError,
  inProcessTransport,
  SECOND,
  StatusError,
  type TransportResponse,
} from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { pendingPod, readyPool } from '../testing/cluster-objects.ts';
import { provisioningControllers } from './controllers.ts';
import { startProvisioningEnvironment } from './testing/provisioning-environment.ts';

/** A server that no watch hears of: the first creation fails like this, and `stored` is what it has of it. */
async function provision(t: TestContext, failure: Error, stored: (nodeClaim: NodeClaim) => readonly NodeClaim[]) {
  const env = await startProvisioningEnvironment(t);
  const asked: string[] = [];
  let items: readonly NodeClaim[] = [];
  const client = {
    create: async (_type: unknown, nodeClaim: NodeClaim): Promise<NodeClaim> => {
      asked.push('create');
      if (asked.length > 1) return named(nodeClaim, 'second');
      items = stored(named(nodeClaim, 'first'));
      throw failure;
    },
    listAll: async () => {
      asked.push('list');
      return { items, resourceVersion: '9' };
    },
  } as unknown as Client;
  await env.add([readyPool('default')], [pendingPod('a', { requests: { cpu: '1' } })]);
  await env.run(...provisioningControllers(env.depsWith(client)));
  await env.clock.advance(14 * SECOND); // the pod has called again at ten
  return { env, asked };
}

function named(nodeClaim: NodeClaim, name: string): NodeClaim {
  return { ...nodeClaim, metadata: { ...nodeClaim.metadata, name } };
}

const LOST = new ConnectionError('reset');

test('a NodeClaim that was stored without an answer is waited for, not bought again', async (t) => {
  const { env, asked } = await provision(t, LOST, (nodeClaim) => [nodeClaim]);
  assert.deepEqual(asked, ['create', 'list']);
  assert.equal(env.cluster.isUnlaunched('first'), true);
});

test('a NodeClaim that was not stored is created by the next pass', async (t) => {
  const { asked } = await provision(t, LOST, () => []);
  assert.deepEqual(asked, ['create', 'list', 'create']);
});

test('an error of the server may have come after it had stored the NodeClaim', async (t) => {
  const { asked } = await provision(t, new StatusError({ code: 504 }), (nodeClaim) => [nodeClaim]);
  assert.deepEqual(asked, ['create', 'list']);
});

for (const code of [500, 502, 503, 504]) {
  test(`two NodeClaims are not bought when the server stores one and answers ${code} with Retry-After`, async (t) => {
    const env = await startProvisioningEnvironment(t);
    const transport = inProcessTransport(async ({ method, body }) => {
      if (method === 'GET') return answer(200, await env.client.listAll(NODE_CLAIMS));
      await env.client.create(NODE_CLAIMS, JSON.parse(String(body)) as NodeClaim);
      return answer(code, {}, { 'retry-after': '1' });
    }, env.clock);
    const client = new Client({ transport, clock: env.clock, userAgent: 'karpenter-test' });
    await env.add([readyPool('default')], [pendingPod('a', { requests: { cpu: '1' } })]);
    await env.run(...provisioningControllers(env.depsWith(client)));
    await env.clock.advance(60 * SECOND);
    assert.equal((await env.nodeClaims()).length, 1);
  });
}

function answer(status: number, { items = [] }: { items?: readonly NodeClaim[] }, headers = {}): TransportResponse {
  const body = JSON.stringify({ metadata: { resourceVersion: '9' }, items });
  const bytes = (async function* () {
    yield Buffer.from(body);
  })();
  return { status, headers, body: bytes, discard: () => undefined };
}

test('what the server refuses it has not stored, and nobody asks', async (t) => {
  const { asked } = await provision(t, new StatusError({ code: 403 }), () => []);
  assert.deepEqual(asked, ['create', 'create']);
});

test('of the listed NodeClaims only those that are not launched are tracked', async (t) => {
  const foreign = { group: 'example.com', kind: 'Other', name: 'default' };
  const { env } = await provision(t, LOST, (nodeClaim) => [
    { ...named(nodeClaim, 'launched'), status: { providerID: 'fake:///1' } },
    { ...named(nodeClaim, 'foreign'), spec: { ...nodeClaim.spec, nodeClassRef: foreign } },
    nodeClaim,
  ]);
  assert.deepEqual(
    ['launched', 'foreign', 'first'].map((name) => env.cluster.isUnlaunched(name)),
    [false, false, true],
  );
  assert.equal(env.cluster.find('fake:///1'), undefined);
});
