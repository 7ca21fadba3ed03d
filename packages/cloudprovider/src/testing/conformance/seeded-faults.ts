// For each obligation a provider that breaks only this one: the proof that the kit detects each violation.
import {
  type NodeClaim,
  type NodePool,
  OS_LABEL,
  type RequirementSpec,
  UNREGISTERED_TAINT,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import type { CloudProvider } from '../../cloud-provider.ts';
import { InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError } from '../../errors.ts';
import type { FakeCloudProvider } from '../fake-cloud-provider.ts';
import { THROTTLED } from '../fault.ts';
import type { FakeSubject } from './fake-subject.ts';
import type { TestHooks, Subject } from './subject.ts';
import { NEVER } from '@karpenter-ts/runtime/testing';

type Seed = (subject: FakeSubject) => Subject;

/** By id of the obligation. */
export const SEEDED_FAULTS: Readonly<Record<string, Seed>> = {
  'launch.complete': launches((launched) => ({ ...launched, status: { providerID: launched.status!.providerID! } })),
  'launch.distinct': broken(({ fake }) => {
    let first: NodeClaim | undefined;
    return { create: async (claim) => (first ??= await fake.create(claim)) };
  }),
  'launch.idempotent': broken(({ fake }) => {
    let calls = 0;
    return { create: (claim) => fake.create({ ...claim, metadata: { ...claim.metadata, uid: String(++calls) } }) };
  }),
  'launch.labels': launches((launched) => {
    const { [OS_LABEL]: _, ...labels } = launched.metadata.labels ?? {};
    return { ...launched, metadata: { ...launched.metadata, labels } };
  }),
  'launch.offering': broken(({ fake, nodePool }) => ({
    create: async (claim) => {
      const types = await fake.instanceTypes(nodePool);
      fake.offer(types.map(believedAvailable));
      return fake.create(claim).finally(() => fake.offer(types));
    },
  })),
  'launch.requests': broken(({ fake }) => ({
    create: (claim) => fake.create({ ...claim, spec: { ...claim.spec, resources: {} } }),
  })),

  'register.in-time': nodes(() => async () => undefined),
  'register.taint': nodes((find) => async (id) => (await find(id)) && { spec: {} }),
  'register.cancelled': nodes(() => async () => ({ spec: { taints: [UNREGISTERED_TAINT] } })),

  'find.get': broken(() => ({
    get: (id) => Promise.reject(new NodeClaimNotFoundError(new Error(`no instance ${id}`))),
  })),
  'find.list': broken(({ fake }) => ({ list: async () => (await fake.list()).slice(0, 2) })),
  'find.labels': broken(({ fake }) => ({
    list: async () => (await fake.list()).map((one) => ({ ...one, metadata: { ...one.metadata, labels: {} } })),
  })),
  'find.unknown': broken(({ fake, created }) => ({
    get: async (id) => (created.has(id) ? fake.get(id) : Promise.reject(new Error('malformed id'))),
  })),

  'end.not-found': broken(({ fake, created }) => ({
    delete: async (claim) => {
      const error = await fake.delete(claim).catch((thrown: unknown) => thrown);
      if (error !== undefined && !created.has(claim.status!.providerID!)) throw error;
    },
  })),
  'end.repeatable': broken(({ fake }) => {
    const gone = new Set<string>();
    return {
      delete: async (claim) => {
        const id = claim.status!.providerID!;
        if (gone.has(id)) return;
        await fake.delete(claim).catch((error: unknown) => {
          gone.add(id);
          throw error;
        });
      },
    };
  }),
  'end.get': broken(({ fake, created }) => ({
    get: (id) => fake.get(id).catch((error: unknown) => created.get(id) ?? Promise.reject(error)),
  })),
  'end.list': broken(({ fake, created }) => ({ list: async () => (await fake.list(), [...created.values()]) })),
  'end.others': broken(({ fake }) => ({
    delete: async (claim) => {
      await fake.delete(claim);
      for (const { status } of fake.instances) {
        if (status!.providerID !== claim.status!.providerID) fake.removeInstance(status!.providerID!);
      }
    },
  })),
  'end.unknown': broken(({ fake, created }) => ({
    delete: async (claim) => (created.has(claim.status!.providerID!) ? fake.delete(claim) : undefined),
  })),

  'types.names': catalogue((types) => [...types, types[0]!]),
  'types.labels': everyType((type) => ({ ...type, requirements: without(type, OS_LABEL) })),
  'types.own-labels': everyType((type) => ({ ...type, requirements: without(type, 'size') })),
  'types.resources': everyType((type) => ({ ...type, capacity: { ...type.capacity, memory: '1Mi' } })),
  'types.same-array': broken(({ fake }) => ({ instanceTypes: async (pool) => [...(await fake.instanceTypes(pool))] })),
  'types.exhausted': catalogue((types) =>
    types.filter(({ offerings }) => offerings.some(({ available }) => available)),
  ),

  'offerings.place': firstOffering((offering) => ({ ...offering, requirements: without(offering, ZONE_LABEL) })),
  'offerings.price': firstOffering((offering) => ({ ...offering, pricePerHour: Number.NaN })),
  'offerings.keys': firstOffering((offering) => ({
    ...offering,
    requirements: [...offering.requirements, { key: 'colour', operator: 'In', values: ['red'] }],
  })),
  'offerings.of-type': firstOffering((offering) => ({
    ...offering,
    requirements: [...without(offering, ZONE_LABEL), { key: ZONE_LABEL, operator: 'In', values: ['test-zone-9'] }],
  })),
  'offerings.reservation': everyType((type) => ({
    ...type,
    offerings: type.offerings.map((offering) => ({ ...offering, reservation: undefined })),
  })),
  'offerings.reserved-labels': broken(() => ({ reservedCapacityLabels: new Set() })),

  'class.declared': broken(() => ({ nodeClasses: [] })),
  'class.not-ready': launchErrors((error) => (error instanceof NodeClassNotReadyError ? new Error('not now') : error)),
  'class.missing': launchErrors((error) => (error.message.endsWith('no such class') ? new Error('not now') : error)),
  'drift.fresh': broken(() => ({ findDrift: async () => 'ImageDrifted' })),
  'drift.reason': broken(({ fake }) => ({
    findDrift: async (claim) => (await fake.findDrift(claim)) && 'the image is not that of the class',
  })),

  'fail.unsatisfiable': launchErrors((error, claim) => (asksForZone(claim) ? new Error('no such zone') : error)),
  'fail.exhausted': launchErrors((error, claim) =>
    error.message.includes('no available') && !asksForZone(claim) ? new Error('sold out') : error,
  ),
  'fail.throttled-launch': launchErrors((error) =>
    isThrottling(error) ? new InsufficientCapacityError(error) : error,
  ),
  'fail.throttled-end': broken(({ fake }) => ({
    delete: (claim) =>
      fake.delete(claim).catch((error: Error) => {
        throw isThrottling(error) ? new NodeClaimNotFoundError(error) : error;
      }),
  })),
  'fail.throttled-list': broken(({ fake }) => ({ list: () => fake.list().catch(() => []) })),

  'share.claims': broken(({ fake }) => ({
    create: async (claim) => {
      Object.assign(claim.metadata, { annotations: { seen: 'true' } });
      return fake.create(claim);
    },
  })),
  'share.types': broken(({ fake, nodePool }) => {
    const instanceTypes = changedCatalogue(fake, (types) => structuredClone(types));
    return {
      instanceTypes,
      create: async (claim) => {
        const [type] = await instanceTypes(nodePool, NEVER);
        Object.assign(type!.offerings[0]!, { pricePerHour: 42 });
        return fake.create(claim);
      },
    };
  }),
};

/** What a broken provider is made of. */
interface Parts {
  readonly fake: FakeCloudProvider;
  readonly nodePool: NodePool;
  /** All instances there ever were, by provider id. */
  readonly created: ReadonlyMap<string, NodeClaim>;
}

/** The fake, with some of its members replaced. */
function broken(change: (parts: Parts) => Partial<CloudProvider>): Seed {
  return (subject) => {
    const { provider: fake, nodePool } = subject;
    const created = new Map<string, NodeClaim>();
    const sound: CloudProvider = {
      name: fake.name,
      profile: fake.profile,
      nodeClasses: fake.nodeClasses,
      repairPolicies: fake.repairPolicies,
      registrationHooks: fake.registrationHooks,
      reservationIdLabel: fake.reservationIdLabel,
      reservedCapacityLabels: fake.reservedCapacityLabels,
      create: async (claim) => {
        const launched = await fake.create(claim);
        created.set(launched.status!.providerID!, launched);
        return launched;
      },
      delete: (claim) => fake.delete(claim),
      get: (id) => fake.get(id),
      list: () => fake.list(),
      instanceTypes: (pool) => fake.instanceTypes(pool),
      findDrift: (claim) => fake.findDrift(claim),
    };
    return { ...subject, provider: { ...sound, ...change({ fake, nodePool, created }) } };
  };
}

function launches(change: (launched: NodeClaim) => NodeClaim): Seed {
  return broken(({ fake }) => ({ create: async (claim) => change(await fake.create(claim)) }));
}

function launchErrors(change: (error: Error, claim: NodeClaim) => Error): Seed {
  return broken(({ fake }) => ({
    create: (claim) =>
      fake.create(claim).catch((error: Error) => {
        throw change(error, claim);
      }),
  }));
}

function nodes(change: (find: NonNullable<TestHooks['findNode']>) => NonNullable<TestHooks['findNode']>): Seed {
  return (subject) => {
    const findNode = change(subject.hooks.findNode!);
    return { ...subject, hooks: { ...subject.hooks, findNode } };
  };
}

type Types = readonly InstanceType[];

function catalogue(change: (types: Types) => Types): Seed {
  return broken(({ fake }) => ({ instanceTypes: changedCatalogue(fake, change) }));
}

/** Replaces an array once, and returns the same array for equal answers. */
function changedCatalogue(fake: FakeCloudProvider, change: (types: Types) => Types): CloudProvider['instanceTypes'] {
  const changed = new Map<Types, Types>();
  return async (pool) => {
    const types = await fake.instanceTypes(pool);
    if (!changed.has(types)) changed.set(types, change(types));
    return changed.get(types)!;
  };
}

function everyType(change: (type: InstanceType) => InstanceType): Seed {
  return catalogue((types) => types.map(change));
}

/** Of the first type. */
function firstOffering(change: (offering: Offering) => Offering): Seed {
  return catalogue(([type, ...others]) => {
    const [offering, ...rest] = type!.offerings;
    return [{ ...type!, offerings: [change(offering!), ...rest] }, ...others];
  });
}

/** The type as a provider reports it that does not know that some offerings are sold out. */
function believedAvailable(type: InstanceType): InstanceType {
  if (type.offerings.every(({ available }) => !available)) return type;
  return { ...type, offerings: type.offerings.map((offering) => ({ ...offering, available: true })) };
}

function without({ requirements }: Pick<InstanceType, 'requirements'>, key: string): readonly RequirementSpec[] {
  return requirements.filter((one) => one.key !== key);
}

function asksForZone({ spec }: NodeClaim): boolean {
  return spec.requirements.some(({ key }) => key === ZONE_LABEL);
}

function isThrottling(error: Error): boolean {
  return error.message === THROTTLED;
}
