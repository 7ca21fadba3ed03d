import { type Controller, type Result, singleton } from '@karpenter-ts/runtime';
import { Batcher } from './batcher.ts';
import type { LaunchState } from './launch-state.ts';
import { PROVISIONER, Provisioner, type ProvisionerDeps } from './provisioner.ts';
import { nodeTrigger, podTrigger } from './triggers.ts';

const AT_ONCE: Result = { requeueAfter: 0 };

/** The provisioner and the controllers that trigger it. */
export function provisioningControllers(deps: ProvisionerDeps): readonly Controller[] {
  const { clock, options, cluster } = deps;
  const batcher = new Batcher({
    clock,
    idleDuration: options.batchIdleDuration,
    maxDuration: options.batchMaxDuration,
  });
  return [
    provisionerController(new Provisioner(deps), batcher, deps.launchState),
    podTrigger(deps, batcher, cluster),
    nodeTrigger(deps, batcher),
  ];
}

/**
 * Waits for a batch and handles it, for ever (spec 02 §3). While the cluster state is not in sync, or the API server
 * cannot be asked about it, the batch is kept and tried again. Upstream drops it, and its pods wait until they trigger
 * again.
 */
function provisionerController(provisioner: Provisioner, batcher: Batcher, launchState: LaunchState): Controller {
  const controller = singleton(PROVISIONER, async (signal, logger) => {
    if (!(await batcher.wait(signal))) return AT_ONCE;
    const isReady = await launchState.isReady(signal).catch((error: unknown) => {
      batcher.rearm();
      throw error;
    });
    if (isReady) await provisioner.run(signal, logger);
    else batcher.rearm();
    return AT_ONCE;
  });
  return { ...controller, sources: [...(controller.sources ?? []), ...provisioner.sources] };
}
