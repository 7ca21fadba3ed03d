import type { DisruptionReason } from '@karpenter-ts/apis';
import type { DisruptionClass } from '../disruption/candidates/candidate.ts';
import type { MethodName } from '../disruption/commands/command.ts';
import {
  findConsolidationObstacle,
  findDriftObstacle,
  findEmptinessObstacle,
} from '../disruption/candidates/eligibility.ts';

/** Upstream's methods: an offline cluster has nobody who marks expired nodes. */
export type UpstreamMethod = Exclude<MethodName, 'Expiration'>;

/** Why each method disrupts, which nodes it asks for, and which of these concern it. */
export const METHODS = {
  Emptiness: { reason: 'Empty', class: 'graceful', findObstacle: findEmptinessObstacle },
  Drift: { reason: 'Drifted', class: 'eventual', findObstacle: findDriftObstacle },
  MultiNodeConsolidation: {
    reason: 'Underutilized',

    class: 'graceful',
    findObstacle: findConsolidationObstacle,
  },
  SingleNodeConsolidation: {
    reason: 'Underutilized',

    class: 'graceful',
    findObstacle: findConsolidationObstacle,
  },
} as const satisfies Record<
  UpstreamMethod,
  { reason: DisruptionReason; class: DisruptionClass; findObstacle: unknown }
>;

/** The methods in the order in which a pass tries them. */
export const METHOD_NAMES = Object.keys(METHODS) as readonly UpstreamMethod[];
