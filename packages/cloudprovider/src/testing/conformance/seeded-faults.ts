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
import type { TestHooks, Subject } from './subject.ts';
import { findCause } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';

/** Breaks one obligation of a provider, and no other. */
export type Seed = (subject: Subject) => Subject;

/** By id of the obligation: for any provider. */
export const SEEDED_FAULTS = {
  'launch.complete': launches((launched) => {
    const { capacity: _, allocatable: __, ...status } = launched.status!;
    return { ...launched, status };
  }),
  'launch.distinct': broken(({ provider }) => {
    let first: NodeClaim | undefined;
    return { create: async (claim) => (first ??= await provider.create(claim, NEVER)) };
  }),
  'launch.idempotent': broken(({ provider }) => {
    let calls = 0;
    return {
      create: (claim) => provider.create({ ...claim, metadata: { ...claim.metadata, uid: String(++calls) } }, NEVER),
    };
  }),
  'launch.labels': launches((launched) => {
    const { [OS_LABEL]: _, ...labels } = launched.metadata.labels ?? {};
    return { ...launched, metadata: { ...launched.metadata, labels } };
  }),
  'launch.requests': broken(({ provider }) => ({
    create: (claim) => provider.create({ ...claim, spec: { ...claim.spec, resources: {} } }, NEVER),
  })),

  'register.in-time': nodes(() => async () => undefined),
  'register.taint': nodes((find) => async (id) => (await find(id)) && { spec: {} }),
  'register.cancelled': nodes(() => async () => ({ spec: { taints: [UNREGISTERED_TAINT] } })),

  'find.get': broken(() => ({
    get: (id) => Promise.reject(new NodeClaimNotFoundError(new Error(`no instance ${id}`))),
  })),
  'find.list': broken(({ provider }) => ({ list: async () => (await provider.list(NEVER)).slice(0, 2) })),
  'find.labels': broken(({ provider }) => ({
    list: async () =>
      (await provider.list(NEVER)).map((one) => ({ ...one, metadata: { ...one.metadata, labels: {} } })),
  })),
  'find.unknown': broken(({ provider, created }) => ({
    get: async (id) => (created.has(id) ? provider.get(id, NEVER) : Promise.reject(new Error('malformed id'))),
  })),

  'end.not-found': broken(({ provider, created }) => ({
    delete: async (claim) => {
      const error = await provider.delete(claim, NEVER).catch((thrown: unknown) => thrown);
      if (error !== undefined && !created.has(claim.status!.providerID!)) throw error;
    },
  })),
  'end.repeatable': broken(({ provider }) => {
    const gone = new Set<string>();
    return {
      delete: async (claim) => {
        const id = claim.status!.providerID!;
        if (gone.has(id)) return;
        await provider.delete(claim, NEVER).catch((error: unknown) => {
          gone.add(id);
          throw error;
        });
      },
    };
  }),
  'end.get': broken(({ provider, created }) => ({
    get: (id) => provider.get(id, NEVER).catch((error: unknown) => created.get(id) ?? Promise.reject(error)),
  })),
  'end.list': broken(({ provider, created }) => ({
    list: async () => (await provider.list(NEVER), [...created.values()]),
  })),
  'end.others': broken(({ provider }) => ({
    delete: async (claim) => {
      await provider.delete(claim, NEVER);
      for (const other of await provider.list(NEVER)) {
        if (other.status!.providerID !== claim.status!.providerID) await provider.delete(other, NEVER);
      }
    },
  })),
  'end.unknown': broken(({ provider, created }) => ({
    delete: async (claim) => (created.has(claim.status!.providerID!) ? provider.delete(claim, NEVER) : undefined),
  })),

  'types.names': catalogue((types) => [...types, types[0]!]),
  'types.labels': everyType((type) => ({ ...type, requirements: without(type, OS_LABEL) })),
  'types.resources': everyType((type) => ({ ...type, capacity: { ...type.capacity, memory: '1Mi' } })),
  'types.same-array': broken(({ provider }) => ({
    instanceTypes: async (pool) => [...(await provider.instanceTypes(pool, NEVER))],
  })),
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
  'offerings.reserved-labels': broken(() => ({ reservedCapacityLabels: new Set() })),

  'class.declared': broken(() => ({ nodeClasses: [] })),
  'class.not-ready': launchErrors((error) => (findCause(error, NodeClassNotReadyError) ? new Error('not now') : error)),
  'class.missing': afterHook('removeNodeClass', () => ({ create: () => Promise.reject(new Error('not now')) })),
  'drift.fresh': broken(() => ({ findDrift: async () => 'ImageDrifted' })),
  'drift.reason': broken(({ provider }) => ({
    findDrift: async (claim) => (await provider.findDrift(claim, NEVER)) && 'the image is not that of the class',
  })),

  'fail.unsatisfiable': launchErrors((error, claim) => (asksForZone(claim) ? new Error('no such zone') : error)),
  'fail.exhausted': afterHook('exhaust', () => ({ create: () => Promise.reject(new Error('sold out')) })),
  'fail.throttled-launch': afterHook('throttle', (provider, method) => ({
    create: (claim) =>
      method === 'create'
        ? Promise.reject(new InsufficientCapacityError(new Error('throttled')))
        : provider.create(claim, NEVER),
  })),
  'fail.throttled-end': afterHook('throttle', (provider, method) => ({
    delete: (claim) =>
      method === 'delete'
        ? Promise.reject(new NodeClaimNotFoundError(new Error('throttled')))
        : provider.delete(claim, NEVER),
  })),
  'fail.throttled-list': afterHook('throttle', (provider, method) => ({
    list: () => (method === 'list' ? Promise.resolve([]) : provider.list(NEVER)),
  })),

  'share.claims': broken(({ provider }) => ({
    create: async (claim) => {
      Object.assign(claim.metadata, { annotations: { seen: 'true' } });
      return provider.create(claim, NEVER);
    },
  })),
  'share.types': broken(({ provider, nodePool }) => {
    const instanceTypes = changedCatalogue(provider, (types) => structuredClone(types));
    return {
      instanceTypes,
      create: async (claim) => {
        const [type] = await instanceTypes(nodePool, NEVER);
        if (type !== undefined) Object.assign(type.offerings[0]!, { pricePerHour: 42 });
        return provider.create(claim, NEVER);
      },
    };
  }),
} satisfies Readonly<Record<string, Seed>>;

