import type { Plan } from '@karpenter-ts/scheduling';
import type { Replacement } from './command.ts';
import type { DisruptionState } from '../view/disruption-state.ts';

/** The new nodes of a what-if as they were planned, nothing left out. */
export function replacementsOf({ newNodes }: Plan, { pools }: Pick<DisruptionState, 'pools'>): readonly Replacement[] {
  return newNodes.map((planned) => {
    const offered = pools.get(planned.nodePool)?.instanceTypes;
    const instanceTypes = planned.instanceTypes.map((name) => offered?.get(name));
    return { planned, instanceTypes: instanceTypes.filter((type) => type !== undefined) };
  });
}
