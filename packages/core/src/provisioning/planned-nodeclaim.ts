import {
  CAPACITY_OVERLAY_APPLIED,
  CAPACITY_TYPE_LABEL,
  combineRequirements,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  MIN_VALUES_RELAXED,
  type NodeClaim,
  PLAN,
  PRICE_OVERLAY_APPLIED,
  type ProviderProfile,
  REGISTERED_LABEL,
  type Requirement,
  type Requirements,
  toRequirement,
} from '@karpenter-ts/apis';
import { formatQuantity } from '@karpenter-ts/kubernetes';
import type { InstanceType, PlannedNode, Pool } from '@karpenter-ts/scheduling';
import { type NodeClaimDeps, nodeClaimFromTemplate } from './nodeclaim-template.ts';

/**
 * Labels that planning assumes on every new node, for DaemonSets that select them. A NodeClaim must not carry them
 * before its Node does.
 */
const SIMULATED_LABELS: ReadonlySet<string> = new Set([REGISTERED_LABEL, INITIALIZED_LABEL]);

/** The NodeClaim to create for a planned node (spec 02 §23). It is made from the NodePool as planning saw it. */
export function toNodeClaim(planned: PlannedNode, pool: Pool, deps: NodeClaimDeps): NodeClaim {
  const narrowed = requirementsOf(planned, deps.provider.profile);
  const nodeClaim = nodeClaimFromTemplate(pool.nodePool, deps, narrowed);
  const { metadata, spec } = nodeClaim;
  const requests = Object.fromEntries([...planned.requests].map(([name, amount]) => [name, formatQuantity(amount)]));
  return {
    ...nodeClaim,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotationsOf(planned, pool) } },
    spec: { ...spec, resources: { requests } },
  };
}

/** The requirements of the plan, narrowed to the instance types it lists and their capacity types. */
function requirementsOf(
  { requirements, instanceTypes, capacityTypes }: PlannedNode,
  profile: ProviderProfile,
): Requirements {
  const known = [...requirements.values()].filter(({ key }) => !SIMULATED_LABELS.has(key));
  const listed = isOneOf(INSTANCE_TYPE_LABEL, instanceTypes, profile);
  const bought = capacityTypes.length === 0 ? [] : [isOneOf(CAPACITY_TYPE_LABEL, capacityTypes, profile)];
  return combineRequirements([...known, listed, ...bought]);
}

function isOneOf(key: string, values: readonly string[], profile: ProviderProfile): Requirement {
  return toRequirement({ key, operator: 'In', values }, profile);
}

function annotationsOf(planned: PlannedNode, { instanceTypes }: Pool): Readonly<Record<string, string>> {
  const overlaid = instanceTypes.filter((type) => isPriceOverlaid(type) || type.capacityOverlaid === true);
  const listed = overlaid.filter(({ name }) => planned.instanceTypes.includes(name));
  return {
    [MIN_VALUES_RELAXED]: String(planned.minValuesRelaxed),
    [PLAN]: planned.source,
    ...(listed.some(isPriceOverlaid) && { [PRICE_OVERLAY_APPLIED]: 'true' }),
    ...(listed.some(({ capacityOverlaid }) => capacityOverlaid === true) && { [CAPACITY_OVERLAY_APPLIED]: 'true' }),
  };
}

function isPriceOverlaid({ offerings }: InstanceType): boolean {
  return offerings.some(({ priceOverlaid }) => priceOverlaid === true);
}
