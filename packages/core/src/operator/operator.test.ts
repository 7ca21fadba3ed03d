import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { ApiServer } from '@karpenter-ts/embedded';
import { type ApiObject, CUSTOM_RESOURCE_DEFINITIONS, PODS } from '@karpenter-ts/kubernetes';
import { Client, defaultsOf, inProcessTransport, Metrics, MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { operatorOptions } from '../options/operator-options.ts';
import { recordingLogger } from '@karpenter-ts/runtime/testing';
import { pendingPod } from '../testing/cluster-objects.ts';
import { Refusals } from '../testing/refusals.ts';
import { createOperator } from './operator.ts';

/** How a run ended; nothing while it goes on. */
interface Outcome {
  ended?: 'stopped' | Error;
}

function messageOf({ ended }: Outcome): string | undefined {
  return ended instanceof Error ? ended.message : ended;
}

/** A whole operator in virtual time, with an API server that knows no custom resource yet. */
async function startOperator(t: TestContext) {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const server = new ApiServer({ clock });
  const refusals = new Refusals();
  const transport = inProcessTransport(
    async (request, signal) => refusals.answer(request) ?? server.handle(request, signal),
    clock,
  );
  const { manager, readModel } = await createOperator({
    options: { ...defaultsOf(operatorOptions), leaderElectionNamespace: 'kube-system' },
    provider: { nodeClasses: [], create: async () => ({ provider: new FakeCloudProvider() }) },
    transport,
    clock,
    logger,
    metrics: new Metrics(clock),
    build: { version: 'test', commit: '' },
    random: () => 0.5,
    serves: false,
  });
  const stop = new AbortController();
  const outcome: Outcome = {};
  const run = (): void => {
    manager.start(stop.signal).then(
      () => {
        outcome.ended = 'stopped';
      },
      (error: Error) => {
        outcome.ended = error;
      },
    );
  };
  t.after(async () => {
    stop.abort();
    await clock.advance(1 * MINUTE);
    transport.close();
  });
  const client = new Client({ transport, clock, userAgent: 'karpenter-test' });
  const install = async (): Promise<void> => {
    for (const kind of RESOURCES.core) {
      await client.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(kind) as unknown as ApiObject);
    }
  };
  return { client, clock, logger, manager, readModel, refusals, outcome, run, install };
}

test('a missing CRD ends the operator after two minutes, naming each kind the server does not know', async (t) => {
  const { clock, logger, outcome, run } = await startOperator(t);
  run();
  await clock.advance(2 * MINUTE - 1);
  assert.equal(messageOf(outcome), undefined);
  assert.ok(
    logger.lines.some(({ message }) => message === 'if kind is a CRD, it should be installed before calling Start'),
  );
  await clock.advance(1 * SECOND);
  assert.equal(
    messageOf(outcome),
    'failed to wait for caches to sync: ' +
      'timed out waiting for cache to be synced for Kind *v1.NodeClaim: the server could not find the requested resource; ' +
      'timed out waiting for cache to be synced for Kind *v1.NodePool: the server could not find the requested resource',
  );
});

test('a missing right ends the operator after two minutes, with the server’s words', async (t) => {
  const { clock, refusals, outcome, run, install } = await startOperator(t);
  await install();
  refusals.add({ method: 'GET', path: /^\/api\/v1\/nodes$/, code: 403, times: Number.POSITIVE_INFINITY });
  run();
  await clock.advance(2 * MINUTE + 1 * SECOND);
  assert.equal(
    messageOf(outcome),
    'failed to wait for caches to sync: timed out waiting for cache to be synced for Kind *v1.Node: refused',
  );
});

test('a CRD that is installed while the operator waits is used without a restart', async (t) => {
  const { clock, manager, outcome, run, install } = await startOperator(t);
  run();
  await clock.advance(1 * MINUTE);
  assert.equal(manager.hasSynced, false);
  await install();
  await clock.advance(5 * MINUTE);
  assert.equal(manager.hasSynced, true);
  assert.equal(outcome.ended, undefined);
});

test('the read model shows what the running operator has found out', async (t) => {
  const { client, clock, readModel, run, install } = await startOperator(t);
  await install();
  const { metadata, status } = pendingPod('a');
  await client.create(PODS, pendingPod('a'));
  await client.patch(PODS, metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
  const failure = () => readModel.cluster.decisions.find('default/a')?.failure;
  assert.equal(failure(), undefined);
  run();
  await clock.advance(1 * MINUTE);
  assert.deepEqual(failure(), { why: 'NoDynamicNodePools' });
  assert.equal(readModel.lastPlan, undefined); // without a NodePool there is nothing to plan with
  assert.deepEqual(readModel.decisions.list(), []);
});
