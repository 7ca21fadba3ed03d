import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { AWS_LABELS } from '@karpenter-ts/apis';
import { MINUTE } from '@karpenter-ts/runtime';
import { CapacityReservations } from '../reservations/capacity-reservations.ts';
import { ReservationCounts } from '../reservations/reservation-counts.ts';
import { reservation, reservationEnvironment } from '../reservations/testing/reservation-environment.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { reservationExpirationController } from './reservation-expiration.ts';

async function environment(t: TestContext, held: (now: number) => readonly CapacityReservation[]) {
  const env = await ProviderEnvironment.start(t);
  const { ec2, inputs } = reservationEnvironment(held(env.clock.now()));
  const counts = new ReservationCounts(env.clock);
  const reservations = new CapacityReservations({ ec2, clock: env.clock, counts, stopping: t.signal });
  const controller = reservationExpirationController({ ...env, reservations });
  const addNodeClaim = (name: string, id: string) =>
    env.addNodeClaim(name, { labels: { [AWS_LABELS.capacityReservationId]: id }, finalizers: ['test/keep'] });
  return { env, ec2, inputs, addNodeClaim, reconcile: () => env.reconcile(controller, '') };
}

const block = (id: string, end: number): CapacityReservation =>
  reservation(id, { ReservationType: 'capacity-block', EndDate: new Date(end) });

test('07/102, 08/37 the NodeClaims of a block that is about to end are deleted, and no others', async (t) => {
  const { env, addNodeClaim, reconcile } = await environment(t, (now) => [
    block('cr-ending', now + 39 * MINUTE),
    block('cr-later', now + 60 * MINUTE),
    reservation('cr-default', { EndDate: new Date(now + 39 * MINUTE) }),
  ]);
  for (const id of ['ending', 'later', 'default']) await addNodeClaim(`claim-${id}`, `cr-${id}`);
  await env.addNodeClaim('claim-without');
  assert.deepEqual(await reconcile(), { requeueAfter: 1 * MINUTE });
  assert.deepEqual(env.deleted, ['claim-ending: capacity_block_expired']);
  const line = env.logger.lines.find(({ message }) => message === 'initiating delete for capacity block expiration');
  assert.deepEqual(
    [String(line?.fields['NodeClaim']), line?.fields['capacity-reservation-id']],
    ['claim-ending', 'cr-ending'],
  );
});

test('a NodeClaim that is being deleted is neither deleted nor logged again', async (t) => {
  const { env, addNodeClaim, reconcile } = await environment(t, (now) => [block('cr-1', now + 39 * MINUTE)]);
  await addNodeClaim('claim-1', 'cr-1');
  await reconcile();
  await reconcile();
  assert.equal(env.deleted.length, 1);
  assert.equal(env.logger.lines.filter(({ level }) => level === 'info').length, 1);
});

test('many NodeClaims of some reservations are one call', async (t) => {
  const { addNodeClaim, inputs, reconcile } = await environment(t, (now) => [
    block('cr-1', now + 600 * MINUTE),
    block('cr-2', now + 600 * MINUTE),
  ]);
  for (let index = 0; index < 6; index++) await addNodeClaim(`claim-${index}`, `cr-${(index % 2) + 1}`);
  await reconcile();
  assert.deepEqual(
    inputs.map(({ CapacityReservationIds }) => CapacityReservationIds?.toSorted()),
    [['cr-1', 'cr-2']],
  );
});

test('NodeClaims of another provider are left alone', async (t) => {
  const { env, reconcile, inputs } = await environment(t, (now) => [block('cr-1', now)]);
  await env.addNodeClaim('claim-1', {
    labels: { [AWS_LABELS.capacityReservationId]: 'cr-1' },
    spec: { nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' } },
  });
  await reconcile();
  assert.deepEqual(inputs, []);
});

test('while EC2 does not answer, nothing is deleted', async (t) => {
  const { env, ec2, addNodeClaim, reconcile } = await environment(t, (now) => [block('cr-1', now + 39 * MINUTE)]);
  await addNodeClaim('claim-1', 'cr-1');
  ec2.describeCapacityReservations = async () => {
    throw new Error('out of order');
  };
  await assert.rejects(reconcile(), {
    message: 'getting capacity reservations, listing capacity reservations, out of order',
  });
  assert.deepEqual(env.deleted, []);
});
