import { NODEPOOL_LABEL, type RequirementSpec } from '@karpenter-ts/apis';
import { type Failure, renderFailure } from '@karpenter-ts/scheduling';

/** Why there is no node for a pod, as data. `renderPodFailure` puts it into words. */
export type PodFailure =
  /** A plan found no node. */
  | Failure
  /** The pod was left out of the plan. */
  | Rejection
  /** Nothing was planned, because there is no NodePool to plan with. */
  | { readonly why: 'NoDynamicNodePools' };

/** Why a pod is ignored: all that is wrong with it, at least one thing. */
export interface Rejection {
  readonly why: 'Ignored';
  readonly problems: readonly PodProblem[];
}

export type PodProblem =
  /** The pod opts out of nodes of NodePools. */
  | { readonly why: 'OptsOut' }
  | { readonly why: 'MatchFields' }
  /** A requirement of the pod that is not valid, or that no node can meet; `fault` in upstream's words. */
  | { readonly why: 'Requirement'; readonly requirement: RequirementSpec; readonly fault: string }
  /** A volume that is missing or not usable yet; `fault` in upstream's words. */
  | { readonly why: 'Volume'; readonly fault: string };

/** One object for all pods. */
export const NO_DYNAMIC_NODE_POOLS: PodFailure = { why: 'NoDynamicNodePools' };

/** In upstream's words. */
export function renderPodFailure(failure: PodFailure): string {
  switch (failure.why) {
    case 'Ignored':
      return `ignoring pod, ${renderRejection(failure)}`;
    case 'NoDynamicNodePools':
      return 'no dynamic nodepools found';
    default:
      return renderFailure(failure);
  }
}

/** Whether the pod is ignored because it asks for that, so that nobody needs to be told. */
export function isOptOut({ problems }: Rejection): boolean {
  return problems.some(({ why }) => why === 'OptsOut');
}

/** All that is wrong with the pod, in upstream's words. */
export function renderRejection({ problems }: Rejection): string {
  return problems.map(renderProblem).join('; ');
}

function renderProblem(problem: PodProblem): string {
  switch (problem.why) {
    case 'OptsOut':
      return `configured to not run on a Karpenter provisioned node (requirement=${NODEPOOL_LABEL} DoesNotExist)`;
    case 'MatchFields':
      return 'node selector term with matchFields is not supported';
    case 'Requirement':
    case 'Volume':
      return problem.fault;
    default:
      return problem satisfies never;
  }
}
