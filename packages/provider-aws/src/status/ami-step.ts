import { errorText, findCause, MINUTE, TerminalError } from '@karpenter-ts/runtime';
import { withContext } from '../api/with-context.ts';
import { UnsupportedAliasError } from '../images/alias-parameters.ts';
import type { Amis } from '../images/amis.ts';
import type { NodeClassDraft } from './node-class-draft.ts';
import type { StatusStep } from './status-step.ts';

const INTERVAL = 5 * MINUTE;
/** Somebody may be about to tag the image that is missing. */
const MISSING_INTERVAL = 1 * MINUTE;

/** `status.amis`, and the condition `AMIsReady` (spec 08 §6). */
export function amiStep(amis: Pick<Amis, 'list'>): StatusStep {
  return {
    async reconcile(draft, signal) {
      const found = await amis.list(draft.nodeClass, signal).catch((error: unknown) => refuse(draft, error));
      if (found.length === 0) {
        draft.report({ amis: undefined });
        const message = 'AMISelector did not match any AMIs';
        draft.setCondition({ type: 'AMIsReady', status: 'False', reason: 'AMINotFound', message });
        return { requeueAfter: MISSING_INTERVAL };
      }
      draft.report({ amis: found });
      draft.setCondition({ type: 'AMIsReady', status: 'True' });
      return { requeueAfter: INTERVAL };
    },
  };
}

/** What was found before stays, also where the alias cannot be had any more: nodes that run it must not drift. */
function refuse(draft: NodeClassDraft, cause: unknown): never {
  const error = withContext('getting amis', cause);
  if (findCause(cause, UnsupportedAliasError) === undefined) throw error;
  draft.setCondition({ type: 'AMIsReady', status: 'False', reason: 'UnsupportedAlias', message: errorText(cause) });
  throw new TerminalError(error);
}
