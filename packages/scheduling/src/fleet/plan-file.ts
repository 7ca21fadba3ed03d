import { renderFailure } from '../explanation/render.ts';
import { podName } from '../objects/pod.ts';
import type { Plan, PlannedNode } from '../plan.ts';

/** A plan as a file: what engines are compared by. */
export interface PlanFile {
  readonly nodes: readonly PlanFileNode[];
  readonly unschedulable: readonly { readonly pod: string; readonly reason: string }[];
  readonly pricePerHour: number;
  /** How long planning took, without reading the file. */
  readonly seconds: number;
}

export interface PlanFileNode {
  readonly nodePool: string;
  /** `namespace/name` each. */
  readonly pods: readonly string[];
  /** Cheapest first, at most 60: as many as a launch request of EC2 takes. */
  readonly instanceTypes: readonly string[];
  readonly pricePerHour: number;
}

const MAX_INSTANCE_TYPES = 60;

/** The plan of a fleet in the form of its files. */
export function toPlanFile(plan: Plan, seconds: number): PlanFile {
  return {
    nodes: plan.newNodes.map(toNode),
    unschedulable: plan.unschedulable.map(({ pod, failure }) => ({
      pod: podName(pod),
      reason: renderFailure(failure),
    })),
    pricePerHour: roundPrice(plan.pricePerHour),
    seconds,
  };
}

function toNode({ nodePool, pods, instanceTypes, pricePerHour }: PlannedNode): PlanFileNode {
  return {
    nodePool,
    pods: pods.map(({ pod }) => podName(pod)),
    instanceTypes: instanceTypes.slice(0, MAX_INSTANCE_TYPES),
    pricePerHour: roundPrice(pricePerHour),
  };
}

/** To a millionth of a dollar: adding up prices leaves noise far behind that. */
function roundPrice(pricePerHour: number): number {
  return Math.round(pricePerHour * 1e6) / 1e6;
}
