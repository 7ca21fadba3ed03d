import type { EC2NodeClass } from '@karpenter-ts/apis';
import { errorText } from '@karpenter-ts/runtime';
import type { JoinedCluster } from '../cluster/cluster-facts.ts';
import { requireReadableSettings, UnreadableSettingError } from '../instance-types/type-settings.ts';
import { renderUserData } from '../user-data/user-data.ts';
import { userDataInput } from '../user-data/user-data-input.ts';
import type { Refusal } from './refusals.ts';

/** Custom text may be quoted in errors about it, and conditions are not the place for pages of it. */
const LONGEST_MESSAGE = 500;

/**
 * What no instance could be launched with, whatever AWS says: settings that the CRD admits and nobody can read, and user
 * data that cannot be rendered. Upstream panics at the former and only logs the latter (weaknesses 37 and 40).
 */
export function findUnusableSetting(nodeClass: EC2NodeClass, cluster: JoinedCluster): Refusal | undefined {
  try {
    requireReadableSettings(nodeClass);
  } catch (error) {
    if (!(error instanceof UnreadableSettingError)) throw error;
    const reason = error.part === 'kubelet' ? 'InvalidKubeletConfiguration' : 'InvalidBlockDeviceMappings';
    return refusal(reason, error);
  }
  try {
    renderUserData(userDataInput({ nodeClass, nodeClaim: NOBODY, capacityType: 'on-demand', cluster, pods: 1 }));
  } catch (error) {
    return refusal('InvalidUserData', error);
  }
  return undefined;
}

const NOBODY = { labels: {}, taints: [], startupTaints: [] };

function refusal(reason: string, error: unknown): Refusal {
  const text = errorText(error);
  return { reason, message: text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE)}…` };
}
