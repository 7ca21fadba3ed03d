import type { ConfiguredProvider, ProviderModule } from '@karpenter-ts/cloudprovider';
import { loadCatalogue } from './catalogue/catalogue.ts';
import { KwokProvider } from './kwok-provider.ts';
import { type KwokOptions, kwokOptions } from './options.ts';
import { cacheReader } from './reader.ts';
import { KWOK_NODE_CLASSES } from './resource-types.ts';
import { sweepController } from './sweep.ts';

/** Simulated nodes. `configure` throws a CatalogueError if the options name a catalogue that cannot be used. */
export const kwokModule = {
  name: 'kwok',
  options: kwokOptions,
  configure,
} satisfies ProviderModule<typeof kwokOptions>;

function configure(options: KwokOptions): ConfiguredProvider {
  const catalogue = loadCatalogue(options);
  return {
    nodeClasses: [KWOK_NODE_CLASSES],
    create: async ({ client, caches, clock, logger, stopping }) => {
      const { nodes, nodeClaims } = caches;
      const reader = cacheReader({ nodes, nodeClaims, nodeClasses: caches.nodeClasses.of(KWOK_NODE_CLASSES) });
      const provider = new KwokProvider({ client, clock, logger, stopping, catalogue, reader });
      return { provider, controllers: [sweepController({ client, clock, reader, provider })] };
    },
  };
}
