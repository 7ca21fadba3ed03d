import { SECOND } from '@karpenter-ts/runtime';
import { LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { BudgetCounter } from '../disruption/budgets/budget-allowances.ts';
import type { Command } from '../disruption/commands/command.ts';
import type { UpstreamMethod as MethodName } from './methods.ts';
import { deleteEmptyNodes } from '../disruption/methods/empty-nodes.ts';
import {
  checkCandidates,
  checkEmptyNodes,
  findPlanFailure,
  type FreshState,
  type ValidationFailure,
} from '../disruption/methods/validation.ts';
import type { OfflineCluster } from './offline-cluster.ts';
import { OfflinePass } from './offline-pass.ts';

/** How long a command waits before it is looked at again (spec 04 §14). */
const VALIDATION_WAIT = 15 * SECOND;

/** What became of a command after the wait. */
type Validation =
  /** Drift does not wait. */
  | { readonly kind: 'None'; readonly command: Command }
  /** `command` is what is left of it. */
  | { readonly kind: 'Valid'; readonly command: Command }
  | { readonly kind: 'Failed'; readonly failure: ValidationFailure };

/** A command as its method computed it, and what became of it. */
export interface Attempt {
  readonly method: MethodName;
  readonly computed: Command;
  readonly validation: Validation;
}

/** Asks one method. Undefined if it finds no command. The clock moves on if the command had to wait. */
export async function tryMethod(
  cluster: OfflineCluster,
  method: MethodName,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const pass = await OfflinePass.read(cluster, signal);
  const computed = await pass.findCommand(method, signal);
  if (computed === undefined) return undefined;
  return { method, computed, validation: await validate(cluster, computed, signal) };
}

/**
 * One pass of the controller: these methods in their order, until one has a command that can be started. Undefined if none
 * has. It starts at the time that the clock shows first.
 */
export async function runPass(
  cluster: OfflineCluster,
  methods: readonly MethodName[],
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  cluster.clock.rewind();
  for (const method of methods) {
    const attempt = await tryMethod(cluster, method, signal);
    if (attempt !== undefined && attempt.validation.kind !== 'Failed') return attempt;
  }
  return undefined;
}

async function validate(cluster: OfflineCluster, command: Command, signal: AbortSignal): Promise<Validation> {
  if (command.method === 'Drift' || command.method === 'Expiration') return { kind: 'None', command };
  await cluster.clock.sleep(VALIDATION_WAIT, signal);
  const pass = await OfflinePass.read(cluster, signal);
  const fresh: FreshState = {
    eligible: pass.candidatesOf(command.method).eligible,
    budgets: new BudgetCounter(pass.allowances(command.method)),
    state: pass.state,
  };
  if (command.method === 'Emptiness') {
    const checked = checkEmptyNodes(command, fresh);
    if (!checked.isValid) return { kind: 'Failed', failure: checked.failure };
    return { kind: 'Valid', command: deleteEmptyNodes(checked.candidates) };
  }
  // The controller checks the candidates once more after its simulation, in which time pods may be bound; here nothing
  // happens meanwhile.
  const checked = checkCandidates(command, fresh);
  if (!checked.isValid) return { kind: 'Failed', failure: checked.failure };
  const simulation = await pass.simulate(checked.candidates, signal);
  const context = { pools: pass.state.pools, prices: new LaunchPriceIndexes(cluster.provider.profile) };
  const failure = findPlanFailure(command, checked.candidates, simulation, context);
  return failure === undefined ? { kind: 'Valid', command } : { kind: 'Failed', failure };
}
