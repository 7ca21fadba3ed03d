import assert from 'node:assert/strict';
import {
  admits,
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  OS_LABEL,
  toRequirements,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { compareQuantities, parseQuantity } from '@karpenter-ts/kubernetes';
import { allocatableResources, type InstanceType } from '@karpenter-ts/scheduling';
import { Inconclusive, type Obligation } from './obligation.ts';
import { isOneOf, onlyValue, providerIdOf } from './conformance-context.ts';

const DECIDED_LABELS = [INSTANCE_TYPE_LABEL, ZONE_LABEL, CAPACITY_TYPE_LABEL, ARCH_LABEL, OS_LABEL];

/** What `create` owes (spec 03 §3.1, §6.1). */
export const LAUNCHING: readonly Obligation[] = [
  {
    id: 'launch.complete',
    level: 'must',
    text: 'A launched claim carries a provider id, and cpu, memory and pods in capacity or allocatable.',
    async check(context) {
      const { launched } = await context.launch();
      assert.ok(launched.status?.providerID, 'no provider id');
      const resources = { ...launched.status.capacity, ...launched.status.allocatable };
      for (const name of ['cpu', 'memory', 'pods']) assert.ok(resources[name] !== undefined, `no ${name}`);
    },
  },
  {
    id: 'launch.distinct',
    level: 'must',
    text: 'Two claims get two instances.',
    async check(context) {
      const first = await context.launch();
      const second = await context.launch();
      assert.notEqual(providerIdOf(first.launched), providerIdOf(second.launched));
    },
  },
  {
    id: 'launch.idempotent',
    level: 'should',
    text: 'A second create for the same claim finds the instance of the first.',
    async check(context) {
      const { claim, launched } = await context.launch();
      assert.equal(providerIdOf(await context.create(claim)), providerIdOf(launched));
    },
  },
  {
    id: 'launch.labels',
    level: 'must',
    text: 'A launched claim is labelled with its instance type, zone, capacity type, architecture and system, as the claim requires.',
    async check(context) {
      const [type] = await context.purchasableTypes();
      const offering = context.offeringsFor(type!).at(-1)!;
      const requirements = [
        isOneOf(INSTANCE_TYPE_LABEL, [type!.name]),
        ...[ZONE_LABEL, CAPACITY_TYPE_LABEL].map((key) => isOneOf(key, [onlyValue(offering, key) ?? ''])),
      ];
      const { launched } = await context.launch({ requirements });
      const asked = toRequirements(requirements, context.facts.profile);
      for (const key of DECIDED_LABELS) {
        const value = launched.metadata.labels?.[key];
        assert.ok(value !== undefined, `no label ${key}`);
        const requirement = asked.get(key);
        assert.ok(!requirement || admits(requirement, value), `${key} is ${value}, which the claim does not allow`);
      }
    },
  },
  {
    id: 'launch.offering',
    level: 'must',
    text: 'An instance is bought by an offering that is available for its type.',
    async check(context) {
      const types = await context.purchasableTypes();
      const { launched } = await context.launch();
      const labels = launched.metadata.labels ?? {};
      const type = types.find(({ name }) => name === labels[INSTANCE_TYPE_LABEL]);
      if (type === undefined) throw new Inconclusive('the instance type of the instance is not known');
      const isSold = context
        .offeringsFor(type)
        .some((offering) => offering.requirements.every(({ key }) => onlyValue(offering, key) === labels[key]));
      assert.ok(isSold, `${type.name} is not sold as ${labels[CAPACITY_TYPE_LABEL]} in ${labels[ZONE_LABEL]}`);
    },
  },
  {
    id: 'launch.requests',
    level: 'should',
    text: 'An instance can hold what its claim requests, where a type that can is among those allowed.',
    async check(context) {
      const [small, large] = sizes(await context.purchasableTypes());
      const cpu = allocatableResources(large)['cpu']!;
      const { launched } = await context.launch({
        requirements: [isOneOf(INSTANCE_TYPE_LABEL, [small.name, large.name])],
        requests: { cpu },
      });
      const name = launched.metadata.labels?.[INSTANCE_TYPE_LABEL];
      const type = [small, large].find((one) => one.name === name);
      if (type === undefined) throw new Inconclusive('the instance type of the instance is not known');
      const got = allocatableResources(type)['cpu']!;
      assert.ok(
        compareQuantities(parseQuantity(got), parseQuantity(cpu)) >= 0,
        `asked for ${cpu} cpu, got ${name} with ${got}`,
      );
    },
  },
];

/** The types with the fewest and the most cpus. */
function sizes(types: readonly InstanceType[]): readonly [InstanceType, InstanceType] {
  const cpus = (type: InstanceType) => parseQuantity(allocatableResources(type)['cpu'] ?? 0);
  const sorted = types.toSorted((a, b) => compareQuantities(cpus(a), cpus(b)));
  const [small, large] = [sorted[0]!, sorted.at(-1)!];
  if (compareQuantities(cpus(small), cpus(large)) === 0) throw new Inconclusive('all types have as many cpus');
  return [small, large];
}
