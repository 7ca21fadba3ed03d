import type { Controller } from '@karpenter-ts/runtime';
import { ApiResources } from './api-resources.ts';
import type { CacheDeps } from './caches.ts';
import { daemonSetController } from './daemon-set/controller.ts';
import { deploymentController } from './deployment/controller.ts';
import { disruptionBudgetController } from './disruption-budget/controller.ts';
import { jobController } from './job/controller.ts';
import { jobOrphanController } from './job/orphans.ts';
import { namespaceController } from './namespaces.ts';
import { nodeHealthController } from './node-lifecycle/health.ts';
import { podGcController } from './node-lifecycle/pod-gc.ts';
import { taintEvictionController } from './node-lifecycle/taint-eviction.ts';
import { nodeTaintController } from './node-lifecycle/taints.ts';
import { ownerGcController } from './owner-gc/controller.ts';
import { replicaSetController } from './replica-set.ts';
import { statefulSetController } from './stateful-set/controller.ts';
import { sparingTerminatingNamespaces } from './terminating-namespace.ts';
import { volumeClaimController } from './volumes/claims.ts';
import { volumeClaimProtectionController, volumeProtectionController } from './volumes/protection.ts';
import { provisionerController, volumeDeleterController } from './volumes/provisioner.ts';
import { volumeController } from './volumes/volumes.ts';
import type { WorkloadDeps } from './workload-deps.ts';

export interface ControllerManagerDeps extends WorkloadDeps, CacheDeps {
  /** The provisioners whose volumes are simulated; `SIMULATED_PROVISIONER` by default. */
  readonly provisioners?: readonly string[];
}

/** The controllers of kube-controller-manager. They share nothing but the caches. */
export function workloadControllers(deps: ControllerManagerDeps): readonly Controller[] {
  const resources = new ApiResources(deps);
  const controllers = [
    deploymentController(deps),
    replicaSetController(deps),
    statefulSetController(deps),
    daemonSetController(deps),
    jobController(deps),
    jobOrphanController(deps),
    disruptionBudgetController(deps, resources),
    ownerGcController({ ...deps, resources }),
    namespaceController(deps, resources),
    nodeTaintController(deps),
    nodeHealthController(deps),
    taintEvictionController(deps),
    podGcController(deps),
    volumeClaimController(deps),
    volumeController(deps),
    provisionerController(deps, deps.provisioners),
    volumeDeleterController(deps, deps.provisioners),
    volumeClaimProtectionController(deps),
    volumeProtectionController(deps),
  ];
  return controllers.map(sparingTerminatingNamespaces);
}
