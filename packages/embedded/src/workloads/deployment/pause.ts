import { findCondition } from '../conditions.ts';
import { type Deployment, DEPLOYMENTS } from '@karpenter-ts/kubernetes';
import type { WorkloadDeps } from '../workload-deps.ts';
import { hasDeadline, withVerdict } from './status.ts';

const PAUSED = { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
const RESUMED = { ...PAUSED, reason: 'DeploymentResumed', message: 'Deployment is resumed' };

/**
 * Records that a Deployment was paused or resumed, so that the time in between does not count towards its progress
 * deadline.
 */
export async function notePause({ client, clock }: WorkloadDeps, deployment: Deployment): Promise<Deployment> {
  const condition = findCondition(deployment.status?.conditions, 'Progressing');
  if (!hasDeadline(deployment) || condition?.reason === 'ProgressDeadlineExceeded') return deployment;
  const isPaused = deployment.spec.paused ?? false;
  if (isPaused === (condition?.reason === PAUSED.reason)) return deployment;
  const conditions = withVerdict(deployment.status?.conditions, isPaused ? PAUSED : RESUMED, clock.now());
  const noted = { ...deployment, status: { ...deployment.status, conditions } };
  return client.update<Deployment>(DEPLOYMENTS, noted, { subresource: 'status' });
}
