import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import { makeNode, makePod, makePool } from '../testing/builders.ts';
import { fakeType } from '../testing/fake-types.ts';
import { APP, away, podsWith } from '../testing/pod-parts.ts';
import { failureOf, TestEnvironment } from '../testing/test-environment.ts';

const limited = (limits: ResourceList) => [makePool('default', { limits })];
const cpus = (cpu: string) => makePod('a', { requests: { cpu } });
const TWO = [fakeType('two', { resources: { cpu: '2' } }), fakeType('four')];

test('02/110 what a pool holds counts against its limit', () => {
  const environment = new TestEnvironment({ pools: limited({ cpu: '2' }), types: TWO });
  assert.equal(environment.plan(cpus('1.75')).newNodes.length, 1);
  assert.equal(environment.plan(cpus('2.1')).newNodes.length, 0);
  environment.schedule(cpus('1.75'));
  const next = makePod('next', { requests: { cpu: '1.75' } });
  assert.equal(
    failureOf(environment.plan(next), next),
    'all available instance types exceed limits for nodepool (NodePool=default)',
  );
});

test('02/111 within one plan each new node counts as the largest it may become', () => {
  const pods = ['a', 'b'].map((name) =>
    makePod(name, { labels: APP, requests: { cpu: '1.5' }, affinity: away(podsWith(HOSTNAME_LABEL)) }),
  );
  const plan = new TestEnvironment({ pools: limited({ cpu: '3' }), types: TWO }).plan(...pods);
  assert.equal(plan.newNodes.length, 1);
  assert.equal(plan.unschedulable.length, 1);
});

test('02/112 a limit on nodes holds across passes, and within one', () => {
  const environment = new TestEnvironment({
    pools: limited({ nodes: '2' }),
    types: [fakeType('one', { resources: { pods: '1' } })],
  });
  const first = environment.plan(...['a', 'b', 'c'].map((name) => makePod(name)));
  assert.equal(first.newNodes.length, 2);
  environment.schedule(makePod('a'), makePod('b'));
  const pod = makePod('c');
  assert.equal(
    failureOf(environment.plan(pod), pod),
    'node limits have been exhausted for nodepool (NodePool=default)',
  );
});

test('02/185 limits on pods and devices exclude types that are larger', () => {
  assert.equal(
    new TestEnvironment({ pools: limited({ pods: '4' }), types: [fakeType('five')] }).plan(cpus('1')).newNodes.length,
    0,
  );
  const gpu = makePod('a', { requests: { 'fake.com/vendor-a': '1' } });
  assert.equal(new TestEnvironment({ pools: limited({ 'fake.com/vendor-a': '1' }) }).plan(gpu).newNodes.length, 0);
  const used = makeNode('large', { pool: 'default', capacity: { cpu: '100' }, allocatable: { cpu: '0', pods: '0' } });
  assert.equal(
    new TestEnvironment({ pools: limited({ cpu: '20' }), nodes: [used] }).plan(cpus('1')).newNodes.length,
    0,
  );
});

test('02/186 a pool at its limit of nodes and one beyond it say different things', () => {
  const failure = (count: number) => {
    const room = { pods: '0' };
    const nodes = Array.from({ length: count }, (_, i) => makeNode(`n-${i}`, { pool: 'default', allocatable: room }));
    const pod = makePod('a');
    return failureOf(new TestEnvironment({ pools: limited({ nodes: '1' }), nodes }).plan(pod), pod);
  };
  assert.equal(failure(0), undefined);
  assert.equal(failure(1), 'node limits have been exhausted for nodepool (NodePool=default)');
  assert.equal(failure(2), 'all available instance types exceed limits for nodepool (NodePool=default)');
});

test('limits beyond 2^53 are compared exactly', () => {
  const pools = limited({ memory: '10000000Gi' });
  const types = [fakeType('vast', { resources: { memory: '10000000Gi' } })];
  assert.equal(new TestEnvironment({ pools, types }).plan(cpus('1')).newNodes.length, 1);
  const larger = [fakeType('vaster', { resources: { memory: '10737418240000001' } })];
  assert.equal(new TestEnvironment({ pools, types: larger }).plan(cpus('1')).newNodes.length, 0);
});
