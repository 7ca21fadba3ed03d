import {
  combineErrors,
  findCause,
  type Logger,
  MINUTE,
  type Result,
  soonest,
  TerminalError,
} from '@karpenter-ts/runtime';
import type { NodeClassDraft } from './node-class-draft.ts';
import type { StatusStep } from './status-step.ts';

/** When to look again at a NodeClass whose only failures are such that trying again soon does not help. */
const AFTER_TERMINAL = 10 * MINUTE;

/** What the steps ask for, and what failed. */
export interface StepsOutcome {
  readonly results: readonly Result[];
  readonly errors: readonly unknown[];
}

/** All steps in their order, also after one has failed: each looks at something else. */
export async function runSteps(
  steps: readonly StatusStep[],
  draft: NodeClassDraft,
  signal: AbortSignal,
  logger: Logger,
): Promise<StepsOutcome> {
  const results: Result[] = [];
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      results.push(await step.reconcile(draft, signal, logger));
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
    }
  }
  return { results, errors };
}

/**
 * The result of the pass; throws if anything failed. Upstream lets a NodeClass be, until somebody changes it, once one
 * failure is terminal, whatever else failed (spec 08, weakness 3). Here one failure that may pass is tried again as ever,
 * and after terminal ones alone the NodeClass is looked at again a while later: the cluster's version may have changed.
 */
export function concludeSteps({ results, errors }: StepsOutcome): Result {
  if (errors.length === 0) return soonest(results);
  const areTerminal = errors.every((error) => findCause(error, TerminalError) !== undefined);
  const combined = combineErrors(errors.map((error) => (error instanceof TerminalError ? error.cause : error)));
  throw areTerminal ? new TerminalError(combined as Error, { requeueAfter: AFTER_TERMINAL }) : combined;
}
