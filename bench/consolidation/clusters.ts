import type { Cluster } from './cluster.ts';
import { HARD_CLUSTERS } from './hard-clusters.ts';
import { messyCluster } from './messy-cluster.ts';
import { syntheticCluster } from './synthetic-cluster.ts';

/** All clusters by name, of a size of one's choice. */
export const CLUSTERS: Readonly<Record<string, (count: number) => Cluster>> = {
  synthetic: syntheticCluster,
  messy: messyCluster,
  ...HARD_CLUSTERS,
};
