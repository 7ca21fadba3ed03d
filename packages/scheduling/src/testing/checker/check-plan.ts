// The planner's judge: written from spec 02 alone, slow and plain, sharing no code with what it judges.
import type { Plan } from '../../plan.ts';
import type { PlanningOptions, Snapshot } from '../../snapshot.ts';
import { everyPodOnce, findUnknownNames, noEmptyNodes, refusalsTrue } from './rules/accounting.ts';
import { affinityMet, affinityStartsOnce } from './rules/affinity.ts';
import { antiAffinityMet, preferredAntiAffinityMet, residentsLeftAlone } from './rules/anti-affinity.ts';
import {
  earlierNodesFirst,
  existingNodesFirst,
  existingNodesInOrder,
  heavierPoolsFirst,
  placeablePodsPlaced,
  restingNodesSpared,
} from './rules/first-fit.ts';
import { hostPortsFree } from './rules/host-ports.ts';
import {
  capacityTypesTrue,
  lastResortsTold,
  minValuesMet,
  noFittingTypeLeftOut,
  pricesAddUp,
  typeListSized,
  typesCanBeBought,
  typesCheapestFirst,
  typesMeetRequirements,
} from './rules/instance-types.ts';
import { limitsKept, reservationsHeld, reservationsKept } from './rules/limits.ts';
import { unusablePoolsTrue } from './rules/pools.ts';
import { podsInQueueOrder } from './rules/queue-order.ts';
import { relaxationsInOrder } from './rules/relaxations.ts';
import { podRequirementsMet, poolRequirementsKept } from './rules/requirements.ts';
import { noClaimedDevices, requestsAddUp, resourcesFit } from './rules/resources.ts';
import type { Rule } from './rule.ts';
import { podsSpread } from './rules/spread.ts';
import { taintsTolerated } from './rules/taints.ts';
import { volumesAttachable, volumesKnown, volumesReachable } from './rules/volumes.ts';
import { toCheckedPlan } from './checked-plan.ts';

const RULES = {
  everyPodOnce,
  noEmptyNodes,
  refusalsTrue,
  unusablePoolsTrue,
  taintsTolerated,
  poolRequirementsKept,
  podRequirementsMet,
  resourcesFit,
  requestsAddUp,
  noClaimedDevices,
  hostPortsFree,
  volumesAttachable,
  volumesReachable,
  volumesKnown,
  podsSpread,
  affinityMet,
  affinityStartsOnce,
  antiAffinityMet,
  preferredAntiAffinityMet,
  residentsLeftAlone,
  typesMeetRequirements,
  typesCanBeBought,
  typeListSized,
  typesCheapestFirst,
  lastResortsTold,
  pricesAddUp,
  capacityTypesTrue,
  noFittingTypeLeftOut,
  minValuesMet,
  limitsKept,
  reservationsKept,
  reservationsHeld,
  relaxationsInOrder,
  podsInQueueOrder,
  existingNodesFirst,
  existingNodesInOrder,
  restingNodesSpared,
  earlierNodesFirst,
  heavierPoolsFirst,
  placeablePodsPlaced,
} satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof RULES | 'namesKnown';

/** All rules, in the order they are checked. */
export const RULE_NAMES: readonly RuleName[] = ['namesKnown', ...(Object.keys(RULES) as (keyof typeof RULES)[])];

/** A place where a plan breaks a rule. */
export interface Violation {
  readonly rule: RuleName;
  readonly message: string;
}

/**
 * Everything wrong with a plan; empty if it is sound. Rules about the order of decisions ask only what must hold in
 * whatever order the nodes were filled, so nothing right is refused; some wrong plans of that kind may pass.
 */
export function checkPlan(snapshot: Snapshot, plan: Plan, options: PlanningOptions): readonly Violation[] {
  const unknown = findUnknownNames(snapshot, plan);
  if (unknown.length > 0) return unknown.map((message) => ({ rule: 'namesKnown', message }));
  const checked = toCheckedPlan(snapshot, plan, options);
  return (Object.keys(RULES) as (keyof typeof RULES)[]).flatMap((rule) =>
    RULES[rule](checked).map((message) => ({ rule, message })),
  );
}
