import { access } from 'node:fs/promises';
import { ConnectionConfigError } from './connection.ts';
import type { KubeconfigCluster, KubeconfigContext, KubeconfigExec, KubeconfigUser } from './kubeconfig-file.ts';
import { isHeaderValue } from './header-value.ts';
import { proxyProblem, withoutPassword } from './proxy.ts';
import { findServerUrl } from './server-url.ts';

/** A context with the cluster and user it names; empty objects if these do not exist. */
export interface ChosenContext {
  readonly contextName: string | undefined;
  readonly context: KubeconfigContext | undefined;
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
}

/** Throws a ConnectionConfigError that lists all problems, in kubectl's words. */
export async function checkKubeconfig({ contextName, context, cluster, user }: ChosenContext): Promise<void> {
  const problems: string[] = [];
  if (contextName && !context) problems.push(`context was not found for specified context: ${contextName}`);
  const userName = context?.user ?? '';
  problems.push(...(await userProblems(userName, user)));
  const missing = Object.keys(cluster).length === 0;
  if (missing && problems.length === 0) {
    problems.push('no configuration has been provided, try setting KUBERNETES_MASTER environment variable');
  } else if (missing) {
    problems.push('cluster has no server defined');
  } else {
    problems.push(...(await clusterProblems(context?.cluster ?? '', cluster)));
  }
  if (problems.length === 0) return;
  throw new ConnectionConfigError(
    `invalid configuration: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}`,
  );
}

async function clusterProblems(name: string, cluster: KubeconfigCluster): Promise<string[]> {
  const problems: string[] = [];
  const file = cluster['certificate-authority'];
  if (!cluster.server) problems.push(`no server found for cluster "${name}"`);
  else if (!findServerUrl(cluster.server)) {
    const shown = withoutPassword(cluster.server);
    problems.push(`invalid server "${shown}" for cluster "${name}": must be an address such as https://host:6443`);
  }
  const proxy = cluster['proxy-url'] ? proxyProblem(cluster['proxy-url']) : undefined;
  if (proxy) {
    const shown = withoutPassword(cluster['proxy-url'] ?? '');
    problems.push(`invalid 'proxy-url' "${shown}" for cluster "${name}": ${proxy}`);
  }
  if (file && cluster['certificate-authority-data']) {
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    );
  }
  return [...problems, ...(await fileProblem('certificate-authority', file, name))];
}

async function userProblems(name: string, user: KubeconfigUser): Promise<string[]> {
  const problems = [...(await certificateProblems(name, user)), ...(user.exec ? execProblems(name, user.exec) : [])];
  if (user['auth-provider']) problems.push(`no Auth Provider found for name "${user['auth-provider'].name ?? ''}"`);
  if (user.token && (user.username || user.password)) {
    problems.push(
      `more than one authentication method found for ${name}; found [token basicAuth], only one is allowed`,
    );
  }
  if ((user['as-uid'] || user['as-groups']?.length || user['as-user-extra']) && !user.as) {
    problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`);
  }
  for (const field of unsendableFields(user)) {
    // The characters are not shown, because the value may be a secret.
    problems.push(`${field} of ${name} holds characters that no header may`);
  }
  return problems;
}

async function certificateProblems(name: string, user: KubeconfigUser): Promise<string[]> {
  const cert = user['client-certificate'];
  const key = user['client-key'];
  if (!cert && !user['client-certificate-data']) return [];
  const problems: string[] = [];
  if (cert && user['client-certificate-data']) {
    problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`);
  }
  if (key && user['client-key-data']) {
    problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`);
  }
  if (!key && !user['client-key-data']) {
    problems.push(
      `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
    );
  }
  return [
    ...problems,
    ...(await fileProblem('client-cert', cert, name)),
    ...(await fileProblem('client-key', key, name)),
  ];
}

/** Fields that would be sent in a header but cannot. */
function unsendableFields(user: KubeconfigUser): string[] {
  const extra = Object.values(user['as-user-extra'] ?? {}).flat();
  const texts: readonly (readonly [field: string, texts: readonly (string | undefined)[]])[] = [
    ['token', [user.token]],
    ['as', [user.as]],
    ['as-uid', [user['as-uid']]],
    ['as-groups', user['as-groups'] ?? []],
    ['as-user-extra', extra],
  ];
  return texts.filter(([, all]) => !all.every((text) => isHeaderValue(text ?? ''))).map(([field]) => field);
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

function execProblems(name: string, exec: KubeconfigExec): string[] {
  const problems: string[] = [];
  const { apiVersion, interactiveMode } = exec;
  const must = (what: string) => `${what} must be specified for ${name} to use exec authentication plugin`;
  if (!exec.command) problems.push(must('command'));
  if (!apiVersion) problems.push(must('apiVersion'));
  else if (!API_VERSIONS.includes(apiVersion)) problems.push(`exec plugin: invalid apiVersion "${apiVersion}"`);
  if (exec.env?.some((variable) => !variable.name)) problems.push(must('env variable name'));
  if (!interactiveMode) {
    if (apiVersion === API_VERSIONS[0]) problems.push(must('interactiveMode')); // v1beta1 has a default
  } else if (!['Never', 'IfAvailable', 'Always'].includes(interactiveMode)) {
    problems.push(`invalid interactiveMode for ${name}: "${interactiveMode}"`);
  }
  return problems;
}

async function fileProblem(what: string, file: string | undefined, name: string): Promise<string[]> {
  if (!file) return [];
  try {
    await access(file);
    return [];
  } catch (error) {
    return [
      `unable to read ${what} ${file} for ${name} due to ${error instanceof Error ? error.message : String(error)}`,
    ];
  }
}
