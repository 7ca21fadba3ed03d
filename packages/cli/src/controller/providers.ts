import type { ProviderModule } from '@karpenter-ts/cloudprovider';
import { awsModule } from '@karpenter-ts/provider-aws';
import { kwokModule } from '@karpenter-ts/provider-kwok';
import { oneOf, option } from '@karpenter-ts/runtime';

/** Where nodes come from unless `--provider` says otherwise: upstream's controller is that of AWS. */
export const DEFAULT_PROVIDER: ProviderModule = awsModule;

/** Every provider of this binary. */
export const PROVIDERS: readonly ProviderModule[] = [awsModule, kwokModule];

const NAMES = PROVIDERS.map(({ name }) => name);

/** What is decided before anything else is. */
export const processOptions = {
  provider: option(
    'provider',
    oneOf(...NAMES),
    DEFAULT_PROVIDER.name,
    `Where nodes come from: ${NAMES.join(', ')}. Each has settings of its own.`,
  ),
};
