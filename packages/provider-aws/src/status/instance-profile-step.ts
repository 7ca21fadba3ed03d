import { DONE, errorText } from '@karpenter-ts/runtime';
import { findAwsError } from '../api/aws-error.ts';
import { lastingText } from '../api/lasting-text.ts';
import type { NodeClassProfiles } from '../instance-profiles/node-class-profiles.ts';
import type { NodeClassDraft } from './node-class-draft.ts';
import type { StatusStep } from './status-step.ts';

const TYPE = 'InstanceProfileReady';

/** `status.instanceProfile`, and the condition `InstanceProfileReady`, which is never False (spec 08 §8). */
export function instanceProfileStep(profiles: Pick<NodeClassProfiles, 'resolve'>): StatusStep {
  return {
    async reconcile(draft, signal) {
      const resolved = await profiles.resolve(draft.nodeClass, signal).catch((error: unknown) => {
        if (!signal.aborted) explain(draft, error);
        throw error;
      });
      if ('retryAfter' in resolved) return { requeueAfter: resolved.retryAfter };
      draft.report({ instanceProfile: resolved.name });
      draft.setCondition({ type: TYPE, status: 'True' });
      return DONE;
    },
  };
}

/**
 * Upstream says only in its log why a NodeClass does not become ready, such as that there is no such role; of a role that
 * was changed, it leaves the condition True that is about the one before. What holds of the present spec stays.
 */
function explain(draft: NodeClassDraft, error: unknown): void {
  if (draft.holds(TYPE)) return;
  const refused = findAwsError(error);
  const message = lastingText(refused === undefined ? errorText(error) : `${refused.code}: ${refused.detail}`);
  draft.setCondition({ type: TYPE, status: 'Unknown', reason: 'InstanceProfileResolutionFailed', message });
}
