import type { Tags } from './tags.ts';

export interface PlacementGroup {
  readonly id: string;
  readonly serial: number;
  readonly name: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  /** Of a partition group. */
  readonly partitions: number;
  /** Of a spread group. */
  readonly spreadLevel: 'rack' | 'host';
  readonly tags: Tags;
  state: 'available' | 'pending' | 'deleting' | 'deleted';
}

/** How many instances a spread group takes in each zone. */
export const SPREAD_LIMIT = 7;
