import { closeSync, fstatSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs';

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

/** A file that this process created. */
export interface CreatedFile {
  /** Removes the file, unless it is gone or another one has taken its place. */
  remove(): void;
}

/**
 * Creates a kubeconfig that only its owner can read, and throws if there is anything at that path. The file stays open
 * until it is removed: its inode number is not given to another file meanwhile, so equal numbers mean the same file.
 */
export function createKubeconfig(path: string, access: Access): CreatedFile {
  let descriptor: number | undefined = openSync(path, 'wx', 0o600);
  const remove = (): void => {
    if (descriptor === undefined) return;
    const ours = fstatSync(descriptor);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.ino === ours.ino && found.dev === ours.dev) rmSync(path, { force: true });
    closeSync(descriptor);
    descriptor = undefined;
  };
  try {
    writeSync(descriptor, kubeconfig(access));
  } catch (error) {
    remove();
    throw error;
  }
  return { remove };
}
