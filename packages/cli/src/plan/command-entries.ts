import { CAPACITY_TYPE_LABEL, type Requirements, ZONE_LABEL } from '@karpenter-ts/apis';
import {
  type Attempt,
  candidateName,
  type CandidateLook,
  type Command,
  decisionOf,
  dollars,
  renderNoConsolidation,
  renderScore,
  renderValidationFailure,
  type Replacement,
  shortCommandText,
} from '@karpenter-ts/core';
import { type PlacedPod, podName } from '@karpenter-ts/scheduling';
import type { CommandEntry, OptionEntry, ReplacementEntry } from './cluster-document.ts';

/** Nine decimals: adding up prices and costs leaves noise behind that. */
export function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** A command as the document tells it, as it was computed and with what became of it after the wait. */
export function commandEntry({ computed, validation }: Attempt): CommandEntry {
  const { candidates, replacements, plan, savings } = computed;
  const moved = (plan?.existingNodes ?? []).map(({ node, pods }) => [node, namesOf(pods)] as const);
  const left = validation.kind === 'Valid' ? validation.command.candidates : candidates;
  return {
    decision: decisionOf(computed),
    candidates: candidates.map(candidateName),
    replacements: replacements.map((one) => ({ ...replacementEntry(one), pods: namesOf(one.planned.pods) })),
    ...(moved.length > 0 && { podsToExisting: Object.fromEntries(moved) }),
    savings: rounded(savings),
    validation: validationText(validation),
    ...(left.length < candidates.length && { validated: left.map(candidateName).sort() }),
  };
}

function validationText(validation: Attempt['validation']): string {
  switch (validation.kind) {
    case 'None':
      return 'none';
    case 'Valid':
      return 'ok';
    case 'Failed':
      return `${validation.failure.category}: ${renderValidationFailure(validation.failure)}`;
    default:
      return validation satisfies never;
  }
}

/** The event about the candidate of a command that single-node consolidation has given up. */
export function rejectionText({ computed, validation }: Attempt): string | undefined {
  if (validation.kind !== 'Failed') return undefined;
  const { category } = validation.failure;
  const command = shortCommandText(computed);
  return `ConsolidationRejected: Consolidation rejected: ${command}, reason: ${category} (savings: ${dollars(computed.savings)})`;
}

const MOST_TYPES = 5;

/** One look at a candidate. */
export function optionEntry(look: CandidateLook): OptionEntry {
  const node = candidateName(look.candidate);
  switch (look.kind) {
    case 'Unschedulable':
      return { node, decision: 'no-op', events: [`DisruptionBlocked: ${UNSCHEDULABLE}`] };
    case 'NotApproved':
      return { node, decision: 'no-op' };
    case 'NoOption': {
      const { why } = look.look.option;
      const text = why.kind === 'PodsUnschedulable' ? UNSCHEDULABLE : renderNoConsolidation(why);
      return { node, decision: 'no-op', ...(text !== undefined && { events: [`Unconsolidatable: ${text}`] }) };
    }
    case 'Command':
      return { node, ...foundOption(look.command), ...approvals(look) };
    default:
      return look satisfies never;
  }
}

/** Without the pods, which upstream lists in random order. */
const UNSCHEDULABLE = 'Not all pods would schedule';

function foundOption(command: Command): Omit<OptionEntry, 'node'> {
  const savings = rounded(command.savings);
  const replacements = command.replacements.map(replacementEntry);
  return {
    decision: decisionOf(command),
    ...(replacements.length > 0 && {
      replacements: replacements.map((one) => ({ ...one, instanceTypes: one.instanceTypes.slice(0, MOST_TYPES) })),
    }),
    ...(savings !== 0 && { savings }),
  };
}

function approvals({ score }: Extract<CandidateLook, { kind: 'Command' }>): Pick<OptionEntry, 'events'> {
  const events = score?.pools.map((pool) => `ConsolidationApproved: ${renderScore(pool.score)}`) ?? [];
  return events.length > 0 ? { events: events.sort() } : {};
}

function replacementEntry({ planned }: Replacement): ReplacementEntry {
  return {
    nodePool: planned.nodePool,
    capacityTypes: valuesOf(planned.requirements, CAPACITY_TYPE_LABEL),
    zones: valuesOf(planned.requirements, ZONE_LABEL),
    instanceTypes: planned.instanceTypes,
    typeCount: planned.instanceTypes.length,
    pricePerHour: planned.pricePerHour,
  };
}

/** The values that a node may have; none if it may have any. */
function valuesOf(requirements: Requirements, label: string): readonly string[] {
  const requirement = requirements.get(label);
  return requirement === undefined || requirement.complement ? [] : [...requirement.values].sort();
}

function namesOf(pods: readonly PlacedPod[]): readonly string[] {
  return pods.map(({ pod }) => podName(pod)).sort();
}
