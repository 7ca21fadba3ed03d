// Lists that are kept up to date change by change, beside lists that are made anew.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { offeringFacts } from '@karpenter-ts/ec2-facts';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { MINUTE } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { createInstanceTypes } from './create-instance-types.ts';
import { nodeClass, REGION, spotPrice, subnetsIn, typeEnvironment, ZONES } from './testing/type-environment.ts';

/** Enough that making a list in turns takes several. */
const FAMILIES = /^(a1|c5|c6i|g4dn|m5|m5d|m6i|r5|r6i|t3)\./;
const TYPES = Object.keys(offeringFacts()[REGION]!).filter((name) => FAMILIES.test(name));
const ICE = { reason: 'InsufficientInstanceCapacity' };
const GROUP = { id: 'pg-1', name: 'group', strategy: 'partition', partitionCount: 2 } as const;

const RESERVATION = {
  id: 'cr-1',
  instanceType: 'm5.large',
  availabilityZone: 'us-west-2a',
  instanceMatchCriteria: 'targeted',
  ownerID: '012345678901',
  reservationType: 'default',
  state: 'active',
} as const;

const SETTINGS = [
  [nodeClass(), undefined],
  [nodeClass({ spec: { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] } }), undefined],
  [nodeClass({ status: { subnets: subnetsIn('a'), capacityReservations: [RESERVATION] } }), undefined],
  [nodeClass(), GROUP],
] as const;

type Environment = Awaited<ReturnType<typeof typeEnvironment>>;
type Step = (environment: Environment, random: Random) => unknown;

const pool = (random: Random) => ({
  instanceType: random.pick(TYPES),
  zone: random.pick(ZONES),
  capacityType: random.pick(['on-demand', 'spot']),
});

/** Everything that lists are made from changes in one of these ways. */
const STEPS: readonly Step[] = [
  ({ unavailable }, random) => unavailable.markUnavailable(pool(random), ICE),
  ({ unavailable }, random) => unavailable.markUnavailable({ ...pool(random), placementGroupId: 'pg-1' }, ICE),
  ({ unavailable }, random) =>
    unavailable.markUnavailable({ ...pool(random), placementGroupId: 'pg-1', partition: '2' }, ICE),
  ({ unavailable }, random) => unavailable.delete(pool(random)),
  ({ unavailable }) => unavailable.markCapacityTypeUnavailable('spot'),
  ({ unavailable }) => unavailable.markSubnetUnavailable('subnet-a'),
  ({ clock }) => clock.advance(2 * MINUTE),
  ({ zonalShift }, random) => zonalShift.set('usw2-az1', random.chance(0.5)),
  ({ reservations }, random) => reservations.counted('cr-1', random.pick([0, 1, 2])),
  ({ reservations }) => reservations.launched('cr-1'),
  ({ memory }, random) => memory.observe(random.pick(TYPES), 'ami-1', random.pick(['3Gi', '4Gi', '5Gi'])),
  ({ ec2, prices }, random) => {
    ec2.spot = [spotPrice(random.pick(TYPES), random.pick(ZONES), random.pick(['0.1', '0.2']))];
    return prices.refreshSpot(NEVER);
  },
  ({ ec2, discovered }, random) => {
    ec2.offerings[random.pick(TYPES)] = ZONES.filter(() => random.chance(0.7));
    return discovered.refreshOfferings(NEVER);
  },
  ({ ec2, discovered }, random) => {
    random.pick(ec2.types[0]!).MemoryInfo = { SizeInMiB: random.pick([8192, 16384]) };
    return discovered.refreshTypes(NEVER);
  },
];

/** A type is the object that it was exactly if it is equal to it, and the same holds of the list. */
function assertKept(before: readonly InstanceType[], after: readonly InstanceType[]): void {
  const byName = new Map(before.map((type) => [type.name, type]));
  for (const type of after) {
    const old = byName.get(type.name);
    assert.equal(type === old, isDeepStrictEqual(type, old), type.name);
  }
  assert.equal(after === before, isDeepStrictEqual(after, before));
}

for (const seed of [1, 2]) {
  test(`lists that follow every change are those made anew, and keep what has not changed (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const environment = await typeEnvironment({ types: TYPES });
    const kept = SETTINGS.map(([of, group]) => environment.source.list(of, group));
    for (let step = 0; step < 40; step++) {
      // Some lists are being made in turns while something changes.
      const [of, group] = random.pick(SETTINGS);
      const listing = environment.source.listInTurns(of, group, NEVER);
      await random.pick(STEPS)(environment, random);
      await listing;
      const fresh = createInstanceTypes({ ...environment, reservedCapacity: true });
      for (const [index, [wanted, inGroup]] of SETTINGS.entries()) {
        const list = environment.source.list(wanted, inGroup);
        assert.deepEqual(list, fresh.list(wanted, inGroup));
        assertKept(kept[index]!, list);
        kept[index] = list;
      }
    }
  });
}
