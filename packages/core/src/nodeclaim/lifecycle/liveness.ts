import { type Condition, Conditions, isTrue } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, type NodeClaim } from '@karpenter-ts/apis';
import { durationText, MINUTE } from '@karpenter-ts/runtime';
import { transitionOf } from '../../writes/conditions.ts';
import type { RegistrationResult } from '../../state/nodepool-health.ts';
import { failed, type Pass, type StepOutcome, done } from './step.ts';

const LAUNCH_TIMEOUT = 5 * MINUTE;
const REGISTRATION_TIMEOUT = 15 * MINUTE;

/**
 * Deletes a NodeClaim that was not launched or registered in time (spec 03 §3.4). Both timeouts count from its
 * creation, when its conditions are set. It counts as one failure of its NodePool; upstream may count two.
 */
export async function checkLiveness(life: Pass, nodeClaim: NodeClaim): Promise<StepOutcome> {
  if (isTrue(nodeClaim, 'Registered')) return done(nodeClaim);
  const conditions = new Conditions(nodeClaim, NODE_CLAIM_CONDITIONS, life.clock.now());
  const launched = conditions.find('Launched')!;
  const isLaunched = launched.status === 'True';
  const awaited = isLaunched ? conditions.find('Registered')! : launched;
  const timeout = isLaunched ? REGISTRATION_TIMEOUT : (life.launchTimeout ?? LAUNCH_TIMEOUT);
  const left = transitionOf(awaited) + timeout - life.clock.now();
  if (left > 0) return { nodeClaim, result: { requeueAfter: left } };
  const reason = isLaunched ? 'registration_timeout' : 'launch_timeout';
  try {
    if ((await life.deletions.request(nodeClaim, reason, life.signal)) === 'deleted') {
      life.logger.debug('terminating due to timeout', { timeout: durationText(timeout), reason });
      life.nodePoolHealth.record(nodeClaim, failureOf(launched));
    }
    return done(nodeClaim);
  } catch (error) {
    return failed(nodeClaim, error);
  }
}

/** The failure that the NodePool's condition shows: the launch error if the launch failed. */
function failureOf({ status, reason = '', message = '' }: Condition): RegistrationResult {
  if (status !== 'True') return { succeeded: false, reason, message };
  return { succeeded: false, reason: 'RegistrationFailed', message: 'Failed to register node' };
}
