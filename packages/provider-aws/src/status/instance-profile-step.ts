import { DONE, errorText } from '@karpenter-ts/runtime';
import { findAwsError } from '../api/aws-error.ts';
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

/** Upstream says only in its log why a condition stays Unknown, such as that there is no such role. */
function explain(draft: NodeClassDraft, error: unknown): void {
  if (draft.condition(TYPE)?.status !== 'Unknown') return;
  const message = lastingText(error);
  draft.setCondition({ type: TYPE, status: 'Unknown', reason: 'InstanceProfileResolutionFailed', message });
}

/** Each attempt has another name for the profile, and a message that changes each time would have no end of writes. */
function lastingText(error: unknown): string {
  const refused = findAwsError(error);
  const text = refused === undefined ? errorText(error) : `${refused.code}: ${refused.detail}`;
  return text.replaceAll(/_\d{6,20}\b/g, '_*');
}
