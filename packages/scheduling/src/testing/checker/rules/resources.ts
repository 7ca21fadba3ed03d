import { podName } from '../../../model/pods/pod-id.ts';
import { difference, fits, largest, type Nanos, nanosOf, requestsOf, sum } from '../amounts.ts';
import { daemonsOnType, outstandingDaemons, usesClaims } from '../daemons.ts';
import { fitsOnType } from '../buying.ts';
import type { Rule } from '../rule.ts';
import { type ExistingTarget, targetsOf, type CheckedPlan } from '../checked-plan.ts';

/** All pods and daemons fit on every type listed for a new node, and on an existing node in what it has left (§11, §12). */
export const resourcesFit: Rule = (checked) => [
  ...checked.planned.flatMap((target) =>
    target.types
      .filter((type) => !fitsOnType(target, type, checked))
      .map((type) => `the pods of ${target.hostname} do not fit on ${type.name}`),
  ),
  ...checked.existing
    .filter((target) => target.placed.length > 0 && !fits(target.requests, roomOn(target, checked)))
    .map(({ hostname }) => `the pods for ${hostname} do not fit there`),
];

/** What an existing node had left for this run's pods. */
export function roomOn(target: ExistingTarget, checked: CheckedPlan): Nanos {
  const { allocatable, pods } = target.node;
  return difference(
    difference(nanosOf(allocatable), sum(...pods.map(requestsOf))),
    outstandingDaemons(checked, target),
  );
}

/** The requests written on a new node are those of its pods, and of daemons at most those of the type with most (§12). */
export const requestsAddUp: Rule = (checked) =>
  checked.planned.flatMap((target) => {
    const pods = target.requests;
    const daemons = largest(
      ...target.types.map((type) => sum(...daemonsOnType(checked, target.pool, type).map(requestsOf))),
    );
    const most = sum(pods, daemons);
    return [...most.keys()]
      .filter((resource) => {
        const written = target.node.requests.get(resource)?.nanos ?? 0n;
        return written < (pods.get(resource) ?? 0n) || written > most.get(resource)!;
      })
      .map((resource) => `${target.hostname} asks for the wrong amount of ${resource}`);
  });

/** Devices asked for by ResourceClaim are not planned for while they are ignored (§27). */
export const noClaimedDevices: Rule = (checked) =>
  targetsOf(checked).flatMap(({ placed }) =>
    placed
      .filter(({ pod }) => checked.options.ignoreDraRequests && usesClaims(pod))
      .map(({ pod }) => `${podName(pod)} asks for devices that are not planned`),
  );
