import { MINUTE } from '@karpenter-ts/runtime';
import { within } from '../api/with-context.ts';
import type { SecurityGroups } from '../network/security-groups.ts';
import type { Subnets } from '../network/subnets.ts';
import type { StatusStep } from './status-step.ts';

/** Subnets are looked up often because their free addresses decide where to launch. */
const INTERVAL = 1 * MINUTE;
const GROUPS_INTERVAL = 5 * MINUTE;

/** `status.subnets`, and the condition `SubnetsReady` (spec 08 §4). */
export function subnetStep(subnets: Pick<Subnets, 'list'>): StatusStep {
  return {
    async reconcile(draft, signal) {
      const found = await within('getting subnets', subnets.list(draft.nodeClass, signal));
      if (found.length === 0) {
        draft.report({ subnets: undefined });
        draft.setCondition({
          type: 'SubnetsReady',
          status: 'False',
          reason: 'SubnetsNotFound',
          message: 'SubnetSelector did not match any Subnets',
        });
      } else {
        draft.report({ subnets: found });
        draft.setCondition({ type: 'SubnetsReady', status: 'True' });
      }
      return { requeueAfter: INTERVAL };
    },
  };
}

/** `status.securityGroups`, and the condition `SecurityGroupsReady` (spec 08 §5). */
export function securityGroupStep(groups: Pick<SecurityGroups, 'list'>): StatusStep {
  return {
    async reconcile(draft, signal) {
      const found = await within('getting security groups', groups.list(draft.nodeClass, signal));
      if (found.length === 0) {
        draft.report({ securityGroups: undefined });
        draft.setCondition({
          type: 'SecurityGroupsReady',
          status: 'False',
          reason: 'SecurityGroupsNotFound',
          message: 'SecurityGroupSelector did not match any SecurityGroups',
        });
        return { requeueAfter: INTERVAL };
      }
      draft.report({ securityGroups: found });
      draft.setCondition({ type: 'SecurityGroupsReady', status: 'True' });
      return { requeueAfter: GROUPS_INTERVAL };
    },
  };
}
