import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type KWOKNodeClass, type NodeClaim, UNREGISTERED_TAINT } from '@karpenter-ts/apis';
import { InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { type ApiObject, type Node, NODES } from '@karpenter-ts/kubernetes';
import { findCause, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { KwokProvider } from './kwok-provider.ts';
import { cacheReader } from './reader.ts';
import { KWOK_NODE_CLASSES } from './resource-types.ts';
import { KwokEnvironment } from './testing/kwok-environment.ts';

test('03/113 a launch resolves at once, and the Node appears after nodeRegistrationDelay', async (t) => {
  const env = await KwokEnvironment.start(t);
  await env.patchNodeClass({ spec: { nodeRegistrationDelay: '30s' } });
  const launched = await env.provider.create(await env.createNodeClaim('a'), NEVER);
  await env.clock.advance(29 * SECOND);
  assert.deepEqual(await env.listNodes(), []);
  await env.clock.advance(2 * SECOND);
  const [node] = await env.listNodes();
  assert.equal(node!.spec?.providerID, launched.status?.providerID);
  assert.equal(node!.spec?.providerID, `kwok://${node!.metadata.name}`);
  assert.deepEqual(node!.spec?.taints?.[0], UNREGISTERED_TAINT); // the API server adds that it is not ready
});

test('03/120 a launched claim carries the labels and annotations of its Node, and capacity is what it requested', async (t) => {
  const env = await KwokEnvironment.start(t);
  const requests = { cpu: '500m', memory: '1Gi' };
  const launched = await env.provider.create(await env.createNodeClaim('a', { requests }), NEVER);
  const [node] = await env.listNodes();
  assert.deepEqual(launched.metadata.labels, node!.metadata.labels);
  assert.equal(launched.metadata.labels?.['kubernetes.io/hostname'], 'a');
  assert.equal(launched.metadata.labels?.['kwok-partition'], 'a');
  assert.match(launched.metadata.labels?.['eks-node-viewer/instance-price'] ?? '', /^\d+\.\d{6}$/);
  assert.equal(launched.metadata.annotations?.['kwok.x-k8s.io/node'], 'fake');
  assert.deepEqual(launched.status?.capacity, requests);
  assert.deepEqual(node!.status?.capacity, requests);
  assert.equal(launched.status?.imageID, undefined);
});

test('03/114 without its KWOKNodeClass a launch is insufficient capacity, with one that is not ready NodeClassNotReady', async (t) => {
  const env = await KwokEnvironment.start(t);
  const claim = await env.createNodeClaim('a');
  await env.unreadyNodeClass('no power');
  await assert.rejects(env.provider.create(claim, NEVER), (error: Error) => {
    assert.ok(findCause(error, NodeClassNotReadyError));
    return error.message === 'NodeClassRef not ready, no power';
  });
  await env.client.delete(KWOK_NODE_CLASSES, { name: 'default' });
  await assert.rejects(env.provider.create(claim, NEVER), (error: Error) => {
    assert.ok(findCause(error, InsufficientCapacityError));
    assert.equal(
      error.message,
      'insufficient capacity, resolving node class from nodeclaim, ' +
        'KWOKNodeClass.karpenter.kwok.sh "default" not found',
    );
    return true;
  });
  assert.deepEqual(await env.listNodes(), []);
});

test('03/115 a claim without an instance type requirement is an error that is tried again', async (t) => {
  const env = await KwokEnvironment.start(t);
  await assert.rejects(env.provider.create(await env.createNodeClaim('a', { requirements: [] }), NEVER), {
    name: 'Error',
    message: 'translating nodeclaim to node, instance type requirement not found',
  });
});

test('03/117 the first delete says that the instance is gone, and takes Node and NodeClaim with it', async (t) => {
  const env = await KwokEnvironment.start(t);
  const claim = await env.createNodeClaim('a');
  const launched = await env.persistLaunch(claim, await env.provider.create(claim, NEVER));
  assert.equal((await env.listNodes()).length, 1);
  await assert.rejects(env.provider.delete(launched, NEVER), {
    name: 'NodeClaimNotFoundError',
    message: 'nodeclaim not found, instance terminated',
  });
  assert.deepEqual(await env.listNodes(), []);
  assert.equal(await env.findNodeClaim('a'), undefined);
  await assert.rejects(env.provider.delete(launched, NEVER), (error: Error) => {
    assert.ok(findCause(error, NodeClaimNotFoundError));
    assert.equal(error.message, 'deleting node, nodeclaim not found, nodeclaims.karpenter.sh "a" not found');
    return true;
  });
});

test('an instance deleted before its Node appears never gets one', async (t) => {
  const env = await KwokEnvironment.start(t);
  await env.patchNodeClass({ spec: { nodeRegistrationDelay: '30s' } });
  const claim = await env.createNodeClaim('a');
  const launched = await env.persistLaunch(claim, await env.provider.create(claim, NEVER));
  await assert.rejects(env.provider.delete(launched, NEVER), NodeClaimNotFoundError);
  await env.clock.advance(60 * SECOND);
  assert.deepEqual(await env.listNodes(), []);
  assert.deepEqual(env.logger.lines, []);
});

test('03/119 a Node that is being deleted is no instance to get, but stays on the list, unmarked', async (t) => {
  const env = await KwokEnvironment.start(t);
  const launched = await env.provider.create(await env.createNodeClaim('a'), NEVER);
  const [node] = await env.listNodes();
  const { name } = node!.metadata;
  await env.client.patch(NODES, { name }, { type: 'merge', body: { metadata: { finalizers: ['test/hold'] } } });
  await env.client.delete(NODES, { name });
  await assert.rejects(env.provider.get(launched.status!.providerID!, NEVER), {
    name: 'NodeClaimNotFoundError',
    message: 'nodeclaim not found, nodeclaim not found',
  });
  const listed = await env.provider.list(NEVER);
  assert.deepEqual(
    listed.map(({ metadata, status }) => [status?.providerID, metadata.deletionTimestamp]),
    [[launched.status?.providerID, undefined]],
  );
});

test('03/118 an instance whose Node is gone is neither got nor listed', async (t) => {
  const env = await KwokEnvironment.start(t);
  const launched = await env.provider.create(await env.createNodeClaim('a'), NEVER);
  const [node] = await env.listNodes();
  await env.client.delete(NODES, { name: node!.metadata.name });
  assert.deepEqual(await env.provider.list(NEVER), []);
  await assert.rejects(env.provider.get(launched.status!.providerID!, NEVER), (error: Error) => {
    assert.ok(findCause(error, NodeClaimNotFoundError));
    return error.message === `finding node, nodeclaim not found, Node "${node!.metadata.name}" not found`;
  });
});

test('Nodes of others are not listed', async (t) => {
  const env = await KwokEnvironment.start(t);
  await env.create(NODES, { metadata: { name: 'theirs' } });
  assert.deepEqual(await env.provider.list(NEVER), []);
});

test('a Node that cannot be created is tried four times, logged once, and then tried until it can', async (t) => {
  const env = await KwokEnvironment.start(t);
  let refused = 0;
  env.refuse = ({ method, path }) => method === 'POST' && path.startsWith('/api/v1/nodes') && ++refused <= 3;
  await env.provider.create(await env.createNodeClaim('a'), NEVER);
  await env.clock.advance(1 * SECOND);
  assert.equal((await env.listNodes()).length, 1);
  refused = -1000;
  env.refuse = ({ method, path }) => method === 'POST' && path.startsWith('/api/v1/nodes') && ++refused < 0;
  await env.provider.create(await env.createNodeClaim('b'), NEVER);
  await env.clock.advance(1 * SECOND);
  assert.equal(refused, -996);
  assert.deepEqual(
    env.logger.lines.map(({ level, message }) => [level, message]),
    [['error', 'failed creating node from nodeclaim']],
  );
  env.refuse = () => false;
  await env.clock.advance(5 * SECOND);
  assert.equal((await env.listNodes()).length, 2);
  assert.equal(env.logger.lines.length, 1);
});

test('a second launch for the same claim is the same instance, also in another process', async (t) => {
  const env = await KwokEnvironment.start(t);
  const claim = await env.createNodeClaim('a');
  const first = await env.provider.create(claim, NEVER);
  assert.deepEqual(await env.provider.create(claim, NEVER), first);
  await env.restart();
  assert.deepEqual(await env.provider.create(claim, NEVER), first);
  assert.equal((await env.listNodes()).length, 1);
  assert.deepEqual(env.logger.lines, []);
});

test('types are the same array at every call, nothing drifts, and a NotReady Node is repaired after ten minutes', async (t) => {
  const { provider } = await KwokEnvironment.start(t);
  assert.equal(await provider.instanceTypes(), await provider.instanceTypes());
  assert.equal(await provider.findDrift(), undefined);
  assert.deepEqual(provider.repairPolicies, [
    { conditionType: 'Ready', conditionStatus: 'False', toleration: 600 * SECOND },
    { conditionType: 'Ready', conditionStatus: 'Unknown', toleration: 600 * SECOND },
  ]);
  assert.equal(provider.name, 'kwok');
});

test('with a reader of caches a launch costs one request', async (t) => {
  const { provider, requests, claim, env } = await startWithEmptyCache(t);
  await provider.create(claim, NEVER);
  await env.clock.flush();
  assert.deepEqual(requests, ['POST /api/v1/nodes']);
});

test('a Node no cache knows of yet goes with its instance', async (t) => {
  const { provider, requests, claim, env } = await startWithEmptyCache(t);
  const { status } = await provider.create(claim, NEVER);
  await env.clock.flush();
  await assert.rejects(provider.delete({ ...claim, status: status! }, NEVER), NodeClaimNotFoundError);
  assert.deepEqual(await env.listNodes(), []);
  assert.equal(requests.includes('DELETE /apis/karpenter.sh/v1/nodeclaims/a'), true);
});

test('a Node whose creation is under way goes with its instance', async (t) => {
  const { provider, claim, env } = await startWithEmptyCache(t);
  const { status } = await provider.create(claim, NEVER); // the request is on its way
  await assert.rejects(provider.delete({ ...claim, status: status! }, NEVER), NodeClaimNotFoundError);
  await env.clock.advance(60 * SECOND);
  assert.deepEqual(await env.listNodes(), []);
});

test('the end of an instance that has drained costs no request', async (t) => {
  const { provider, requests, claim, env } = await startWithEmptyCache(t); // its Node is gone
  const registered = { type: 'Registered', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
  const metadata = { ...claim.metadata, deletionTimestamp: '2026-01-01T01:00:00Z' };
  const status = { providerID: 'kwok://kwok-a', conditions: [registered] };
  await assert.rejects(provider.delete({ ...claim, metadata, status }, NEVER), NodeClaimNotFoundError);
  assert.deepEqual(requests, []);
  assert.ok(await env.findNodeClaim('a'));
});

/** A provider whose cache has seen no Node, with a claim for it. */
async function startWithEmptyCache(t: TestContext) {
  const env = await KwokEnvironment.start(t);
  const { client, clock, logger, catalogue } = env;
  const claim = await env.createNodeClaim('a');
  const nodeClass = await client.get<KWOKNodeClass>(KWOK_NODE_CLASSES, { name: 'default' });
  const requests: string[] = [];
  env.refuse = ({ method, path }) => requests.push(`${method} ${path.split('?')[0]}`) < 0;
  const reader = cacheReader({ nodes: cacheOf<Node>(), nodeClaims: cacheOf(claim), nodeClasses: cacheOf(nodeClass) });
  const provider = new KwokProvider({ client, clock, logger, catalogue, reader, stopping: t.signal });
  return { env, claim, provider, requests };
}

function cacheOf<T extends ApiObject>(...objects: readonly T[]) {
  return { get: (key: string) => objects.find(({ metadata }) => metadata.name === key), list: () => objects };
}

test('errors of the API server say what they were for, and are tried again', async (t) => {
  const env = await KwokEnvironment.start(t);
  const claim: NodeClaim = { ...(await env.createNodeClaim('a')), status: { providerID: 'kwok://x' } };
  env.refuse = ({ path }) => !path.includes(NODE_CLAIMS.plural);
  await assert.rejects(env.provider.create(claim, NEVER), {
    message: 'resolving node class from nodeclaim, refused',
  });
  await assert.rejects(env.provider.get('kwok://x', NEVER), { message: 'finding node, refused' });
  await assert.rejects(env.provider.list(NEVER), { message: 'listing nodes, refused' });
  await assert.rejects(env.provider.delete(claim, NEVER), { message: 'deleting node, refused' });
});
