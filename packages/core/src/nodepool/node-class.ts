import type { NodePool } from '@karpenter-ts/apis';
import { kindSource, type Source } from '@karpenter-ts/runtime';
import { type InformerCaches } from '../state/caches.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { type NodeClass, nodeClassKey } from '@karpenter-ts/cloudprovider';
import { isManagedNodePool } from '../state/managed.ts';

/** The NodeClass that a managed NodePool refers to; undefined if it does not exist. */
export function findNodeClass(
  { spec }: NodePool,
  { nodeClasses }: Pick<InformerCaches, 'nodeClasses'>,
): NodeClass | undefined {
  return nodeClasses.find(spec.template.spec.nodeClassRef);
}

/** Enqueues managed NodePools when they or their NodeClasses change. */
export function poolSources({ caches, provider }: Pick<ControllerDeps, 'caches' | 'provider'>): readonly Source[] {
  return [
    kindSource(caches.nodePools, { when: ({ object }) => isManagedNodePool(object, provider) }),
    ...caches.nodeClasses.all.map((nodeClasses) =>
      kindSource(nodeClasses, {
        keys: ({ metadata }) => {
          const key = nodeClassKey({ ...nodeClasses.type, name: metadata.name });
          return caches.nodePools.byIndex('nodeClass', key).map((nodePool) => nodePool.metadata.name);
        },
      }),
    ),
  ];
}
