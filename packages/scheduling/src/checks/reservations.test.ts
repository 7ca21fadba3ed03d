import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { awaitsReservation } from '../failure.ts';
import type { InstanceType } from '../snapshot.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { Plan } from '../plan.ts';
import { makeOffering, makePod, makePool } from '../testing/builders.ts';
import { fakeType, is, RESERVATION_LABEL, reserved } from '../testing/fake-types.ts';
import { APP, away, podsWith, preferNodes, where } from '../testing/pod-parts.ts';
import { failureOf, valuesOf, TestEnvironment } from '../testing/test-environment.ts';
import { Reservations } from './reservations.ts';

const strict = { reservedCapacity: 'Strict' } as const;
const onDemand = makeOffering('test-zone-1', 'on-demand', 1);
const apart = (name: string) =>
  makePod(name, { labels: APP, requests: { cpu: '1.8' }, affinity: away(podsWith(HOSTNAME_LABEL)) });
const waiting = ({ unschedulable }: Plan) =>
  unschedulable.filter(({ failure }) => awaitsReservation(failure)).map(({ pod }) => pod);

test('02/114 one pod per pass goes to a reservation; other capacity serves only when there is none left', () => {
  const small = (left: number) =>
    fakeType('small', {
      resources: { cpu: '2' },
      offerings: [onDemand, reserved('test-zone-1', 'r-small', left, { available: left > 0 })],
    });
  const medium = (left: number) =>
    fakeType('medium', { offerings: [onDemand, reserved('test-zone-1', 'r-medium', left, { available: left > 0 })] });
  const plan = (pods: readonly Pod[], ...left: readonly [number, number]) =>
    new TestEnvironment({ types: [small(left[0]), medium(left[1])], options: strict }).plan(...pods);
  const first = plan(['a', 'b', 'c'].map(apart), 1, 1);
  assert.equal(first.newNodes.length, 1); // it might use either, so it holds both
  assert.deepEqual(first.newNodes[0]!.reservations, ['r-medium', 'r-small']);
  assert.equal(waiting(first).length, 2);
  const second = plan(['b', 'c'].map(apart), 0, 1);
  assert.equal(second.newNodes.length, 1);
  assert.equal(waiting(second).length, 1);
  const hopeless = plan([makePod('giant', { requests: { cpu: '99' } })], 1, 1);
  assert.deepEqual([hopeless.unschedulable.length, waiting(hopeless)], [1, []]);
  const third = plan([apart('c')], 0, 0);
  assert.deepEqual(third.newNodes[0]!.reservations, []);
});

test('02/115 pools share a reservation of one id, not those of two', () => {
  const plan = (...ids: readonly string[]) => {
    const pools = ids.map((_, i) => makePool(`pool-${i}`, { labels: { pool: String(i) } }));
    const typesOf = Object.fromEntries(
      ids.map((id, i) => [`pool-${i}`, [fakeType('t', { offerings: [onDemand, reserved('test-zone-1', id, 1)] })]]),
    );
    const pods = ids.map((_, i) => makePod(`pod-${i}`, { nodeSelector: { pool: String(i) } }));
    return new TestEnvironment({ pools, typesOf, options: strict }).plan(...pods);
  };
  assert.equal(plan('r', 'r').newNodes.length, 1);
  assert.equal(waiting(plan('r', 'r')).length, 1);
  assert.equal(plan('r-0', 'r-1').newNodes.length, 2);
});

test('02/116 while a reservation is merely taken, neither the lighter pool nor a preference gives way', () => {
  const typesFor = (id: string) => [
    fakeType('t', { resources: { cpu: '2' }, offerings: [onDemand, reserved('test-zone-1', id, 1)] }),
  ];
  const pools = [makePool('heavy', { weight: 100 }), makePool('light')];
  const environment = new TestEnvironment({
    pools,
    typesOf: { heavy: typesFor('r-heavy'), light: typesFor('r-light') },
    options: strict,
  });
  const plan = environment.plan(apart('a'), apart('b'));
  assert.deepEqual(
    plan.newNodes.map(({ nodePool }) => nodePool),
    ['heavy'],
  );
  assert.equal(waiting(plan).length, 1);
  const preferring = (name: string) => ({
    ...apart(name),
    spec: {
      ...apart(name).spec,
      affinity: { ...apart(name).spec.affinity, ...preferNodes([1, where(ZONE_LABEL, 'In', 'test-zone-1')]) },
    },
  });
  const preferred = environment.plan(preferring('a'), preferring('b'));
  assert.equal(preferred.newNodes.length, 1);
  const gone = [
    fakeType('t', {
      resources: { cpu: '2' },
      offerings: [onDemand, reserved('test-zone-1', 'r-heavy', 0, { available: false })],
    }),
  ];
  const next = new TestEnvironment({ pools, typesOf: { heavy: gone, light: typesFor('r-light') }, options: strict });
  assert.equal(next.plan(apart('b')).newNodes[0]!.nodePool, 'heavy');
});

