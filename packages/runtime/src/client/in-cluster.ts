import { readFile } from 'node:fs/promises';
import { type Connection, ConnectionConfigError } from './connection.ts';
import { findServerUrl } from './server-url.ts';

/** Where Kubernetes mounts a pod's service account. */
export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API server as seen from a pod. Throws a ConnectionConfigError outside of one. */
export async function inClusterConnection(env: NodeJS.ProcessEnv, mount = SERVICE_ACCOUNT): Promise<Connection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) {
    throw new ConnectionConfigError(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
  }
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (!findServerUrl(server)) {
    throw new ConnectionConfigError(
      `unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT make no address: ${server}`,
    );
  }
  const file = `${mount}/token`;
  await mustRead(file);
  return {
    server,
    ca: { file: `${mount}/ca.crt` },
    insecureSkipTlsVerify: false,
    identity: { kind: 'tokenFile', file },
    impersonation: {},
  };
}

/** The namespace this pod runs in; undefined outside a cluster. */
export async function findInClusterNamespace(mount = SERVICE_ACCOUNT): Promise<string | undefined> {
  try {
    return (await readFile(`${mount}/namespace`, 'utf8')).trim() || undefined;
  } catch {
    return undefined;
  }
}

async function mustRead(file: string): Promise<void> {
  try {
    await readFile(file);
  } catch (cause) {
    throw new ConnectionConfigError(`unable to load in-cluster configuration, cannot read ${file}`, { cause });
  }
}
