import type { EC2NodeClass } from '@karpenter-ts/apis';

/** A placement group that EC2 knows. */
export interface PlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  /** Only of strategy `partition`. */
  readonly partitionCount?: number | undefined;
}

/** Which placement group a NodeClass selects. */
export interface PlacementGroupSource {
  /**
   * The group; undefined without a selector, or if there is no such group. While EC2 cannot be asked, the group of
   * before; rejects if none is remembered.
   */
  resolve(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<PlacementGroup | undefined>;
}
