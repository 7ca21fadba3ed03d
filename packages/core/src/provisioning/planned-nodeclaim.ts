import {
  CAPACITY_OVERLAY_APPLIED,
  CAPACITY_TYPE_LABEL,
  combineRequirements,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  MIN_VALUES_RELAXED,
  type NodeClaim,
  nodeClassLabel,
  NODEPOOL_HASH_ANNOTATIONS,
  NODEPOOL_HASH_V3,
  NODEPOOL_LABEL,
  nodePoolHash,
  type NodeRequirement,
  PLAN,
  PRICE_OVERLAY_APPLIED,
  type ProviderProfile,
  REGISTERED_LABEL,
  type Requirement,
  type Requirements,
  RESTRICTED_LABELS,
  serializeRequirements,
  toRequirement,
} from '@karpenter-ts/apis';
import { formatQuantity } from '@karpenter-ts/kubernetes';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import { findAnyValue, type InstanceType, type PlannedNode, type Pool } from '@karpenter-ts/scheduling';

export interface NodeClaimDeps {
  readonly provider: Pick<CloudProvider, 'profile' | 'defaultTerminationGracePeriod'>;
  /** Numbers in [0, 1), for labels that may have any value. */
  readonly random: () => number;
}

/** Planning knows these of every node it plans, for daemons that wait for them; a NodeClaim must not claim them. */
const SIMULATED_LABELS: ReadonlySet<string> = new Set([REGISTERED_LABEL, INITIALIZED_LABEL]);

/** The NodeClaim of a planned node, to be created (spec 02 §23). All it says of the NodePool is as planning saw it. */
export function toNodeClaim(planned: PlannedNode, pool: Pool, { provider, random }: NodeClaimDeps): NodeClaim {
  const { metadata, spec } = pool.nodePool;
  const { requirements: _, ...settings } = spec.template.spec;
  const grace = settings.terminationGracePeriod ?? provider.defaultTerminationGracePeriod;
  const requirements = requirementsOf(planned, provider.profile);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: '', // the server makes one
      generateName: `${metadata.name}-`,
      labels: {
        ...spec.template.metadata?.labels,
        [NODEPOOL_LABEL]: metadata.name,
        [nodeClassLabel(settings.nodeClassRef)]: settings.nodeClassRef.name,
        ...anyValueLabels(requirements, provider.profile, random),
      },
      annotations: annotationsOf(planned, pool),
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          name: metadata.name,
          uid: metadata.uid ?? '',
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...settings,
      ...(grace !== undefined && { terminationGracePeriod: grace }),
      requirements: serializeRequirements(requirements) as readonly NodeRequirement[],
      resources: {
        requests: Object.fromEntries([...planned.requests].map(([name, amount]) => [name, formatQuantity(amount)])),
      },
    },
  };
}

/** All that was planned with, narrowed to the types it lists and the ways these can be had. */
function requirementsOf({ requirements, instanceTypes, capacityTypes }: PlannedNode, profile: ProviderProfile) {
  const known = [...requirements.values()].filter(({ key }) => !SIMULATED_LABELS.has(key));
  const listed = isOneOf(INSTANCE_TYPE_LABEL, instanceTypes, profile);
  const bought = capacityTypes.length === 0 ? [] : [isOneOf(CAPACITY_TYPE_LABEL, capacityTypes, profile)];
  return combineRequirements([...known, listed, ...bought]);
}

function isOneOf(key: string, values: readonly string[], profile: ProviderProfile): Requirement {
  return toRequirement({ key, operator: 'In', values }, profile);
}

/** Labels nobody but us will put on the Node. Those instance types declare come with the machine. */
function anyValueLabels(
  requirements: Requirements,
  { wellKnownLabels }: ProviderProfile,
  random: () => number,
): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [key, requirement] of requirements) {
    if (wellKnownLabels.has(key) || RESTRICTED_LABELS.has(key)) continue;
    const value = findAnyValue(requirement, random);
    if (value !== undefined) labels[key] = value;
  }
  return labels;
}

function annotationsOf(planned: PlannedNode, { nodePool, instanceTypes }: Pool): Readonly<Record<string, string>> {
  const overlaid = instanceTypes.filter((type) => isPriceOverlaid(type) || type.capacityOverlaid === true);
  const listed = overlaid.filter(({ name }) => planned.instanceTypes.includes(name));
  return {
    ...nodePool.spec.template.metadata?.annotations,
    [NODEPOOL_HASH_ANNOTATIONS.hash]: nodePoolHash(nodePool),
    [NODEPOOL_HASH_ANNOTATIONS.version]: NODEPOOL_HASH_V3,
    [MIN_VALUES_RELAXED]: String(planned.minValuesRelaxed),
    [PLAN]: planned.source,
    ...(listed.some(isPriceOverlaid) && { [PRICE_OVERLAY_APPLIED]: 'true' }),
    ...(listed.some(({ capacityOverlaid }) => capacityOverlaid === true) && { [CAPACITY_OVERLAY_APPLIED]: 'true' }),
  };
}

function isPriceOverlaid({ offerings }: InstanceType): boolean {
  return offerings.some(({ priceOverlaid }) => priceOverlaid === true);
}
