import { findCondition } from '@karpenter-ts/kubernetes';
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { errorText, type EventDraft, findCause, subjectOf } from '@karpenter-ts/runtime';
import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODE_CLAIMS,
  type NodeClaim,
  truncateLaunchMessage,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { DeletionReason } from '../deletions.ts';
import { confirm, failed, type Pass, type StepOutcome, set, done } from './step.ts';

/**
 * Creates the instance, once. The provider's answer is remembered until the NodeClaim's status shows it, so that
 * neither a lost write nor a stale cache creates a second instance (spec 03 §3.1).
 */
export async function launch(life: Pass, nodeClaim: NodeClaim): Promise<StepOutcome> {
  const uid = nodeClaim.metadata.uid ?? '';
  const launched = findCondition(nodeClaim, 'Launched');
  if (launched !== undefined && launched.status !== 'Unknown') {
    if (launched.status === 'True') life.launches.delete(uid);
    return done(confirm(life, nodeClaim, launched));
  }
  let created = life.launches.get(uid);
  if (created === undefined) {
    try {
      created = await create(life, nodeClaim);
    } catch (error) {
      return handleLaunchError(life, nodeClaim, error);
    }
    life.launches.set(uid, created);
    logLaunch(life, created);
  }
  return done(set(life, withInstance(nodeClaim, created), { type: 'Launched', status: 'True' }));
}

/** An instance without a provider id could never be found again, so this counts as a failed launch. */
async function create({ provider, signal }: Pass, nodeClaim: NodeClaim): Promise<NodeClaim> {
  const created = await provider.create(nodeClaim, signal);
  if (!created.status?.providerID) throw new Error('the provider returned no provider id');
  return created;
}

/** The NodeClaim with the result of its launch. Existing labels win over the result's; existing annotations lose. */
export function withInstance(nodeClaim: NodeClaim, { metadata, status }: NodeClaim): NodeClaim {
  return {
    ...nodeClaim,
    metadata: {
      ...nodeClaim.metadata,
      labels: { ...metadata.labels, ...nodeClaim.metadata.labels },
      annotations: { ...nodeClaim.metadata.annotations, ...metadata.annotations },
    },
    status: {
      ...nodeClaim.status,
      ...(status?.providerID !== undefined && { providerID: status.providerID }),
      ...(status?.imageID !== undefined && { imageID: status.imageID }),
      ...(status?.capacity !== undefined && { capacity: status.capacity }),
      ...(status?.allocatable !== undefined && { allocatable: status.allocatable }),
    },
  };
}

/**
 * On missing capacity or an unready NodeClass the NodeClaim is deleted, so that its pods are planned again. Any other
 * error is retried.
 */
async function handleLaunchError(life: Pass, nodeClaim: NodeClaim, error: unknown): Promise<StepOutcome> {
  if (findCause(error, InsufficientCapacityError) !== undefined) {
    life.events.publish(insufficientCapacity(nodeClaim, error));
    life.logger.error('failed launching nodeclaim', error);
    return abandon(life, nodeClaim, 'insufficient_capacity');
  }
  if (findCause(error, NodeClassNotReadyError) !== undefined) {
    life.logger.error('failed launching nodeclaim', error);
    return abandon(life, nodeClaim, 'nodeclass_not_ready');
  }
  const refusal = findCause(error, CreateError);
  const reason = refusal?.conditionReason ?? 'LaunchFailed';
  const message = refusal?.conditionMessage ?? truncateLaunchMessage(errorText(error));
  const unlaunched = set(life, nodeClaim, { type: 'Launched', status: 'Unknown', reason, message });
  return failed(unlaunched, new Error('launching nodeclaim', { cause: error }));
}

async function abandon(life: Pass, nodeClaim: NodeClaim, reason: DeletionReason): Promise<StepOutcome> {
  try {
    await life.deletions.request(nodeClaim, reason, life.signal);
    return done(nodeClaim);
  } catch (error) {
    return failed(nodeClaim, error);
  }
}

function logLaunch({ logger }: Pass, { metadata: { labels = {} }, status }: NodeClaim): void {
  logger.info('launched nodeclaim', {
    'provider-id': status?.providerID ?? '',
    'instance-type': labels[INSTANCE_TYPE_LABEL] ?? '',
    zone: labels[ZONE_LABEL] ?? '',
    'capacity-type': labels[CAPACITY_TYPE_LABEL] ?? '',
    allocatable: status?.allocatable ?? {},
  });
}

function insufficientCapacity(nodeClaim: NodeClaim, error: unknown): EventDraft {
  const { name, uid = '' } = nodeClaim.metadata;
  return {
    on: subjectOf(NODE_CLAIMS, nodeClaim),
    type: 'Warning',
    reason: 'InsufficientCapacityError',
    message: `NodeClaim ${name} event: ${truncateLaunchMessage(errorText(error))}`,
    dedupe: [uid],
  };
}
