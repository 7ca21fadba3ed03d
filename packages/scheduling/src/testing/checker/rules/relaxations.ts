import type { Pod } from '@karpenter-ts/kubernetes';
import { podName } from '../../../model/pods/pod-id.ts';
import type { Relaxation } from '../../../plan.ts';
import { heaviestFirst } from '../demands.ts';
import type { Rule } from '../rule.ts';
import { targetsOf, type CheckedPlan } from '../checked-plan.ts';

/**
 * What a pod gave up is what it had, in the order things are given up (§18). One that has given up everything may go back
 * to an earlier alternative of its required node affinity.
 */
export const relaxationsInOrder: Rule = (checked) =>
  targetsOf(checked).flatMap(({ placed }) =>
    placed.flatMap(({ pod, relaxations }) => {
      const everything = everythingOf(pod, checked);
      const expected = everything.slice(0, relaxations.length);
      const isTerm = ({ gaveUp }: Relaxation) => gaveUp === 'RequiredNodeTerm';
      const preferences = everything.filter((one) => !isTerm(one));
      const kept = relaxations.filter(isTerm).length;
      const givenUp = relaxations.length - kept;
      const isAtEnd = preferences.slice(givenUp).every(({ gaveUp }) => gaveUp === 'PreferNoSchedule');
      const revisited = [...everything.slice(0, kept), ...preferences.slice(0, givenUp)];
      const allowed = isAtEnd && givenUp > 0 ? [expected, revisited] : [expected];
      return allowed.some((one) => JSON.stringify(relaxations) === JSON.stringify(one))
        ? []
        : [`${podName(pod)} gave up ${namesOf(relaxations)}, not ${namesOf(expected)}`];
    }),
  );

/** All it can give up, first to last. */
function everythingOf({ spec }: Pod, { options, pools }: CheckedPlan): readonly Relaxation[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const isLastResort = ({ operator, effect, key, value }: NonNullable<typeof spec.tolerations>[number]) =>
    operator === 'Exists' && effect === 'PreferNoSchedule' && !key && !value;
  const canStand =
    pools.some(({ taints }) => taints.some(({ effect }) => effect === 'PreferNoSchedule')) &&
    !(spec.tolerations ?? []).some(isLastResort);
  const preferences: readonly Relaxation[] = [
    ...heaviestFirst(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      (term) => ({ gaveUp: 'PreferredPodAffinity', term }) as const,
    ),
    ...heaviestFirst(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      (term) => ({ gaveUp: 'PreferredPodAntiAffinity', term }) as const,
    ),
    ...heaviestFirst(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      (term) => ({ gaveUp: 'PreferredNodeTerm', term }) as const,
    ),
    ...softSpreads(spec.topologySpreadConstraints ?? []),
  ];
  return [
    ...terms.slice(0, -1).map((term) => ({ gaveUp: 'RequiredNodeTerm', term }) as const),
    ...(options.preferencePolicy === 'Respect' ? preferences : []),
    ...(canStand ? [{ gaveUp: 'PreferNoSchedule' } as const] : []),
  ];
}

/** The first goes, the last of all constraints takes its place, and so on. */
function softSpreads(constraints: NonNullable<Pod['spec']['topologySpreadConstraints']>): readonly Relaxation[] {
  const index = constraints.findIndex(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  if (index === -1) return [];
  const rest = constraints.slice(0, -1);
  return [
    { gaveUp: 'ScheduleAnyway', constraint: constraints[index]! },
    ...softSpreads(index === rest.length ? rest : rest.with(index, constraints.at(-1)!)),
  ];
}

function namesOf(relaxations: readonly Relaxation[]): string {
  return relaxations.map(({ gaveUp }) => gaveUp).join(', ') || 'nothing';
}
