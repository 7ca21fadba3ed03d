import type { KWOKNodeClass } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { ProviderModule } from '@karpenter-ts/core';
import { cacheReader, KWOK_NODE_CLASSES, KwokProvider, sweepController } from '@karpenter-ts/provider-kwok';
import type { Informer } from '@karpenter-ts/runtime';
import { CATALOGUE } from './catalogue.ts';
import type { Fleet } from './fleet.ts';

/** How one operator's calls are to be broken. */
export type Decorator = (provider: CloudProvider) => CloudProvider;

/** Simulated machines that are nothing but Nodes, as the `karpenter` command has them. */
export function kwokCloud(decorate: Decorator): ProviderModule {
  return {
    nodeClasses: [KWOK_NODE_CLASSES],
    create: ({ client, caches, clock, logger, stopping }) => {
      const { nodes, nodeClaims } = caches;
      const nodeClasses = caches.nodeClasses[0] as Informer<KWOKNodeClass>; // the only kind there is
      const reader = cacheReader({ nodes, nodeClaims, nodeClasses });
      const provider = new KwokProvider({ client, clock, logger, stopping, catalogue: CATALOGUE, reader });
      return { provider: decorate(provider), controllers: [sweepController({ client, clock, reader, provider })] };
    },
  };
}

/** Machines of a fleet that outlives the operator. */
export function fleetCloud(fleet: Fleet, decorate: Decorator): ProviderModule {
  return {
    nodeClasses: [KWOK_NODE_CLASSES],
    create: ({ caches }) => ({
      provider: decorate(fleet.provider()),
      controllers: [fleet.sweep(() => caches.nodeClaims.list())],
    }),
  };
}
