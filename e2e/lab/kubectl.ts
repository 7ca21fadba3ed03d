import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** kubectl ended with another code than 0. The message holds what it printed: the API server's own words. */
class KubectlError extends Error {
  override readonly name = 'KubectlError';
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(args: readonly string[], exitCode: number | null, stderr: string) {
    super(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

interface Kubectl {
  readonly path: string;
  readonly kubeconfigPath: string;
  /** Of its own: kubectl remembers by address what a server can do, and a later lab may have the same address. */
  readonly cacheFolder: string;
}

/** Runs kubectl and returns what it printed. Throws a KubectlError if it fails. */
export async function runKubectl(kubectl: Kubectl, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(kubectl.path, args, {
    env: { ...process.env, KUBECONFIG: kubectl.kubeconfigPath, KUBECACHEDIR: kubectl.cacheFolder },
  });
  child.stdin.on('error', () => undefined); // it need not read its input
  child.stdin.end(input);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (exitCode !== 0) throw new KubectlError(args, exitCode as number | null, stderr);
  return stdout;
}
