import { DISRUPTED_TAINT, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { nanosToMilliseconds, parseDuration, type Pod } from '@karpenter-ts/kubernetes';
import { SECOND } from '@karpenter-ts/runtime';
import type { Moment } from '../observer/moment.ts';
import { type BoundPod, hasBeenTrue, type ObservedCluster } from '../observer/observed-cluster.ts';
import type { CommandCandidate, StartedCommand } from '../observer/started-command.ts';
import { isProtected } from './drain-rules.ts';
import type { Violation } from './violation.ts';

/** Finds nodes that a command must not disrupt, or not for the reason that it gives. */
export function findWrongCandidates(
  cluster: ObservedCluster,
  command: StartedCommand,
  moment: Moment,
): readonly Violation[] {
  return command.candidates.flatMap((candidate): readonly Violation[] => {
    const blocker = findBlocker(cluster, candidate, command.reason, moment);
    if (blocker !== undefined)
      return [{ invariant: 'blocked', detail: `${candidate.node} is disrupted, but ${blocker}` }];
    const doubt = findDoubt(cluster, candidate, command.reason, moment);
    return doubt === undefined
      ? []
      : [{ invariant: 'reason', detail: `${candidate.node} is disrupted as ${command.reason}, but ${doubt}` }];
  });
}

/** Why the node may not be disrupted, if it could not be disrupted at any instant since then. */
export function findBlocker(
  cluster: ObservedCluster,
  { node: name, nodeClaim: claimName }: CommandCandidate,
  reason: StartedCommand['reason'],
  moment: Moment,
): string | undefined {
  const claim = cluster.findClaim(claimName)?.nodeClaim;
  const node = cluster.findNode(name);
  if (node === undefined || claim === undefined) return undefined; // it is gone only since a moment ago
  if (node.protectedSince !== undefined && node.protectedSince <= moment.since)
    return 'its Node is not to be disrupted';
  if (reason === 'Drifted' && claim.spec.terminationGracePeriod !== undefined) return undefined;
  const pods = cluster.podsOn(name).filter(({ pod, boundAt }) => isActive(pod) && boundAt <= moment.since);
  const kept = pods.find(({ pod }) => moment.walls.every((wall) => isProtected(pod, wall)));
  if (kept !== undefined) return `pod ${kept.pod.metadata.name} is not to be disrupted`;
  const held = pods.find(({ pod }) => isHeld(cluster, pod, moment));
  return held && `no pod like ${held.pod.metadata.name} may be evicted`;
}

/** Whether a PodDisruptionBudget has allowed no eviction of the pod for as long as the operator can have looked. */
function isHeld(cluster: ObservedCluster, pod: Pod, { since }: Moment): boolean {
  const toleratesTaint = pod.spec.tolerations?.some(
    ({ key, operator, effect }) =>
      (key === DISRUPTED_TAINT.key || (key === undefined && operator === 'Exists')) &&
      (effect === undefined || effect === DISRUPTED_TAINT.effect),
  );
  if (toleratesTaint) return false;
  return cluster.budgets.some(
    ({ budget, exhaustedSince }) =>
      exhaustedSince !== undefined &&
      exhaustedSince <= since &&
      budget.metadata.namespace === pod.metadata.namespace &&
      budget.spec.selector?.matchLabels?.['app'] === pod.metadata.labels?.['app'],
  );
}

/** What speaks against the reason that the command gives for this node. */
function findDoubt(
  cluster: ObservedCluster,
  { node, nodeClaim }: CommandCandidate,
  reason: StartedCommand['reason'],
  moment: Moment,
): string | undefined {
  const claim = cluster.findClaim(nodeClaim);
  const pool = cluster.findPool(cluster.findNode(node)?.node.metadata.labels?.[NODEPOOL_LABEL] ?? '');
  if (claim === undefined || pool === undefined) return undefined;
  if (reason === 'Drifted') return hasBeenTrue(claim, 'Drifted', moment.since) ? undefined : 'it has not drifted';
  const samples = cluster.samplesOf(pool.metadata.name, moment.since);
  const disruptions = samples.map((sample) => sample.pool.spec.disruption);
  if (disruptions.every((disruption) => disruption?.consolidateAfter === 'Never'))
    return 'its pool is not consolidated';
  const pods = cluster.podsOn(node).filter(({ pod }) => isMovable(pod));
  if (reason === 'Empty') {
    const settled = pods.find(({ boundAt }) => boundAt <= moment.since);
    return settled && `pod ${settled.pod.metadata.name} runs on it`;
  }
  if (disruptions.every((disruption) => disruption?.consolidationPolicy === 'WhenEmpty')) {
    return 'its pool is only relieved of empty nodes';
  }
  const waits = disruptions.map((disruption) => milliseconds(disruption?.consolidateAfter));
  return findRecent(pods, moment, Math.min(...waits));
}

/** A pod that came to the node too short a time ago. Its coming is written down up to ten seconds early. */
function findRecent(pods: readonly BoundPod[], moment: Moment, wait: number): string | undefined {
  const { now, since, steadySince } = moment;
  const least = wait - (now - since) - 10 * SECOND;
  const recent = pods.find(({ boundAt }) => boundAt <= since && boundAt >= steadySince && now - boundAt < least);
  return recent && `pod ${recent.pod.metadata.name} came only ${(now - recent.boundAt) / SECOND} s ago`;
}

function milliseconds(duration: string | undefined): number {
  return duration === undefined || duration === 'Never' ? 0 : nanosToMilliseconds(parseDuration(duration));
}

/** Whether the pod must find another node when its own goes. */
export function isMovable(pod: Pod): boolean {
  const isOfNode = pod.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
  return isActive(pod) && !isOfNode;
}

function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
