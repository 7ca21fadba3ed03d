import assert from 'node:assert/strict';
import { admits, CAPACITY_TYPE_LABEL, CAPACITY_TYPES, toRequirements, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Obligation } from './obligation.ts';
import { onlyValue } from './conformance-context.ts';

const KNOWN_CAPACITY_TYPES: ReadonlySet<string | undefined> = new Set(CAPACITY_TYPES);

/** What offerings owe the planner (spec 03 §6.4). */
export const OFFERINGS: readonly Obligation[] = [
  {
    id: 'offerings.place',
    level: 'must',
    text: 'An offering names one zone and one capacity type: on-demand, reserved or spot.',
    async check(context) {
      for (const { name, offerings } of await context.instanceTypes()) {
        for (const offering of offerings) {
          assert.ok(onlyValue(offering, ZONE_LABEL), `an offering of ${name} names no zone`);
          const capacityType = onlyValue(offering, CAPACITY_TYPE_LABEL);
          assert.ok(
            KNOWN_CAPACITY_TYPES.has(capacityType),
            `an offering of ${name} is of capacity type ${capacityType}`,
          );
        }
      }
    },
  },
  {
    id: 'offerings.price',
    level: 'must',
    text: 'An offering has a price that is a number, and not below zero.',
    async check(context) {
      for (const { name, offerings } of await context.instanceTypes()) {
        for (const { pricePerHour } of offerings) {
          assert.ok(Number.isFinite(pricePerHour) && pricePerHour >= 0, `${name} costs ${pricePerHour}`);
        }
      }
    },
  },
  {
    id: 'offerings.keys',
    level: 'must',
    text: 'Every label an offering names is well-known to the provider, so that pods may ask for it.',
    async check(context) {
      const { wellKnownLabels } = context.facts.profile;
      for (const { name, offerings } of await context.instanceTypes()) {
        const keys = offerings.flatMap(({ requirements }) => requirements.map(({ key }) => key));
        assert.deepEqual(
          [...new Set(keys)].filter((key) => !wellKnownLabels.has(key)),
          [],
          `of ${name}`,
        );
      }
    },
  },
  {
    id: 'offerings.of-type',
    level: 'must',
    text: 'The zone and capacity type of an available offering are among those of its type.',
    async check(context) {
      const { profile } = context.facts;
      for (const { name, requirements, offerings } of await context.instanceTypes()) {
        const allowed = toRequirements(requirements, profile);
        for (const offering of offerings) {
          for (const key of [ZONE_LABEL, CAPACITY_TYPE_LABEL]) {
            const [requirement, value] = [allowed.get(key), onlyValue(offering, key)];
            const isAllowed = !offering.available || !requirement || value === undefined || admits(requirement, value);
            assert.ok(isAllowed, `${name} is sold with ${key} ${value}`);
          }
        }
      }
    },
  },
  {
    id: 'offerings.reservation',
    level: 'must',
    text: "Offerings of capacity type reserved, and no others, name a reservation, by the provider's label.",
    async check(context) {
      const { reservationIdLabel } = context.facts;
      for (const { name, offerings } of await context.instanceTypes()) {
        for (const offering of offerings) {
          const isReserved = onlyValue(offering, CAPACITY_TYPE_LABEL) === 'reserved';
          assert.equal(offering.reservation !== undefined, isReserved, `of ${name}`);
          if (offering.reservation === undefined) continue;
          assert.ok(reservationIdLabel, 'the provider has no label for reservations');
          assert.equal(onlyValue(offering, reservationIdLabel), offering.reservation.id, `of ${name}`);
        }
      }
    },
  },
  {
    id: 'offerings.reserved-labels',
    level: 'must',
    text: 'The label that names a reservation is among those an instance loses with its reservation.',
    async check(context) {
      const { reservationIdLabel, reservedCapacityLabels } = context.facts;
      if (reservationIdLabel !== undefined) assert.ok(reservedCapacityLabels.has(reservationIdLabel));
    },
  },
];
