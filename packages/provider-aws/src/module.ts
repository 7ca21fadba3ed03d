import type { ConfiguredProvider, ProviderModule, ProviderProcess } from '@karpenter-ts/cloudprovider';
import { EC2_NODE_CLASSES } from './node-class/node-class-lookup.ts';
import { type AwsOptions, awsOptions, checkAwsOptions } from './options/options.ts';
import type { ConnectAws } from './start-provider.ts';

/** Instances of EC2. `create` rejects if AWS or the cluster cannot be found. */
export const awsModule = {
  name: 'aws',
  options: awsOptions,
  check: checkAwsOptions,
  configure: (options, process) => configureAws(options, process),
} satisfies ProviderModule<typeof awsOptions>;

/**
 * The provider with these settings. `connect` is for an AWS in the same process; without it, the network and the
 * environment decide. Nearly all of the provider, and AWS' SDK, is loaded when it is created: other commands than the
 * controller only read the settings.
 */
export function configureAws(options: AwsOptions, process: ProviderProcess, connect?: ConnectAws): ConfiguredProvider {
  return {
    nodeClasses: [EC2_NODE_CLASSES],
    create: async (deps) => {
      const { startProvider } = await import('./start-provider.ts');
      return startProvider({ ...deps, options, process, ...(connect && { connect }) });
    },
  };
}
