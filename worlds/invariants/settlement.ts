import { type ApiObject, findCondition, isTrue } from '@karpenter-ts/kubernetes';
import type { NodeClaim } from '@karpenter-ts/apis';
import { type Instant, MINUTE } from '@karpenter-ts/runtime';
import type { Node, Pod, Workload } from '../cluster/kinds.ts';
import { findClaimOf, podsOn, type Snapshot } from '../cluster/snapshot.ts';
import type { WorldPlan } from '../plan/world-plan.ts';
import { deadlineOf, isDue, isInTheWay, isProtected } from './departure.ts';
import type { Violation } from './violation.ts';

/** From when on a departure is slow enough to ask why: a drain has its polls, and pods have their grace. */
const SLOW = 8 * MINUTE;
/** After which a claim has either a Node or an end; registration itself has fifteen. */
const REGISTRATION = 20 * MINUTE;

interface Scene extends Snapshot {
  readonly plan: WorldPlan;
  readonly now: Instant;
}

/** What is not as it should be in a calm world; nothing once it has settled. */
export function findUnsettled(scene: Scene): readonly Violation[] {
  return [...findIdle(scene), ...findIncomplete(scene), ...findLeaving(scene), ...findHomeless(scene)];
}

function findIdle({ pods }: Scene): readonly Violation[] {
  const idle = pods.filter((pod) => !isLeaving(pod) && !isOver(pod) && !isTrue(pod, 'Ready') && !isCrowdedOut(pod));
  return idle.map(({ metadata, spec }) => {
    return { invariant: 'running', detail: `pod ${metadata.name} is not ready on ${spec.nodeName ?? 'any node'}` };
  });
}

/** A daemon whose room others took while it was rolled out anew: no other node will do, and there is no preemption. */
function isCrowdedOut(pod: Pod): boolean {
  const isDaemon = pod.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') ?? false;
  return isDaemon && (findCondition(pod, 'PodScheduled')?.message?.includes('Insufficient') ?? false);
}

/** Pods that have never been made are not idle: those who make them must have all they want, too. */
function findIncomplete({ workloads }: Scene): readonly Violation[] {
  const incomplete = workloads.filter((one) => !isComplete(one));
  return incomplete.map(({ metadata }) => ({
    invariant: 'running',
    detail: `workload ${metadata.name} is incomplete`,
  }));
}

/** A Job that has failed for good is over as well. */
function isComplete(workload: Workload): boolean {
  const { spec, status } = workload;
  if (spec.completions !== undefined) return isTrue(workload, 'Complete') || isTrue(workload, 'Failed');
  return (status?.readyReplicas ?? 0) === spec.replicas;
}

function findLeaving(scene: Scene): readonly Violation[] {
  const { nodes, claims, now } = scene;
  const isSlow = ({ metadata }: ApiObject): boolean => now - Date.parse(metadata.deletionTimestamp ?? '') > SLOW;
  const slowNodes = nodes.filter((node) => isSlow(node) && !hasCause(node, findClaimOf(node, claims), scene));
  const slowClaims = claims.filter((claim) => {
    const node = nodes.find(({ spec }) => spec?.providerID === claim.status?.providerID);
    return isSlow(claim) && !(node && hasCause(node, claim, scene));
  });
  return [...slowNodes, ...slowClaims].map(({ metadata }) => {
    return { invariant: 'stuck', detail: `${metadata.name} has been leaving since ${metadata.deletionTimestamp}` };
  });
}

/** Whether somebody wants the node to stay who may: a protected pod, or a budget that lets none go. */
function hasCause(node: Node, claim: NodeClaim | undefined, { pods, plan, now }: Scene): boolean {
  const deadline = claim === undefined ? Infinity : deadlineOf(claim);
  const strict = new Set(plan.workloads.filter((one) => one.maxUnavailable === 0).map(({ name }) => name));
  return podsOn(node.metadata.name, pods).some(
    (pod) =>
      isInTheWay(pod) &&
      !isDue(pod, deadline, now) &&
      (isProtected(pod, now) || strict.has(pod.metadata.labels?.['app'] ?? '')),
  );
}

function findHomeless({ claims, now }: Scene): readonly Violation[] {
  const isOld = ({ metadata }: ApiObject): boolean => now - Date.parse(metadata.creationTimestamp ?? '') > REGISTRATION;
  const homeless = claims.filter((claim) => isOld(claim) && !isTrue(claim, 'Registered') && !isLeaving(claim));
  return homeless.map(({ metadata }) => {
    return { invariant: 'stuck', detail: `${metadata.name} has been launching since ${metadata.creationTimestamp}` };
  });
}

function isLeaving({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
