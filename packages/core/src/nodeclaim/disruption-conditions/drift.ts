import {
  CAPACITY_TYPE_LABEL,
  findIncompatibilities,
  INSTANCE_TYPE_LABEL,
  isStaticallyDrifted,
  NODEPOOL_HASH_ANNOTATIONS,
  type NodeClaim,
  type NodePool,
  type ProviderProfile,
  toLabelRequirements,
  toRequirement,
  toRequirements,
} from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';

/** Why a NodeClaim no longer matches its NodePool; a reason of conditions and budgets. */
export type PoolDrift = 'NodePoolDrifted' | 'RequirementsDrifted';

/** Drift that follows from the NodeClaim and the NodePool alone (spec 03 §13). */
function findPoolDrift(nodeClaim: NodeClaim, nodePool: NodePool, profile: ProviderProfile): PoolDrift | undefined {
  const { annotations, labels = {} } = nodeClaim.metadata;
  if (isStaticallyDrifted(nodePool.metadata.annotations, annotations, NODEPOOL_HASH_ANNOTATIONS)) {
    return 'NodePoolDrifted';
  }
  const asked = toRequirements(nodePool.spec.template.spec.requirements, profile);
  const isMet = findIncompatibilities(toLabelRequirements(labels, profile), asked).length === 0;
  return isMet ? undefined : 'RequirementsDrifted';
}

/**
 * `findPoolDrift` with a memory. Objects of caches never change, so the answer for the same two objects is the same. It
 * is kept as long as the NodeClaim object lives, which is asked about every five minutes.
 */
export class PoolDrifts {
  readonly #known = new WeakMap<NodeClaim, { readonly nodePool: NodePool; readonly drift: PoolDrift | undefined }>();
  readonly #profile: ProviderProfile;

  constructor(profile: ProviderProfile) {
    this.#profile = profile;
  }

  find(nodeClaim: NodeClaim, nodePool: NodePool): PoolDrift | undefined {
    let known = this.#known.get(nodeClaim);
    if (known?.nodePool !== nodePool) {
      known = { nodePool, drift: findPoolDrift(nodeClaim, nodePool, this.#profile) };
      this.#known.set(nodeClaim, known);
    }
    return known.drift;
  }
}

/** What `isOffered` reads of a provider. */
export interface Offerings {
  readonly instanceTypes: readonly InstanceType[];
  readonly profile: ProviderProfile;
  readonly reservedCapacityLabels: ReadonlySet<string>;
}

/**
 * Whether the NodeClaim's instance type and offering still exist; sold-out offerings do. A reserved instance may have
 * become on-demand without a change of its labels, so either capacity type will do, and labels about the reservation
 * are ignored.
 */
export function isOffered(nodeClaim: NodeClaim, offerings: Offerings): boolean {
  const { instanceTypes, profile, reservedCapacityLabels } = offerings;
  const { labels = {} } = nodeClaim.metadata;
  const type = instanceTypes.find(({ name }) => name === labels[INSTANCE_TYPE_LABEL]);
  if (type === undefined) return false;
  const wanted = new Map(toLabelRequirements(labels, profile));
  if (labels[CAPACITY_TYPE_LABEL] === 'reserved') {
    const either = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['reserved', 'on-demand'] };
    wanted.set(CAPACITY_TYPE_LABEL, toRequirement(either, profile));
    for (const label of reservedCapacityLabels) wanted.delete(label);
  }
  return type.offerings.some(
    ({ requirements }) =>
      findIncompatibilities(wanted, toRequirements(requirements, profile), profile.wellKnownLabels).length === 0,
  );
}
