import { findBudgetProblems, neverFires } from '../disruption/budgets.ts';
import type { Budget } from '../kinds/core/node-pool.ts';
import { NODEPOOL_LABEL } from '../names/labels.ts';
import { normalizeLabelKey, type ProviderProfile } from '../names/provider-profile.ts';
import type { RequirementSpec } from '../requirements/requirement.ts';
import { goQuote } from '@karpenter-ts/kubernetes';
import { validateLabels } from './label.ts';
import { findLookalike } from './lookalike.ts';
import { error, type Problem, warning } from './problem.ts';
import { validateRequirement } from './requirement.ts';
import { type TaintLists, validateTaints } from './taint.ts';

/** What is checked of a NodePool. */
export interface ValidatedNodePool {
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> | undefined } | undefined;
      readonly spec: TaintLists & { readonly requirements: readonly RequirementSpec[] };
    };
    readonly disruption?: { readonly budgets?: readonly Budget[] | undefined } | undefined;
  };
}

/** Problems the CRD cannot see (spec 01 §2.3), in upstream's order; what only we look for comes last. */
export function validateNodePool({ spec }: ValidatedNodePool, profile: ProviderProfile): readonly Problem[] {
  const { metadata, spec: node } = spec.template;
  const path = 'spec.template.spec';
  const requirementPath = (index: number) => `${path}.requirements[${index}]`;
  return [
    ...validateLabels(metadata?.labels ?? {}, profile, 'spec.template.metadata.labels'),
    ...validateTaints(node, path),
    ...node.requirements.flatMap((item, index) => validateRequirement(item, profile, requirementPath(index))),
    ...node.requirements.flatMap((item, index) => validateKey(item.key, profile, `${requirementPath(index)}.key`)),
    ...validateBudgets(spec.disruption?.budgets ?? []),
  ];
}

function validateKey(written: string, profile: ProviderProfile, path: string): readonly Problem[] {
  if (written === NODEPOOL_LABEL) return [error(path, `invalid key: ${goQuote(written)} in requirements, restricted`)];
  if (profile.nodeClassLabels.has(written)) {
    return [warning(path, `label ${goQuote(written)} follows from nodeClassRef, it cannot be required`)];
  }
  const meant = findLookalike(normalizeLabelKey(written, profile), profile);
  if (meant === undefined) return [];
  const message = `label ${goQuote(written)} is not well known, so it does not select instances (typo of ${goQuote(meant)}?)`;
  return [warning(path, message)];
}

/**
 * An unreadable budget freezes every disruption of the pool, which upstream does without a word. A warning and not an
 * error: the pool goes on launching nodes there, and must here.
 */
function validateBudgets(budgets: readonly Budget[]): readonly Problem[] {
  const unreadable = findBudgetProblems(budgets).map(({ index, message }) =>
    warning(`spec.disruption.budgets[${index}]`, `budgets[${index}] stops all disruption: ${message}`),
  );
  return [...unreadable, ...budgets.flatMap(warnOfBudget)];
}

function warnOfBudget({ schedule, reasons }: Budget, index: number): readonly Problem[] {
  const path = `spec.disruption.budgets[${index}]`;
  const problems: Problem[] = [];
  if (schedule !== undefined && neverFires(schedule)) {
    const message = `schedule ${goQuote(schedule)} never fires, so the budget is always active`;
    problems.push(warning(`${path}.schedule`, message));
  }
  if (reasons?.length === 0)
    problems.push(warning(`${path}.reasons`, 'reasons is empty, so the budget limits nothing'));
  return problems;
}
