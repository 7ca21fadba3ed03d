import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../e2e/lab/cache.ts';
import { goEnvironment } from '../../e2e/lab/go-toolchain.ts';
import { findFreePorts } from '../../e2e/lab/ports.ts';

const MODULE = join(import.meta.dirname, '../upstream');
const PACKAGE = 'sigs.k8s.io/karpenter/kwok';

/** Compiles upstream's KWOK controller, which takes minutes the first time, and returns its path. */
export async function buildUpstream(): Promise<string> {
  const path = join(cacheFolder(), 'bench', 'upstream-kwok');
  const args = ['build', '-mod=readonly', '-trimpath', '-o', path, PACKAGE];
  await promisify(execFile)('go', args, { cwd: MODULE, env: goEnvironment() });
  return path;
}

/** Starts upstream's controller with its defaults, on a cluster without another Karpenter. */
export async function startUpstream(
  path: string,
  kubeconfigPath: string,
): Promise<{ readonly stop: () => Promise<void> }> {
  const [metricsPort, probePort] = await findFreePorts(2);
  const child = spawn(path, [], {
    stdio: 'ignore',
    env: {
      ...process.env,
      KUBECONFIG: kubeconfigPath,
      KUBERNETES_MIN_VERSION: '1.19.0-0',
      SYSTEM_NAMESPACE: 'kube-system',
      DISABLE_LEADER_ELECTION: 'true',
      METRICS_PORT: String(metricsPort),
      HEALTH_PROBE_PORT: String(probePort),
    },
  });
  const exited = once(child, 'exit');
  return {
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
