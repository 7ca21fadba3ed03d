import { renderSimulationErrors } from '../simulation/simulation-text.ts';
import type { ValidationCategory, ValidationFailure } from './validation.ts';

/** The category that the event `ConsolidationRejected` names. */
export function categoryOf(failure: ValidationFailure | undefined): ValidationCategory {
  return failure?.category ?? 'unknown';
}

/** In upstream's words. */
export function renderValidationFailure(failure: ValidationFailure): string {
  switch (failure.category) {
    case 'churn':
      return `${failure.missing} candidates are no longer valid`;
    case 'budget':
      return renderBudgetFailure(failure);
    case 'scheduling':
      return failure.kind === 'NewResults'
        ? 'scheduling simulation produced new results'
        : renderSimulationErrors(failure.errors);
    default:
      return failure satisfies never;
  }
}

function renderBudgetFailure(failure: Extract<ValidationFailure, { category: 'budget' }>): string {
  switch (failure.kind) {
    case 'AllRefused':
      return (
        `${failure.candidates} candidates failed validation because it they were nominated for a pod or would violate ` +
        'disruption budgets'
      );
    case 'Nominated':
      return 'a candidate was nominated during validation';
    case 'OverBudget':
      return 'a candidate can no longer be disrupted without violating budgets';
    default:
      return failure satisfies never;
  }
}