test('02/117 pods that share a reserved node keep its reservation, and the node is bought no other way', () => {
  const types = [fakeType('t', { offerings: [onDemand, reserved('test-zone-1', 'r', 1)] })];
  const plan = new TestEnvironment({ types, options: strict }).plan(
    makePod('a', { requests: { cpu: '1' } }),
    makePod('b', { requests: { cpu: '1' } }),
  );
  assert.equal(plan.newNodes.length, 1);
  assert.deepEqual(valuesOf(plan.newNodes[0]!, CAPACITY_TYPE_LABEL), ['reserved']);
  assert.deepEqual(valuesOf(plan.newNodes[0]!, RESERVATION_LABEL), ['r']);
  assert.equal(plan.newNodes[0]!.pricePerHour, 0.0001);
});

test('02/118 the least of several figures counts, giving back what one does not hold changes nothing, holding is once', () => {
  const reservations = new Reservations([new Map([['r', 3]]), new Map([['r', 1]])]);
  const none = new Set<string>();
  const held = new Set(['r']);
  assert.ok(reservations.canHold('r', none));
  reservations.exchange(none, held);
  assert.equal(reservations.canHold('r', none), false);
  assert.ok(reservations.canHold('r', held));
  reservations.exchange(held, held);
  reservations.exchange(none, none);
  assert.equal(reservations.canHold('r', none), false);
  reservations.exchange(held, none);
  assert.ok(reservations.canHold('r', none));
  reservations.exchange(none, held);
  assert.equal(reservations.canHold('r', none), false);
});

test('02/189 a type with reservations for three: two nodes, then one, then other capacity', () => {
  const type = (...left: readonly [number, number]): InstanceType =>
    fakeType('t', {
      offerings: [
        onDemand,
        ...left.map((count, i) => reserved(`test-zone-${i + 1}`, `r-${i}`, count, { available: count > 0 })),
      ],
    });
  const pods = ['a', 'b', 'c', 'd'].map(apart);
  const first = new TestEnvironment({ types: [type(1, 2)], options: strict }).plan(...pods);
  assert.equal(first.newNodes.length, 2);
  const second = new TestEnvironment({ types: [type(0, 1)], options: strict }).plan(...waiting(first));
  assert.equal(second.newNodes.length, 1);
  const third = new TestEnvironment({ types: [type(0, 0)], options: strict }).plan(...waiting(second));
  assert.deepEqual(valuesOf(third.newNodes[0]!, CAPACITY_TYPE_LABEL), undefined);
  assert.equal(third.newNodes.length, 1);
});

test('02/190 a reservation that is taken defers the pod whatever other pools say after an ordinary refusal', () => {
  const taken = [fakeType('t', { resources: { cpu: '2' }, offerings: [onDemand, reserved('test-zone-1', 'r', 1)] })];
  const pools = [
    makePool('a-first', { weight: 100, taints: [{ key: 'team', effect: 'NoSchedule' }] }),
    makePool('b-second', { weight: 50 }),
  ];
  const environment = new TestEnvironment({ pools, types: taken, options: strict });
  const plan = environment.plan(apart('a'), apart('b'));
  const [deferred] = waiting(plan);
  assert.equal(
    failureOf(plan, deferred!),
    'did not tolerate taint (taint=team:NoSchedule); ' +
      'one or more instance types with compatible reserved offerings are available, but could not be reserved',
  );
  const tolerant = (name: string) => ({
    ...apart(name),
    spec: { ...apart(name).spec, tolerations: [{ operator: 'Exists' }] },
  });
  const open = {
    'a-first': [fakeType('plain', { resources: { cpu: '2' }, offerings: [onDemand] })],
    'b-second': taken,
  };
  assert.equal(
    new TestEnvironment({ pools, typesOf: open, options: strict }).plan(tolerant('a'), tolerant('b')).newNodes.length,
    2,
  );
});

test('a pod that would cost a planned node its reservation is not let in', () => {
  const types = [
    fakeType('t', { offerings: [makeOffering('test-zone-2', 'on-demand', 1), reserved('test-zone-1', 'r', 1)] }),
  ];
  const large = makePod('large', { requests: { cpu: '2' } });
  const elsewhere = makePod('small', { requests: { cpu: '1' }, nodeSelector: { [ZONE_LABEL]: 'test-zone-2' } });
  const plan = new TestEnvironment({ types, options: strict }).plan(large, elsewhere);
  assert.equal(plan.newNodes.length, 2);
  const fallback = new TestEnvironment({ types, options: { reservedCapacity: 'Fallback' } }).plan(large, elsewhere);
  assert.equal(fallback.newNodes.length, 1);
  assert.deepEqual(fallback.newNodes[0]!.reservations, []);
});

test('with the feature off reserved offerings are offerings like any other', () => {
  const types = [fakeType('t', { resources: { cpu: '2' }, offerings: [onDemand, reserved('test-zone-1', 'r', 1)] })];
  const pools = [makePool('default', { requirements: [is(CAPACITY_TYPE_LABEL, 'reserved', 'on-demand')] })];
  const plan = new TestEnvironment({ types, pools, options: { reservedCapacity: 'Off' } }).plan(apart('a'), apart('b'));
  assert.equal(plan.newNodes.length, 2);
  assert.ok(plan.newNodes.every(({ reservations }) => reservations.length === 0));
  assert.equal(plan.newNodes[0]!.pricePerHour, 0.0001);
});
