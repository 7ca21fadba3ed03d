import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { type Cluster, simulatedNode, startCluster } from '@karpenter-ts/embedded';
import { type Logger, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import type { ProviderName } from './cloud.ts';

/** What the cluster is to be like. */
export interface ClusterSettings {
  /** 0 is any free one. */
  readonly port: number;
  /** Whose CRDs it has. */
  readonly provider: ProviderName;
  readonly kubeconfigPath: string;
  /** How many there are from the start. */
  readonly nodes: number;
  readonly clock: SteadyClock;
  readonly logger: Logger;
}

const ZONES = ['zone-a', 'zone-b', 'zone-c'];
/** Long enough for the pods of a Job to be seen. */
const COMPLETION_DELAY = 5 * SECOND;

/** Starts a cluster with our CRDs. Throws, in words for the user, what keeps it from starting. */
export async function startServedCluster(settings: ClusterSettings): Promise<Cluster> {
  const { port, provider, kubeconfigPath, nodes, clock, logger } = settings;
  try {
    return await startCluster({
      clock,
      seed: randomInt(2 ** 31),
      crds: RESOURCES[provider].map(customResourceDefinition),
      nodes: Array.from({ length: nodes }, (_, i) => {
        return simulatedNode({ name: `node-${i + 1}`, zone: ZONES[i % ZONES.length] ?? '' });
      }),
      kubelet: { completionDelay: COMPLETION_DELAY },
      listen: { port, kubeconfigPath },
      logger,
    });
  } catch (error) {
    throw explained(error, port, kubeconfigPath);
  }
}

/** What the user can do about it, where we know. */
function explained(error: unknown, wanted: number, kubeconfigPath: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new Error(`port ${wanted} is in use; --port 0 takes any free one`, { cause: error });
  if (code === 'EACCES' && wanted > 0 && wanted < 1024) return new Error(`port ${wanted} needs root`, { cause: error });
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall === 'listen') return error;
  if (code === 'ENOENT')
    return new Error(`there is no folder ${dirname(kubeconfigPath)} for the kubeconfig`, { cause: error });
  return new Error(`the kubeconfig cannot be written: ${error.message}`, { cause: error });
}