/** What a broken provider is made of. */
interface Parts {
  readonly provider: CloudProvider;
  readonly nodePool: NodePool;
  /** All instances there ever were, by provider id. */
  readonly created: ReadonlyMap<string, NodeClaim>;
}

/** The provider, with some of its members replaced. */
function broken(change: (parts: Parts) => Partial<CloudProvider>): Seed {
  return (subject) => {
    const { provider, nodePool } = subject;
    const created = new Map<string, NodeClaim>();
    const sound: CloudProvider = {
      ...membersOf(provider),
      create: async (claim) => {
        const launched = await provider.create(claim, NEVER);
        created.set(launched.status!.providerID!, launched);
        return launched;
      },
    };
    return { ...subject, provider: { ...sound, ...change({ provider, nodePool, created }) } };
  };
}

/** A provider may be of a class, whose methods are not its own. */
function membersOf(provider: CloudProvider): CloudProvider {
  return {
    name: provider.name,
    profile: provider.profile,
    nodeClasses: provider.nodeClasses,
    repairPolicies: provider.repairPolicies,
    registrationHooks: provider.registrationHooks,
    reservationIdLabel: provider.reservationIdLabel,
    reservedCapacityLabels: provider.reservedCapacityLabels,
    create: (claim, signal) => provider.create(claim, signal),
    delete: (claim, signal) => provider.delete(claim, signal),
    get: (id, signal) => provider.get(id, signal),
    list: (signal) => provider.list(signal),
    instanceTypes: (pool, signal) => provider.instanceTypes(pool, signal),
    findDrift: (claim, signal) => provider.findDrift(claim, signal),
  };
}

/** A provider whose members are replaced once a hook has been called, with its first argument. */
function afterHook(
  name: keyof TestHooks,
  change: (provider: CloudProvider, argument: unknown) => Partial<CloudProvider>,
): Seed {
  return (subject) => {
    const provider = membersOf(subject.provider) as { -readonly [K in keyof CloudProvider]: CloudProvider[K] };
    const hook = subject.hooks[name] as ((argument: unknown) => Promise<unknown>) | undefined;
    const hooks = {
      ...subject.hooks,
      [name]: async (argument: unknown) => {
        await hook?.(argument);
        Object.assign(provider, change(subject.provider, argument));
      },
    };
    return { ...subject, provider, hooks };
  };
}

function launches(change: (launched: NodeClaim) => NodeClaim): Seed {
  return broken(({ provider }) => ({ create: async (claim) => change(await provider.create(claim, NEVER)) }));
}

function launchErrors(change: (error: Error, claim: NodeClaim) => Error): Seed {
  return broken(({ provider }) => ({
    create: (claim) =>
      provider.create(claim, NEVER).catch((error: Error) => {
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
  return broken(({ provider }) => ({ instanceTypes: changedCatalogue(provider, change) }));
}

/** Replaces an array once, and returns the same array for equal answers. */
function changedCatalogue(provider: CloudProvider, change: (types: Types) => Types): CloudProvider['instanceTypes'] {
  const changed = new Map<Types, Types>();
  return async (pool) => {
    const types = await provider.instanceTypes(pool, NEVER);
    if (!changed.has(types)) changed.set(types, change(types));
    return changed.get(types)!;
  };
}

export function everyType(change: (type: InstanceType) => InstanceType): Seed {
  return catalogue((types) => types.map(change));
}

/** Of the first type. */
function firstOffering(change: (offering: Offering) => Offering): Seed {
  return catalogue(([type, ...others]) => {
    const [offering, ...rest] = type!.offerings;
    return [{ ...type!, offerings: [change(offering!), ...rest] }, ...others];
  });
}

export function without({ requirements }: Pick<InstanceType, 'requirements'>, key: string): readonly RequirementSpec[] {
  return requirements.filter((one) => one.key !== key);
}

function asksForZone({ spec }: NodeClaim): boolean {
  return spec.requirements.some(({ key }) => key === ZONE_LABEL);
}
