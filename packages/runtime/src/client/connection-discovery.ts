import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Connection, ConnectionConfigError } from './connection.ts';
import { inClusterConnection, SERVICE_ACCOUNT } from './in-cluster.ts';
import { connectionOf } from './kubeconfig.ts';
import { loadKubeconfig } from './kubeconfig-file.ts';

/** Where to look for the configuration. The defaults are those of this host. */
export interface DiscoveryOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly home?: string;
  /** Folder of the service account's files. */
  readonly serviceAccount?: string;
}

/**
 * Finds the API server as upstream does (spec 05 §1.1-9): the files of KUBECONFIG if it is set, else the pod's service
 * account, else `~/.kube/config`. Files named by KUBECONFIG that hold nothing leave the service account as a way out.
 * Throws a ConnectionConfigError that says why each way failed.
 */
export async function findConnection(options: DiscoveryOptions, context?: string): Promise<Connection> {
  const { env, home = env['HOME'] || findHome(), serviceAccount = SERVICE_ACCOUNT } = options;
  const inCluster = () => inClusterConnection(env, serviceAccount);
  const named = env['KUBECONFIG'];
  if (named) {
    const config = await loadKubeconfig(named.split(delimiter));
    if (config.clusters.size > 0 || config.contexts.size > 0) return connectionOf(config, context);
    return inCluster().catch(() => connectionOf(config, context));
  }
  try {
    return await inCluster();
  } catch (cause) {
    try {
      return await connectionOf(await loadKubeconfig(home === '' ? [] : [join(home, '.kube', 'config')]), context);
    } catch (error) {
      if (!(error instanceof ConnectionConfigError)) throw error;
      throw new ConnectionConfigError(`${error.message} (${(cause as Error).message})`, { cause });
    }
  }
}

/** Empty for a user without a name, as containers may run. */
function findHome(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
