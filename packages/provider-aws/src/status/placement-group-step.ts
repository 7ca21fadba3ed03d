import { ChangeMonitor, DONE, errorText, type SteadyClock, StructuredError } from '@karpenter-ts/runtime';
import { placementGroupVerdict } from '../placement/placement-group-condition.ts';
import type { PlacementGroups } from '../placement/placement-groups.ts';
import type { StatusStep } from './status-step.ts';

export interface PlacementGroupStepDeps {
  readonly placementGroups: Pick<PlacementGroups, 'find'>;
  readonly clock: SteadyClock;
}

/** The condition `PlacementGroupReady` (spec 08 §10). The group itself is not part of the status. */
export function placementGroupStep({ placementGroups, clock }: PlacementGroupStepDeps): StatusStep {
  const changes = new ChangeMonitor(clock);
  return {
    async reconcile(draft, signal, logger) {
      const { nodeClass } = draft;
      const answer = await placementGroups.find(nodeClass, signal);
      draft.setCondition({ type: 'PlacementGroupReady', ...placementGroupVerdict(nodeClass, answer) });
      const { group, error } = answer;
      if (error !== undefined) {
        const { name, id } = nodeClass.spec?.placementGroupSelector ?? {};
        const text = `resolving placement group, ${errorText(error)}`;
        throw new StructuredError(text, { 'placement-group': name || id || '' }, { cause: error });
      }
      if (group !== undefined && changes.hasChanged(nodeClass.metadata.name, group.id)) {
        const { id, name, strategy } = group;
        logger.debug('discovered placement group', { id, name, strategy });
      }
      return DONE;
    },
  };
}
