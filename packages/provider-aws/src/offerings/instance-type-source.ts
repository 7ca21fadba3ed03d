import type { EC2NodeClass } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { PlacementGroup } from '../placement/placement-group.ts';

/** The instance types of NodeClasses, with their offerings. */
export interface InstanceTypeSource {
  /**
   * All types that a NodeClass can have, also those that cannot be had now. The array and its types are the same as
   * before unless something changed; nobody may change them. Throws where there is nothing to list (spec 07 §3.4).
   */
  list(nodeClass: EC2NodeClass, placementGroup: PlacementGroup | undefined): readonly InstanceType[];
  /**
   * The same, for callers that can wait: the event loop gets its turns while a thousand types are described, and the
   * promise rejects where `list` throws.
   */
  listInTurns(
    nodeClass: EC2NodeClass,
    placementGroup: PlacementGroup | undefined,
    signal: AbortSignal,
  ): Promise<readonly InstanceType[]>;
  /** One of them. Throws if there is no such type. */
  get(nodeClass: EC2NodeClass, placementGroup: PlacementGroup | undefined, name: string): InstanceType;
}
