import type { ProviderModule } from '@karpenter-ts/cloudprovider';
import { awsModule } from '@karpenter-ts/provider-aws';
import { kwokModule } from '@karpenter-ts/provider-kwok';

/** Where nodes come from unless `--provider` says otherwise. */
export const DEFAULT_PROVIDER: ProviderModule = kwokModule;

/** Every provider of this binary. */
export const PROVIDERS: readonly ProviderModule[] = [kwokModule, awsModule];
