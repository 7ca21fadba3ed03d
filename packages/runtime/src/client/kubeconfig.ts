import { readFile } from 'node:fs/promises';
import type { Connection, ExecPlugin, Identity, Pem } from './connection.ts';
import { checkKubeconfig } from './kubeconfig-checks.ts';
import { findServerUrl } from './server-url.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigExec, KubeconfigUser } from './kubeconfig-file.ts';

/** The connection of a context, by default the current one. Throws a ConnectionConfigError that lists all problems. */
export async function connectionOf(config: Kubeconfig, contextName = config['current-context']): Promise<Connection> {
  const context = contextName === undefined ? undefined : config.contexts.get(contextName);
  const cluster = config.clusters.get(context?.cluster ?? '') ?? {};
  const user = config.users.get(context?.user ?? '') ?? {};
  await checkKubeconfig({ contextName, context, cluster, user });

  const server = serverOf(cluster);
  const secure = server.startsWith('https:');
  const certificate = secure ? certificateOf(user) : undefined;
  return {
    server,
    ca: findPem(cluster['certificate-authority-data'], cluster['certificate-authority']),
    certificate,
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
    tlsServerName: cluster['tls-server-name'] || undefined,
    proxyUrl: cluster['proxy-url'] || undefined,
    // Credentials are never sent over an unencrypted connection.
    identity: secure ? await identityOf(user, cluster, certificate !== undefined) : { kind: 'none' },
    impersonation: impersonationOf(user),
  };
}

/** The address of a cluster that has passed the checks. */
function serverOf({ server = '' }: KubeconfigCluster): string {
  const url = findServerUrl(server)!;
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

function findPem(data: string | undefined, file: string | undefined): Pem | undefined {
  if (data) return { data: Buffer.from(data, 'base64').toString('utf8') };
  return file ? { file } : undefined;
}

function certificateOf(user: KubeconfigUser): Connection['certificate'] {
  const cert = findPem(user['client-certificate-data'], user['client-certificate']);
  const key = findPem(user['client-key-data'], user['client-key']);
  return cert && key ? { cert, key } : undefined;
}

/** A plugin is used only if no other credential is configured, as in client-go. */
async function identityOf(
  user: KubeconfigUser,
  cluster: KubeconfigCluster,
  hasCertificate: boolean,
): Promise<Identity> {
  if (user.tokenFile) return { kind: 'tokenFile', file: user.tokenFile, token: user.token || undefined };
  if (user.token) return { kind: 'token', token: user.token };
  if (user.username) return { kind: 'basic', username: user.username, password: user.password ?? '' };
  if (user.exec && !hasCertificate) return { kind: 'exec', plugin: await pluginOf(user.exec, cluster) };
  return { kind: 'none' };
}

async function pluginOf(exec: KubeconfigExec, cluster: KubeconfigCluster): Promise<ExecPlugin> {
  return {
    command: exec.command ?? '',
    args: exec.args ?? [],
    env: Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
    apiVersion: exec.apiVersion ?? '',
    interactiveMode: (exec.interactiveMode || 'IfAvailable') as ExecPlugin['interactiveMode'],
    installHint: exec.installHint ?? '',
    clusterInfo: exec.provideClusterInfo ? await clusterInfoOf(cluster) : undefined,
  };
}

/** The CA is passed as data even if it is configured as a file, which the plugin may not be able to read. */
async function clusterInfoOf(cluster: KubeconfigCluster): Promise<Record<string, unknown>> {
  const extension = cluster.extensions?.find(({ name }) => name === 'client.authentication.k8s.io/exec');
  return {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data':
      cluster['certificate-authority-data'] || (await base64OfFile(cluster['certificate-authority'])),
    'proxy-url': cluster['proxy-url'],
    config: extension?.extension,
  };
}

async function base64OfFile(file: string | undefined): Promise<string | undefined> {
  return file ? (await readFile(file)).toString('base64') : undefined;
}

function impersonationOf(user: KubeconfigUser): Record<string, string | readonly string[]> {
  if (!user.as) return {};
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user.as };
  if (user['as-uid']) headers['impersonate-uid'] = user['as-uid'];
  if (user['as-groups']?.length) headers['impersonate-group'] = user['as-groups'];
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values;
  }
  return headers;
}
