import { type Client, type Controller, type Logger, Manager, Metrics, nullLogger } from '@karpenter-ts/runtime';
import type { Random } from './apiserver/identity.ts';
import type { ClusterOptions } from './cluster.ts';
import type { Faults } from './kubelet/faults.ts';
import { kubeletControllers } from './kubelet/kubelet.ts';
import { DEFAULT_SETTINGS } from './kubelet/settings.ts';
import { Recorders } from './recorders.ts';
import { createCaches as schedulerCaches } from './scheduler/caches.ts';
import { schedulerController } from './scheduler/scheduler.ts';
import { createCaches as workloadCaches } from './workloads/caches.ts';
import { workloadControllers } from './workloads/controllers.ts';

/** A cluster without its controllers. */
interface Parts extends ClusterOptions {
  readonly client: Client;
  readonly random: Random;
  readonly faults: Faults;
}

/** The manager of everything that acts in the cluster. Nothing happens until it is started. */
export function managerOf(parts: Parts): Manager {
  const { clock, random, client, logger = nullLogger } = parts;
  const metrics = new Metrics(clock);
  // Events may be lost when there are thousands at once, as in a real cluster.
  const events = new Recorders({ client, clock, logger: nullLogger, metrics, random });
  return new Manager({ clock, random, logger, metrics, events, controllers: controllersOf(parts, logger, events) });
}

/** All controllers: ordinary clients of the API server. */
function controllersOf(parts: Parts, logger: Logger, events: Recorders): readonly Controller[] {
  const { clock, random, client, faults, kubelet } = parts;
  const deps = { client, clock, logger, random };
  const caches = workloadCaches(deps);
  return [
    schedulerController({ ...deps, caches: schedulerCaches(deps) }),
    ...workloadControllers({ ...deps, caches, recorder: (component) => events.of(component) }),
    ...kubeletControllers({ ...deps, caches, faults, settings: { ...DEFAULT_SETTINGS, ...kubelet } }),
  ];
}
