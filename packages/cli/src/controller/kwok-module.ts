import type { KWOKNodeClass } from '@karpenter-ts/apis';
import type { ProviderModule } from '@karpenter-ts/core';
import {
  cacheReader,
  KWOK_NODE_CLASSES,
  type KwokOptions,
  KwokProvider,
  loadCatalogue,
  sweepController,
} from '@karpenter-ts/provider-kwok';
import type { Informer } from '@karpenter-ts/runtime';

/** Simulated machines. Throws a `CatalogueError` if the options name a catalogue that cannot be used. */
export function kwokModule(options: KwokOptions): ProviderModule {
  const catalogue = loadCatalogue(options);
  return {
    nodeClasses: [KWOK_NODE_CLASSES],
    create: ({ client, caches, clock, logger, stopping }) => {
      const { nodes, nodeClaims } = caches;
      const nodeClasses = caches.nodeClasses[0] as Informer<KWOKNodeClass>; // the only kind there is
      const reader = cacheReader({ nodes, nodeClaims, nodeClasses });
      const provider = new KwokProvider({ client, clock, logger, stopping, catalogue, reader });
      return { provider, controllers: [sweepController({ client, clock, reader, provider })] };
    },
  };
}
