import { type ApiObject, findCondition, isTrue, type Node, type Pod } from '@karpenter-ts/kubernetes';
import type { NodeClaim } from '@karpenter-ts/apis';
import { type Instant, MINUTE } from '@karpenter-ts/runtime';
import type { Workload } from '../cluster/kinds.ts';
import { findClaimOf, podsOn, type Snapshot } from '../cluster/snapshot.ts';
import type { WorldPlan } from '../plan/world-plan.ts';
import { deadlineOf, isDue, blocksDrain, isProtected } from './drain-rules.ts';
import type { Violation } from './violation.ts';

/** A deletion that takes longer needs a reason: a drain polls, and pods have their grace periods. */
const SLOW = 8 * MINUTE;
/** By this age a claim has a Node or is deleted. Registration itself has fifteen minutes. */
const REGISTRATION = 20 * MINUTE;

interface CalmWorld extends Snapshot {
  readonly plan: WorldPlan;
  readonly now: Instant;
}

/** What is not as it should be in a world without faults. The list is empty once the world has converged. */
export function findUnconverged(world: CalmWorld): readonly Violation[] {
  return [...findNotReady(world), ...findIncomplete(world), ...findStuckDeleting(world), ...findUnregistered(world)];
}

function findNotReady({ pods }: CalmWorld): readonly Violation[] {
  const notReady = pods.filter(
    (pod) => !isDeleting(pod) && !isTerminal(pod) && !isTrue(pod, 'Ready') && !isCrowdedOut(pod),
  );
  return notReady.map(({ metadata, spec }) => {
    return { invariant: 'running', detail: `pod ${metadata.name} is not ready on ${spec.nodeName ?? 'any node'}` };
  });
}

/**
 * Whether other pods took the room of this pod of a DaemonSet while that was rolled out. It fits on no other node, and
 * there is no preemption.
 */
function isCrowdedOut(pod: Pod): boolean {
  const isDaemon = pod.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') ?? false;
  return isDaemon && (findCondition(pod, 'PodScheduled')?.message?.includes('Insufficient') ?? false);
}

/** Finds workloads with too few pods, since a pod that was never created cannot be found unready. */
function findIncomplete({ workloads }: CalmWorld): readonly Violation[] {
  const incomplete = workloads.filter((one) => !isComplete(one));
  return incomplete.map(({ metadata }) => ({
    invariant: 'running',
    detail: `workload ${metadata.name} is incomplete`,
  }));
}

/** A Job that has failed for good counts as complete. */
function isComplete(workload: Workload): boolean {
  const { spec, status } = workload;
  if (spec.completions !== undefined) return isTrue(workload, 'Complete') || isTrue(workload, 'Failed');
  return (status?.readyReplicas ?? 0) === spec.replicas;
}

function findStuckDeleting(world: CalmWorld): readonly Violation[] {
  const { nodes, claims, now } = world;
  const isSlow = ({ metadata }: ApiObject): boolean => now - Date.parse(metadata.deletionTimestamp ?? '') > SLOW;
  const slowNodes = nodes.filter((node) => isSlow(node) && !hasCause(node, findClaimOf(node, claims), world));
  const slowClaims = claims.filter((claim) => {
    const node = nodes.find(({ spec }) => spec?.providerID === claim.status?.providerID);
    return isSlow(claim) && !(node && hasCause(node, claim, world));
  });
  return [...slowNodes, ...slowClaims].map(({ metadata }) => {
    return { invariant: 'stuck', detail: `${metadata.name} has been deleting since ${metadata.deletionTimestamp}` };
  });
}

/** Whether something may hold up the deletion of the node: a protected pod, or a budget that allows no disruption. */
function hasCause(node: Node, claim: NodeClaim | undefined, { pods, plan, now }: CalmWorld): boolean {
  const deadline = claim === undefined ? Infinity : deadlineOf(claim);
  const strict = new Set(plan.workloads.filter((one) => one.maxUnavailable === 0).map(({ name }) => name));
  return podsOn(node.metadata.name, pods).some(
    (pod) =>
      blocksDrain(pod) &&
      !isDue(pod, deadline, now) &&
      (isProtected(pod, now) || strict.has(pod.metadata.labels?.['app'] ?? '')),
  );
}

function findUnregistered({ claims, now }: CalmWorld): readonly Violation[] {
  const isOld = ({ metadata }: ApiObject): boolean => now - Date.parse(metadata.creationTimestamp ?? '') > REGISTRATION;
  const unregistered = claims.filter((claim) => isOld(claim) && !isTrue(claim, 'Registered') && !isDeleting(claim));
  return unregistered.map(({ metadata }) => {
    return { invariant: 'stuck', detail: `${metadata.name} has been launching since ${metadata.creationTimestamp}` };
  });
}

function isDeleting({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
