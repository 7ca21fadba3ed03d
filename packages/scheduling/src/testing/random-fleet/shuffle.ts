import type { Snapshot } from '../../snapshot.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';

/** The same snapshot with everything in another order that has none: what is left are the alternatives of a volume. */
export function shuffleSnapshot(snapshot: Snapshot, random: Random): Snapshot {
  const shuffle = <T>(items: readonly T[]): readonly T[] =>
    items
      .map((item) => ({ item, rank: random.below(1_000_000) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  const { volumes } = snapshot;
  return {
    ...snapshot,
    pools: shuffle(snapshot.pools).map((pool) => ({
      ...pool,
      instanceTypes: shuffle(pool.instanceTypes).map(({ requirements, offerings, ...type }) => ({
        ...type,
        requirements: shuffle(requirements),
        offerings: shuffle(offerings),
      })),
    })),
    nodes: shuffle(snapshot.nodes).map((node) => ({ ...node, pods: shuffle(node.pods) })),
    deletingNodes: shuffle(snapshot.deletingNodes),
    pods: shuffle(snapshot.pods),
    daemonPods: shuffle(snapshot.daemonPods),
    volumes: {
      volumeClaims: shuffle(volumes.volumeClaims),
      persistentVolumes: shuffle(volumes.persistentVolumes),
      storageClasses: shuffle(volumes.storageClasses),
    },
    namespaces: shuffle(snapshot.namespaces),
  };
}
