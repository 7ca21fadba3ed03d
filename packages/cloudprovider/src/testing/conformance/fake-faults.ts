// Faults of the fake provider that no other could be given in the same way.
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { FakeSubject } from './fake-subject.ts';
import { everyType, type Seed, SEEDED_FAULTS, without } from './seeded-faults.ts';
import type { Subject } from './subject.ts';

/** For each obligation a fake that breaks only this one. */
export const FAKE_FAULTS: Readonly<Record<string, (subject: FakeSubject) => Subject>> = {
  ...(SEEDED_FAULTS satisfies Readonly<Record<string, Seed>>),
  'launch.offering': (subject) => {
    const { provider: fake, nodePool } = subject;
    const create: FakeSubject['provider']['create'] = async (claim) => {
      const types = await fake.instanceTypes(nodePool);
      fake.offer(types.map(believedAvailable));
      return sound(claim).finally(() => fake.offer(types));
    };
    const sound = fake.create.bind(fake);
    fake.create = create;
    return subject;
  },
  'types.own-labels': everyType((type) => ({ ...type, requirements: without(type, 'size') })),
  'offerings.reservation': everyType((type) => ({
    ...type,
    offerings: type.offerings.map((offering) => ({ ...offering, reservation: undefined })),
  })),
};

/** The type as a provider reports it that does not know that some offerings are sold out. */
function believedAvailable(type: InstanceType): InstanceType {
  if (type.offerings.every(({ available }) => !available)) return type;
  return { ...type, offerings: type.offerings.map((offering) => ({ ...offering, available: true })) };
}
