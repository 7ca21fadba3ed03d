import type { EC2NodeClass } from '@karpenter-ts/apis';
import { type Clock, errorText, type EventDraft, type EventRecorder, SECOND, subjectOf } from '@karpenter-ts/runtime';
import type { NodeClassProfiles } from '../instance-profiles/node-class-profiles.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import type { CleanUp } from './status-step.ts';

export interface ProfileCleanUpDeps {
  readonly profiles: Pick<NodeClassProfiles, 'deleteAll'>;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** How long IAM may take where nothing depends on its answer. */
const PATIENCE = 10 * SECOND;

/**
 * Deletes the instance profiles that were made for a NodeClass. A NodeClass with an instance profile of the user's own has
 * at most such as are left of a role it once had, so it does not wait for them: a cluster of that kind may have no way
 * to IAM at all, and what is left is collected later. Upstream keeps such a NodeClass for ever (spec 08, weakness 9).
 */
export function instanceProfileCleanUp({ profiles, events, clock }: ProfileCleanUpDeps): CleanUp {
  return async (nodeClass, signal, logger) => {
    const isOurs = Boolean(nodeClass.spec?.role);
    try {
      if (isOurs) await profiles.deleteAll(nodeClass, logger, signal);
      else await withPatience(clock, signal, (patient) => profiles.deleteAll(nodeClass, logger, patient));
    } catch (error) {
      signal.throwIfAborted();
      events.publish(deletionFailed(nodeClass, error));
      if (isOurs) throw error;
      logger.error('failed deleting instance profiles, leaving them to garbage collection', error);
    }
  };
}

async function withPatience(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  const cancel = clock.after(PATIENCE, () => late.abort(new Error(`IAM has not answered for ${PATIENCE / SECOND}s`)));
  try {
    await work(AbortSignal.any([signal, late.signal]));
  } finally {
    cancel();
  }
}

function deletionFailed(nodeClass: EC2NodeClass, error: unknown): EventDraft {
  return {
    on: subjectOf(EC2_NODE_CLASSES, nodeClass),
    type: 'Warning',
    reason: 'InstanceProfileDeletionFailed',
    message: `Deleting instance profiles failed, ${errorText(error)}`,
    dedupe: [nodeClass.metadata.uid ?? ''],
  };
}
