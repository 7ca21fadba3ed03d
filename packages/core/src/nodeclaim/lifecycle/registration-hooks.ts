import { goQuote } from '@karpenter-ts/kubernetes';
import type { NodeClaim } from '@karpenter-ts/apis';
import type { RegistrationHook } from '@karpenter-ts/cloudprovider';
import { combineErrors, DONE, type Result, RETRY } from '@karpenter-ts/runtime';

/** The combined result of all registration hooks. */
export interface HooksVerdict {
  /** The NodeClaim with the labels and annotations of the hooks that are ready. */
  readonly nodeClaim: NodeClaim;
  /** Names of the hooks that are not ready or have failed. */
  readonly pending: readonly string[];
  /** When to ask again: the shortest time that a pending hook names. */
  readonly result: Result;
  /** The errors of the hooks that failed; undefined if none did. */
  readonly error: unknown;
}

type Answer =
  | { readonly kind: 'Ready'; readonly nodeClaim: NodeClaim }
  | { readonly kind: 'Pending'; readonly name: string; readonly wait: number | undefined }
  | { readonly kind: 'Failed'; readonly name: string; readonly error: Error };

/** Calls all hooks at once (spec 03 §6.3). */
export async function askHooks(
  hooks: readonly RegistrationHook[],
  nodeClaim: NodeClaim,
  signal: AbortSignal,
): Promise<HooksVerdict> {
  const answers = await Promise.all(hooks.map((hook) => ask(hook, nodeClaim, signal)));
  let prepared = nodeClaim;
  for (const answer of answers) if (answer.kind === 'Ready') prepared = withDecorations(prepared, answer.nodeClaim);
  const pending = answers.filter((answer) => answer.kind !== 'Ready');
  return {
    nodeClaim: prepared,
    pending: pending.map(({ name }) => name),
    result: waitFor(answers.filter((answer) => answer.kind === 'Pending').map(({ wait }) => wait)),
    error: combineErrors(answers.filter((answer) => answer.kind === 'Failed').map(({ error }) => error)),
  };
}

async function ask(hook: RegistrationHook, nodeClaim: NodeClaim, signal: AbortSignal): Promise<Answer> {
  const { name } = hook;
  try {
    const result = await hook.prepare(nodeClaim, signal);
    return result.ready
      ? { kind: 'Ready', nodeClaim: result.nodeClaim }
      : { kind: 'Pending', name, wait: result.requeueAfter };
  } catch (cause) {
    return { kind: 'Failed', name, error: new Error(`registration hook ${goQuote(name)} failed`, { cause }) };
  }
}

/** The shortest time that a hook names; with back-off if none does. */
function waitFor(waits: readonly (number | undefined)[]): Result {
  if (waits.length === 0) return DONE;
  const named = waits.filter((wait) => wait !== undefined);
  return named.length === 0 ? RETRY : { requeueAfter: Math.min(...named) };
}

/** A hook may add labels and annotations. Anything else it changes is ignored. */
function withDecorations(nodeClaim: NodeClaim, { metadata }: NodeClaim): NodeClaim {
  return {
    ...nodeClaim,
    metadata: {
      ...nodeClaim.metadata,
      labels: { ...nodeClaim.metadata.labels, ...metadata.labels },
      annotations: { ...nodeClaim.metadata.annotations, ...metadata.annotations },
    },
  };
}
