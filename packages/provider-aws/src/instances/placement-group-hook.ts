import { AWS_LABELS } from '@karpenter-ts/apis';
import type { HookResult, RegistrationHook } from '@karpenter-ts/cloudprovider';
import { during, within } from '../api/with-context.ts';
import type { Instances } from './instances.ts';
import { instanceIdOf } from './provider-id.ts';

const NOT_YET: HookResult = { ready: false };

/**
 * Keeps a Node of a partition placement group from registering until EC2 has told which partition it chose, so that no
 * pod is spread over partitions by a label that is still empty (spec 07 §24).
 */
export function placementGroupHook(instances: Pick<Instances, 'getFresh'>): RegistrationHook {
  return {
    name: 'PlacementGroupRegistrationHook',
    prepare: async (nodeClaim, signal) => {
      const { labels = {} } = nodeClaim.metadata;
      const isInGroup = labels[AWS_LABELS.placementGroupId] !== undefined;
      if (!isInGroup || labels[AWS_LABELS.placementGroupPartition] !== '') return { ready: true, nodeClaim };
      const providerId = nodeClaim.status?.providerID;
      if (!providerId) return NOT_YET;
      const id = during('parsing instance ID from provider ID', () => instanceIdOf(providerId));
      const reading = instances.getFresh(id, signal);
      const { partition } = await within('describing instance for partition number', reading);
      if (partition === undefined) return NOT_YET;
      const known = { ...labels, [AWS_LABELS.placementGroupPartition]: String(partition) };
      return { ready: true, nodeClaim: { ...nodeClaim, metadata: { ...nodeClaim.metadata, labels: known } } };
    },
  };
}
