import { DISRUPTED_TAINT, formatTaint } from '@karpenter-ts/apis';
import { findCondition } from '@karpenter-ts/kubernetes';
import { combineErrors, errorText, runParallel, StructuredError } from '@karpenter-ts/runtime';
import type { ClusterSnapshot } from '../../state/cluster-model.ts';
import type { StateNode } from '../../state/state-node.ts';
import { isDisruptionTaint, type MarkDeps, removeReason, removeTaint } from './node-marks.ts';

const WRITES_AT_ONCE = 32;

/**
 * Takes the marks of commands off nodes that no command disrupts: a restart has forgotten it, or it could not start
 * (spec 04 §2.4). A taint that a user has put there goes, too. Resolves with whether there was anything to do.
 */
export async function removeForgottenMarks(
  deps: MarkDeps,
  { active }: ClusterSnapshot,
  isQueued: (providerId: string) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const free = active.filter(({ providerId }) => !isQueued(providerId));
  const tainted = free.filter(isTainted);
  const untainting = await runParallel(tainted, WRITES_AT_ONCE, async ({ node }) => {
    await removeTaint(deps, node!, signal);
  });
  throwFirst('removing taint from nodes', { taint: formatTaint(DISRUPTED_TAINT) }, untainting);
  const named = free.filter(hasReason);
  const clearing = await runParallel(named, WRITES_AT_ONCE, async ({ nodeClaim }) => {
    await removeReason(deps, nodeClaim!, signal);
  });
  throwFirst('removing condition from nodeclaims', { condition: 'DisruptionReason' }, clearing);
  return tainted.length + named.length > 0;
}

function isTainted({ node, nodeClaim }: StateNode): boolean {
  return nodeClaim !== undefined && (node?.spec?.taints?.some(isDisruptionTaint) ?? false);
}

function hasReason({ existing, nodeClaim }: StateNode): boolean {
  return existing.initialized && nodeClaim !== undefined && findCondition(nodeClaim, 'DisruptionReason') !== undefined;
}

function throwFirst(what: string, values: Readonly<Record<string, string>>, errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  const cause = combineErrors(errors);
  throw new StructuredError(`${what}, ${errorText(cause)}`, values, { cause });
}
