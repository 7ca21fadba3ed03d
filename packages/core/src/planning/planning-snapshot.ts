import { daemonPodOf, type Pool, type Snapshot } from '@karpenter-ts/scheduling';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { Caches } from '../state/caches.ts';
import type { ClusterModel, ClusterSnapshot } from '../state/cluster-model.ts';

/** The part of a snapshot that the caller chooses. */
export interface PlanningInput {
  readonly stateNodes: ClusterSnapshot;
  readonly pools: readonly Pool[];
  /** The pods to place. */
  readonly pods: readonly Pod[];
}

/** The caches of objects that plans read besides nodes and pods. */
export type PlanningCaches = Pick<
  Caches,
  'daemonSets' | 'namespaces' | 'persistentVolumeClaims' | 'persistentVolumes' | 'storageClasses'
>;

/** Everything a plan reads. Only lists are copied: objects in the caches are replaced, never changed. */
export function planningSnapshot(
  { stateNodes, pools, pods }: PlanningInput,
  caches: PlanningCaches,
  cluster: Pick<ClusterModel, 'findDaemonPod'>,
): Snapshot {
  return {
    pools,
    pods,
    nodes: stateNodes.active.map(({ existing }) => existing),
    deletingNodes: stateNodes.deleting.map(({ existing }) => existing),
    daemonPods: caches.daemonSets.list().map((daemonSet) => daemonPodOf(daemonSet, cluster.findDaemonPod(daemonSet))),
    volumes: {
      volumeClaims: caches.persistentVolumeClaims.list(),
      persistentVolumes: caches.persistentVolumes.list(),
      storageClasses: caches.storageClasses.list(),
    },
    namespaces: caches.namespaces
      .list()
      .map(({ metadata }) => ({ name: metadata.name, labels: metadata.labels ?? {} })),
  };
}
