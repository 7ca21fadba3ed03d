import assert from 'node:assert/strict';
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  CORE_PROFILE,
  INSTANCE_TYPE_LABEL,
  OS_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { parseQuantity } from '@karpenter-ts/kubernetes';
import { allocatableResources } from '@karpenter-ts/scheduling';
import type { Obligation } from './obligation.ts';
import { onlyValue } from './conformance-context.ts';

/** What the catalogue owes the planner (spec 03 §6.4). */
export const INSTANCE_TYPES: readonly Obligation[] = [
  {
    id: 'types.names',
    level: 'must',
    text: 'Types have names of their own, and carry them as their instance type label.',
    async check(context) {
      const types = await context.instanceTypes();
      assert.ok(types.length > 0, 'there are none');
      assert.equal(new Set(types.map(({ name }) => name)).size, types.length, 'two share a name');
      for (const type of types) assert.equal(onlyValue(type, INSTANCE_TYPE_LABEL), type.name);
    },
  },
  {
    id: 'types.labels',
    level: 'must',
    text: 'A type says which architecture, systems, zones and capacity types it can be had with.',
    async check(context) {
      for (const { name, requirements } of await context.instanceTypes()) {
        for (const key of [ARCH_LABEL, OS_LABEL, ZONE_LABEL, CAPACITY_TYPE_LABEL]) {
          assert.ok(
            requirements.some((one) => one.key === key),
            `${name} has no requirement on ${key}`,
          );
        }
      }
    },
  },
  {
    id: 'types.own-labels',
    level: 'should',
    text: 'A type says something about every label the provider adds to the well-known ones, be it that it does not exist.',
    async check(context) {
      const { profile, reservationIdLabel = '', reservedCapacityLabels } = context.facts;
      const ofReservations = reservedCapacityLabels.union(new Set([reservationIdLabel]));
      const own = profile.wellKnownLabels.difference(CORE_PROFILE.wellKnownLabels).difference(ofReservations);
      for (const { name, requirements, offerings } of await context.instanceTypes()) {
        const defined = new Set(
          [requirements, ...offerings.map((one) => one.requirements)].flat().map(({ key }) => key),
        );
        const missing = [...own].filter((key) => !defined.has(key));
        assert.deepEqual(missing, [], `of ${name}`);
      }
    },
  },
  {
    id: 'types.resources',
    level: 'must',
    text: 'A type has cpu, memory and pods, and no resource of which the system keeps more than there is.',
    async check(context) {
      for (const type of await context.instanceTypes()) {
        for (const name of ['cpu', 'memory', 'pods']) {
          assert.ok(parseQuantity(type.capacity[name] ?? 0).nanos > 0n, `${type.name} has no ${name}`);
        }
        for (const [name, amount] of Object.entries(allocatableResources(type))) {
          assert.ok(parseQuantity(amount).nanos >= 0n, `${type.name} leaves ${amount} of ${name}`);
        }
      }
    },
  },
  {
    id: 'types.same-array',
    level: 'should',
    text: 'Types with nothing new in them are the same array, so that planning need not index them again.',
    async check(context) {
      assert.equal(await context.instanceTypes(), await context.instanceTypes());
    },
  },
  {
    id: 'types.exhausted',
    level: 'must',
    text: 'Types that cannot be had are still listed, with their offerings marked as unavailable.',
    needs: ['exhaust'],
    async check(context) {
      const before = await context.instanceTypes();
      await context.hook('exhaust')();
      const after = await context.instanceTypes();
      assert.equal(after.length, before.length);
      assert.ok(after.every(({ offerings }) => offerings.length > 0 && offerings.every((one) => !one.available)));
    },
  },
];
