import { formatTaint } from '@karpenter-ts/apis';
import { podName } from '../../../model/pods/pod-id.ts';
import { findUntolerated } from '../demands.ts';
import type { Rule } from '../rule.ts';
import { targetsOf } from '../checked-plan.ts';

/** A pod tolerates all taints of its node; `PreferNoSchedule` as a last step, if some pool has such a taint (§§10, 18). */
export const taintsTolerated: Rule = (checked) => {
  const canGiveUp = checked.pools.some(({ taints }) => taints.some(({ effect }) => effect === 'PreferNoSchedule'));
  return targetsOf(checked).flatMap(({ hostname, placed, taints }) =>
    placed.flatMap(({ pod, relaxations }) => {
      const gaveUp = canGiveUp && relaxations.some((relaxation) => relaxation.gaveUp === 'PreferNoSchedule');
      const taint = findUntolerated(pod, taints, gaveUp);
      return taint === undefined ? [] : [`${podName(pod)} does not tolerate ${formatTaint(taint)} of ${hostname}`];
    }),
  );
};
