import type { JsonObject } from '@karpenter-ts/kubernetes';
import type { Registry } from './registry.ts';
import { create, type WriteContext } from './verbs/create.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const PRIORITY_CLASSES: readonly (JsonObject & { readonly metadata: { readonly name: string } })[] = [
  {
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
];

/** Creates the objects that every cluster has from the start, such as the system namespaces. */
export function createInitialObjects(context: WriteContext, registry: Registry): void {
  const namespaces = registry.get('', 'v1', 'namespaces');
  for (const name of NAMESPACES) {
    create(
      context,
      { strategy: namespaces, namespace: undefined, dryRun: false },
      namespaces.decode({ metadata: { name } }).object,
    );
  }
  const classes = registry.get('scheduling.k8s.io', 'v1', 'priorityclasses');
  for (const body of PRIORITY_CLASSES) {
    create(context, { strategy: classes, namespace: undefined, dryRun: false }, classes.decode(body).object);
  }
}
