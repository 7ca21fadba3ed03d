import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR } from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { consistencyController } from '../nodeclaim/consistency/controller.ts';
import { disruptionConditionsController } from '../nodeclaim/disruption-conditions/controller.ts';
import { expirationController } from '../nodeclaim/expiration.ts';
import { garbageCollectionController } from '../nodeclaim/garbage-collection.ts';
import { nodeClaimHydrationController, nodeHydrationController } from '../nodeclaim/hydration.ts';
import { podEventsController } from '../nodeclaim/pod-events.ts';
import { startNodeClaimEnvironment } from '../nodeclaim/testing/nodeclaim-environment.ts';
import { counterController } from '../nodepool/counter.ts';
import { hashController } from '../nodepool/hash.ts';
import { readinessController } from '../nodepool/readiness.ts';
import { validationController } from '../nodepool/validation.ts';
import { FOREIGN_CLASS_REF, makeNode, makeNodeClaim, makeNodePool } from '../testing/objects.ts';

test('03/123 no controller touches objects of another provider, alive or deleted', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const core: ControllerDeps = env;
  const pool = await env.create(NODE_POOLS, makeNodePool('theirs', { template: { nodeClassRef: FOREIGN_CLASS_REF } }));
  const finalizers = ['karpenter.sh/termination'];
  const parts = { pool, nodeClassRef: FOREIGN_CLASS_REF, expireAfter: '1s', finalizers, status: { providerID: 'p' } };
  await env.create(NODE_CLAIMS, makeNodeClaim('theirs', parts));
  await env.create(NODE_CLAIMS, makeNodeClaim('deleting', { ...parts, status: { providerID: 'q' } }));
  await env.delete(NODE_CLAIMS, 'deleting');
  await env.create(NODES, makeNode('theirs', { providerID: 'p' }));
  env.writes.length = 0;
  await env.run(
    env.lifecycle,
    env.registrationHealth,
    consistencyController(core),
    disruptionConditionsController(core),
    expirationController({ ...core, deletions: env.deletions }),
    garbageCollectionController({ ...core, deletions: env.deletions }),
    nodeClaimHydrationController(core),
    nodeHydrationController(core),
    podEventsController(core),
    counterController(core, { hasSynced: () => true, usageOf: () => ({ nodes: '1' }) }),
    hashController(core),
    readinessController(core),
    validationController(core),
  );
  await env.clock.advance(1 * HOUR);
  assert.deepEqual(
    env.writes.filter((write) => /theirs|deleting/.test(write)),
    [],
  );
});

test('01/35 a pool of an unsupported kind gets no condition, no hash and no counts', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const pool = await env.create(NODE_POOLS, makeNodePool('theirs', { template: { nodeClassRef: FOREIGN_CLASS_REF } }));
  for (const controller of [
    counterController(env, { hasSynced: () => true, usageOf: () => ({ nodes: '1' }) }),
    hashController(env),
    readinessController(env),
    validationController(env),
  ]) {
    await env.reconcile(controller, 'theirs');
  }
  assert.deepEqual(await env.get(NODE_POOLS, 'theirs'), pool);
});
