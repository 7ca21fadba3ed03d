import {
  type NodePlacement,
  type PackingDecision,
  type Plan,
  type PlanCost,
  type PlannedNode,
  podName,
  renderFailure,
  roundPrice,
} from '@karpenter-ts/scheduling';

/** A plan as a file: what engines are compared by. */
export interface PlanFile {
  readonly nodes: readonly PlanFileNode[];
  /** What nodes that are there already receive; absent where they receive nothing. */
  readonly existing?: readonly PlanFileExisting[];
  readonly unschedulable: readonly { readonly pod: string; readonly reason: string }[];
  readonly pricePerHour: number;
  /** How long planning took, without reading the file. */
  readonly seconds: number;
  /** What upstream's plan costs, what another costs, and which this is; absent where no other was to be looked for. */
  readonly packing?: PackingDecision;
}

export interface PlanFileNode {
  readonly nodePool: string;
  /** `namespace/name` each. */
  readonly pods: readonly string[];
  /** Cheapest first, at most 60: as many as a launch request of EC2 takes. */
  readonly instanceTypes: readonly string[];
  readonly pricePerHour: number;
}

export interface PlanFileExisting {
  readonly node: string;
  /** `namespace/name` each. */
  readonly pods: readonly string[];
}

const MAX_INSTANCE_TYPES = 60;

/** The plan of a fleet in the form of its files. */
export function toPlanFile(plan: Plan, seconds: number): PlanFile {
  return {
    nodes: plan.newNodes.map(toNode),
    ...(plan.existingNodes.length > 0 && { existing: plan.existingNodes.map(toExisting) }),
    unschedulable: plan.unschedulable.map(({ pod, failure }) => ({
      pod: podName(pod),
      reason: renderFailure(failure),
    })),
    pricePerHour: roundPrice(plan.pricePerHour),
    seconds,
    ...(plan.packing && { packing: toPacking(plan.packing) }),
  };
}

function toPacking({ upstream, costAware, ...rest }: PackingDecision): PackingDecision {
  return { ...rest, upstream: roundCost(upstream), costAware: costAware && roundCost(costAware) };
}

function roundCost({ nodes, pricePerHour, feesPerHour }: PlanCost): PlanCost {
  return { nodes, pricePerHour: roundPrice(pricePerHour), feesPerHour: roundPrice(feesPerHour) };
}

function toNode({ nodePool, pods, instanceTypes, pricePerHour }: PlannedNode): PlanFileNode {
  return {
    nodePool,
    pods: pods.map(({ pod }) => podName(pod)),
    instanceTypes: instanceTypes.slice(0, MAX_INSTANCE_TYPES),
    pricePerHour: roundPrice(pricePerHour),
  };
}

function toExisting({ node, pods }: NodePlacement): PlanFileExisting {
  return { node, pods: pods.map(({ pod }) => podName(pod)) };
}
