import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { planSnapshot } from '../planner.ts';
import { finish } from '../progress.ts';
import { DEFAULT_PLANNING, EMPTY_SNAPSHOT, type InstanceType, type Snapshot } from '../snapshot.ts';
import { makeOffering, makePod, makePool, makeType } from './builders.ts';
import { launchesOf } from './launch.ts';

const GPU = 'example.com/gpu';
const capacity = { cpu: '4', memory: '8Gi', pods: '10' };
const cheap = makeOffering('zone-a', 'spot', 0.1);
const dear = makeOffering('zone-b', 'on-demand', 0.3, { capacityOverride: { [GPU]: '1' } });

function launchFor(types: readonly InstanceType[], pod: Pod, parts: Partial<Snapshot> = {}) {
  const pools = [{ nodePool: makePool('default'), instanceTypes: types }];
  const snapshot = { ...EMPTY_SNAPSHOT, pools, pods: [pod], ...parts };
  const plan = finish(planSnapshot(snapshot, DEFAULT_PLANNING));
  return [...launchesOf(snapshot, plan, DEFAULT_PLANNING).values()][0]!;
}

test('the cheapest type is bought the cheapest way', () => {
  const large = makeType('large', { capacity: { cpu: '16' }, offerings: [makeOffering('zone-a', 'spot', 0.4)] });
  const launch = launchFor([large, makeType('small', { capacity, offerings: [dear, cheap] })], makePod('p'));
  assert.deepEqual([launch.instanceType, launch.pricePerHour], ['small', 0.1]);
});

test('an offering on which the pods do not fit is passed over, though the plan counts its price', () => {
  const type = makeType('small', { capacity, offerings: [cheap, dear] });
  const launch = launchFor([type], makePod('p', { requests: { [GPU]: '1' } }));
  assert.equal(launch.pricePerHour, 0.3);
  assert.equal(launch.capacity[GPU], '1');
});

test('what is allocatable is what the system leaves', () => {
  const overhead = { kubeReserved: { cpu: '100m' }, evictionThreshold: { memory: '1Gi' } };
  const launch = launchFor([makeType('small', { capacity, offerings: [cheap], overhead })], makePod('p'));
  assert.deepEqual(launch.allocatable, { cpu: '3900m', memory: String(7 * 2 ** 30), pods: '10' });
});

test('an instance is labelled with what it is, and with one of the values its pool leaves open', () => {
  const requirements = [{ key: 'rack', operator: 'In', values: ['r1', 'r2'] } as const];
  const type = makeType('small', { capacity, offerings: [cheap, dear] });
  const nodePool = makePool('racked', { labels: { team: 'web' }, requirements: [...requirements] });
  const { labels } = launchFor([type], makePod('p'), { pools: [{ nodePool, instanceTypes: [type] }] });
  const expected = {
    [INSTANCE_TYPE_LABEL]: 'small',
    [ZONE_LABEL]: 'zone-a',
    [CAPACITY_TYPE_LABEL]: 'spot',
    [NODEPOOL_LABEL]: 'racked',
    rack: 'r1',
    team: 'web',
  };
  assert.partialDeepStrictEqual(labels, expected);
});

test('the daemons that come along are those of the type', () => {
  const onSmall = { nodeSelector: { [INSTANCE_TYPE_LABEL]: 'small' } };
  const onOthers = { nodeSelector: { [INSTANCE_TYPE_LABEL]: 'other' } };
  const daemonPods = [makePod('here', onSmall), makePod('elsewhere', onOthers)];
  const type = makeType('small', { capacity, offerings: [cheap] });
  const { daemons } = launchFor([type], makePod('p'), { daemonPods });
  assert.deepEqual(
    daemons.map(({ metadata }) => metadata.name),
    ['here'],
  );
});
