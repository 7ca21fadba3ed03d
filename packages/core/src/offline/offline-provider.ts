import type { NodeClaim, NodePool, ProviderProfile } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { ResourceType } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';

/** What an offline cluster can buy. */
export interface Catalogue {
  /** The labels of the instance types are well-known in it. */
  readonly profile: ProviderProfile;
  readonly instanceTypes: readonly InstanceType[];
}

interface ClassRef {
  readonly group: string;
  readonly kind: string;
}

/**
 * A provider that has a catalogue but no cloud: it offers every NodePool all instance types, and launches nothing. Every
 * NodeClass that something refers to counts as one of its own, because the file does not hold them.
 */
export class OfflineProvider implements CloudProvider {
  readonly name = 'offline';
  readonly profile: ProviderProfile;
  readonly nodeClasses: readonly ResourceType[];
  readonly repairPolicies = [];
  readonly registrationHooks = [];
  readonly reservationIdLabel = undefined;
  readonly reservedCapacityLabels = new Set<string>();
  /** What every NodePool is offered. */
  readonly catalogue: readonly InstanceType[];

  constructor({ profile, instanceTypes }: Catalogue, classRefs: Iterable<ClassRef>) {
    this.profile = profile;
    this.catalogue = instanceTypes;
    const kinds = new Map([...classRefs].map(({ group, kind }) => [`${group}/${kind}`, { group, kind }]));
    this.nodeClasses = [...kinds.values()].map(toResourceType);
  }

  async instanceTypes(_nodePool: NodePool, signal: AbortSignal): Promise<readonly InstanceType[]> {
    signal.throwIfAborted();
    return this.catalogue;
  }

  async create(): Promise<NodeClaim> {
    throw new Error(NO_CLOUD);
  }

  async delete(): Promise<void> {
    throw new Error(NO_CLOUD);
  }

  async get(): Promise<NodeClaim> {
    throw new Error(NO_CLOUD);
  }

  async list(): Promise<readonly NodeClaim[]> {
    throw new Error(NO_CLOUD);
  }

  /** The conditions of the file's NodeClaims say what has drifted. */
  async findDrift(): Promise<string | undefined> {
    return undefined;
  }
}

const NO_CLOUD = 'there is no cloud behind an offline cluster';

function toResourceType({ group, kind }: ClassRef): ResourceType {
  return { group, version: 'v1', kind, plural: `${kind.toLowerCase()}es`, namespaced: false };
}
