// Daemons that will run on a node whether or not anyone asks (spec 02 §12).
import { findIncompatibilities, toLabelRequirements } from '@karpenter-ts/apis';
import type { InstanceType } from '../../snapshot.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { type Nanos, requestsOf, sum } from './amounts.ts';
import { findUntolerated, requiredAlternatives } from './demands.ts';
import { type ExistingTarget, isTypeCompatible, type PoolFacts, type CheckedPlan } from './checked-plan.ts';

/** Those that a new node of the pool will run if it is of this type. */
export function daemonsOnType(checked: CheckedPlan, pool: PoolFacts, type: InstanceType): readonly Pod[] {
  const { profile } = checked.options;
  return countedDaemons(checked).filter((daemon) => {
    if (findUntolerated(daemon, pool.taints, true) !== undefined) return false;
    return requiredAlternatives(daemon, profile).some(
      (asked) =>
        findIncompatibilities(pool.template, asked, profile.wellKnownLabels).length === 0 &&
        isTypeCompatible(type, asked, profile),
    );
  });
}

/** What daemons still to come will take of an existing node; those already there are among its pods. */
export function outstandingDaemons(checked: CheckedPlan, { node }: ExistingTarget): Nanos {
  const labels = toLabelRequirements(node.labels, checked.options.profile);
  const expected = countedDaemons(checked).filter((daemon) => {
    if (findUntolerated(daemon, node.taints) !== undefined) return false;
    const [asked] = requiredAlternatives(daemon, checked.options.profile);
    return findIncompatibilities(labels, asked!).length === 0;
  });
  const present = sum(...node.pods.filter(isDaemon).map(requestsOf));
  return new Map(
    [...sum(...expected.map(requestsOf))].map(([resource, amount]) => {
      const outstanding = amount - (present.get(resource) ?? 0n);
      return [resource, outstanding > 0n ? outstanding : 0n];
    }),
  );
}

function isDaemon({ metadata }: Pod): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind }) => apiVersion === 'apps/v1' && kind === 'DaemonSet',
  );
}

function countedDaemons({ snapshot, options }: CheckedPlan): readonly Pod[] {
  return options.ignoreDraRequests ? snapshot.daemonPods.filter((daemon) => !usesClaims(daemon)) : snapshot.daemonPods;
}

/** Whether devices are asked for by ResourceClaim. */
export function usesClaims({ spec }: Pod): boolean {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return (
    (spec.resourceClaims ?? []).length > 0 || containers.some(({ resources }) => (resources?.claims ?? []).length > 0)
  );
}
