import type { ConfiguredProvider } from '@karpenter-ts/cloudprovider';
import type { Cluster } from '@karpenter-ts/embedded';
import type { SteadyClock } from '@karpenter-ts/runtime';
import type { AwsAccount } from '../aws/account.ts';
import { KWOK_CLOUD } from './kwok-cloud.ts';

export type ProviderName = 'kwok' | 'aws';

/** Where the nodes of the cluster come from. */
export interface Cloud {
  /** Of AWS, if that is where. */
  readonly account?: AwsAccount;
  /** Called once, as soon as there is a cluster. */
  adopt(cluster: Cluster): void;
  /** For the controller of the cluster. */
  provider(cluster: Cluster): Promise<ConfiguredProvider>;
  /** What a node with these labels costs an hour. */
  priceOf(labels: Readonly<Record<string, string>>): number;
  stop(): Promise<void>;
}

export interface CloudSettings {
  readonly provider: ProviderName;
  readonly clock: SteadyClock;
  /** Serves AWS over HTTP on 127.0.0.1; 0 is any free port. */
  readonly awsPort?: number | undefined;
}

/** Starts it. Throws, in words for the user, what keeps it from starting. */
export async function startCloud({ provider, clock, awsPort }: CloudSettings): Promise<Cloud> {
  if (provider === 'kwok') return KWOK_CLOUD;
  const { startAwsCloud } = await import('../aws/aws-cloud.ts');
  try {
    return await startAwsCloud({ clock, ...(awsPort !== undefined && { listen: { port: awsPort } }) });
  } catch (error) {
    throw explained(error, awsPort ?? 0);
  }
}

function explained(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    const message = `--aws-endpoint: port ${port} is in use; 127.0.0.1:0 takes any free one`;
    return new Error(message, { cause: error });
  }
  if (code === 'EACCES') return new Error(`--aws-endpoint: port ${port} needs root`, { cause: error });
  return error;
}
