import { type Controller, errorText, MINUTE, singleton } from '@karpenter-ts/runtime';
import type { KubernetesVersion } from '../cluster/kubernetes-version.ts';

const PERIOD = 5 * MINUTE;

/** Keeps up with upgrades of the cluster. */
export function kubernetesVersionController(kubernetes: KubernetesVersion): Controller {
  return singleton('providers.version', async (signal) => {
    try {
      await kubernetes.refreshAndCheck(signal);
    } catch (cause) {
      throw new Error(`updating version, ${errorText(cause)}`, { cause });
    }
    return { requeueAfter: PERIOD };
  });
}
