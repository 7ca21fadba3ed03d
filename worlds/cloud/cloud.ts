import { fileURLToPath } from 'node:url';
import type { CloudProvider, ConfiguredProvider } from '@karpenter-ts/cloudprovider';
import { KWOK_NODE_CLASSES, kwokModule, loadCatalogue } from '@karpenter-ts/provider-kwok';
import { type PriceOf, priceList } from '../observer/price-list.ts';
import { type Fleet, FLEET_TYPES } from './fleet.ts';

/** How one operator's calls are to be broken. */
export type Decorator = (provider: CloudProvider) => CloudProvider;

/** Three sizes, in three zones, spot and on demand. */
const FILE = fileURLToPath(new URL('./instance-types.json', import.meta.url));
const OPTIONS = { instanceTypesFilePath: FILE, catalogue: 'kwok' } as const;
const KWOK = kwokModule.configure(OPTIONS);

/** Simulated instances that are nothing but Nodes, as the `karpenter` command has them. */
export function kwokCloud(decorate: Decorator): ConfiguredProvider {
  return {
    ...KWOK,
    create: async (deps) => {
      const parts = await KWOK.create(deps);
      return { ...parts, provider: decorate(parts.provider) };
    },
  };
}

/** Instances of a fleet that outlives the operator. */
export function fleetCloud(fleet: Fleet, decorate: Decorator): ConfiguredProvider {
  return {
    nodeClasses: [KWOK_NODE_CLASSES],
    create: async ({ caches }) => ({
      provider: decorate(fleet.provider()),
      controllers: [fleet.sweep(() => caches.nodeClaims.list())],
    }),
  };
}

/** What instances cost in each cloud. */
export function pricesOf(cloud: 'kwok' | 'fleet'): PriceOf {
  return priceList(cloud === 'fleet' ? FLEET_TYPES : loadCatalogue(OPTIONS).instanceTypes);
}
