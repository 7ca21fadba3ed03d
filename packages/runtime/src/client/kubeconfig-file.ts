import { readFile } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { ConnectionConfigError } from './connection.ts';
import { shapeProblems } from './kubeconfig-shape.ts';

/**
 * The content of a kubeconfig file, as far as it is used. All fields are optional, because people write these files by
 * hand.
 */
export interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

export interface KubeconfigCluster {
  readonly server?: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[];
}

export interface KubeconfigUser {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  readonly 'auth-provider'?: { readonly name?: string };
  readonly exec?: KubeconfigExec;
}

export interface KubeconfigExec {
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
}

export interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/**
 * Merges several files. A later file does not change what an earlier one defines, missing files are skipped, and
 * relative paths are relative to the file's own folder. Throws a ConnectionConfigError if a file cannot be read or is
 * no kubeconfig.
 */
export async function loadKubeconfig(files: readonly string[]): Promise<Kubeconfig> {
  const clusters = new Map<string, KubeconfigCluster>();
  const users = new Map<string, KubeconfigUser>();
  const contexts = new Map<string, KubeconfigContext>();
  let current: string | undefined;
  for (const file of new Set(files.filter((name) => name !== ''))) {
    const config = await readKubeconfig(file);
    if (config === undefined) continue;
    current ||= config['current-context'];
    for (const { name, cluster } of config.clusters ?? []) setOnce(clusters, name, withAbsolutePaths(file, cluster));
    for (const { name, user } of config.users ?? []) setOnce(users, name, withAbsolutePaths(file, user));
    for (const { name, context } of config.contexts ?? []) setOnce(contexts, name, context);
  }
  return { ...(current ? { 'current-context': current } : {}), clusters, users, contexts };
}

interface KubeconfigFile {
  readonly 'current-context'?: string;
  readonly clusters?: readonly { readonly name: string; readonly cluster: KubeconfigCluster }[] | null;
  readonly users?: readonly { readonly name: string; readonly user: KubeconfigUser }[] | null;
  readonly contexts?: readonly { readonly name: string; readonly context: KubeconfigContext }[] | null;
}

async function readKubeconfig(file: string): Promise<KubeconfigFile | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new ConnectionConfigError(`error loading config file "${file}": ${String(cause)}`, { cause });
  }
  const { config, problems } = await parseKubeconfig(text);
  if (problems.length === 0) return config;
  const all = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  throw new ConnectionConfigError(`error loading config file "${file}": ${all}`);
}

/**
 * Returns a file's content, or its problems. Errors of the YAML library are reduced to line and code, and not kept as a
 * cause, because their messages quote the file, which contains secrets.
 */
async function parseKubeconfig(
  text: string,
): Promise<{ readonly config: KubeconfigFile; readonly problems: readonly string[] }> {
  // Imported on demand, so that a pod in a cluster never loads it.
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  const problems = document.errors.map(({ code, pos }) => {
    return `yaml: line ${lineCounter.linePos(pos[0]).line}: ${code.toLowerCase().replaceAll('_', ' ')}`;
  });
  if (problems.length > 0) return { config: {}, problems };
  let parsed: unknown;
  try {
    parsed = document.toJS();
  } catch {
    return { config: {}, problems: ['yaml: an alias has no anchor, or there are too many'] };
  }
  return { config: parsed ?? {}, problems: shapeProblems(parsed) };
}

function setOnce<T extends object>(map: Map<string, T>, name: string, value: T | null | undefined): void {
  if (!map.has(name)) map.set(name, value ?? ({} as T));
}

const PATHS = new Set(['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']);

function withAbsolutePaths<T extends KubeconfigCluster | KubeconfigUser>(file: string, value: T | null): T {
  const absolute = (path: string): string => resolve(dirname(resolve(file)), path);
  const entries = Object.entries(value ?? {}).map(([key, member]: [string, unknown]) => {
    if (PATHS.has(key) && typeof member === 'string' && member !== '') return [key, absolute(member)];
    if (key !== 'exec') return [key, member];
    const exec = member as KubeconfigExec;
    const isPath = exec.command?.includes(sep) ?? false; // otherwise it is looked up in PATH
    return [key, isPath ? { ...exec, command: absolute(exec.command ?? '') } : exec];
  });
  return Object.fromEntries(entries) as T;
}
