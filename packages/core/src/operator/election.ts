import { apiVersionOf, LEASES } from '@karpenter-ts/kubernetes';
import { Client, type EventDraft, LeaderElector, leaseNamespace, newIdentity, userAgent } from '@karpenter-ts/runtime';
import type { OperatorSettings } from './operator.ts';

/**
 * The candidate for the lease of this installation (spec 05 §2.3). Its requests have no rate limit and their own
 * connections, so that nothing delays them. Rejects if the lease's namespace is unknown.
 */
export async function createElector(
  settings: OperatorSettings,
  publish: (draft: EventDraft) => void,
): Promise<LeaderElector> {
  const { options, transport, clock, logger, metrics, build, random } = settings;
  const lease = { namespace: await leaseNamespace(options.leaderElectionNamespace), name: options.leaderElectionName };
  const client = new Client({
    transport,
    clock,
    userAgent: `${userAgent(build.version)} leader-election`,
    purpose: 'lease',
  });
  const on = { apiVersion: apiVersionOf(LEASES), kind: LEASES.kind, ...lease };
  return new LeaderElector({
    lease,
    identity: newIdentity(),
    client,
    clock,
    logger,
    metrics,
    ...(random && { random }),
    publish: (message) => publish({ on, type: 'Normal', reason: 'LeaderElection', message }),
  });
}
