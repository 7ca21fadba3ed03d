import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** How to reach a server. */
export interface Access {
  readonly url: string;
  /** PEM of the authority to trust. */
  readonly ca: string;
  readonly token: string;
}

/** A kubeconfig with one context, `karpenter`. JSON, which is YAML too. */
export function kubeconfig({ url, ca, token }: Access): string {
  const name = 'karpenter';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/**
 * Writes a kubeconfig that only its owner can read. A file that is there is replaced whole, and with it whatever mode it
 * had: the token is at no time readable by others.
 */
export async function writeKubeconfig(path: string, access: Access): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, kubeconfig(access), { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
