// Cluster files, for those who decide about them by other ways than the command: `@karpenter-ts/cli/cluster`.
export type {
  ClusterDocument,
  CommandEntry,
  MethodEntry,
  OptionEntry,
  ReplacementEntry,
} from '../plan/cluster-document.ts';
export { reportOnCluster } from '../plan/cluster-report.ts';
export { readCluster } from './cluster-file.ts';
export { toOfflineObjects } from './offline-objects.ts';
