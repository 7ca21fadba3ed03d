import { meteredProvider } from '@karpenter-ts/cloudprovider';
import type { Controller } from '@karpenter-ts/runtime';
import { LastPlan } from '../planning/last-plan.ts';
import { ClusterModel } from '../state/cluster-model.ts';
import { DecisionRing } from '../state/decision-ring.ts';
import { nodeClaimGcController } from '../state/nodeclaim-gc.ts';
import { pricingController } from '../state/pricing-controller.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { consistencyController } from '../nodeclaim/consistency/controller.ts';
import type { NodeClaimDeletions } from '../nodeclaim/deletions.ts';
import { disruptionConditionsController } from '../nodeclaim/disruption-conditions/controller.ts';
import { expirationController } from '../nodeclaim/expiration.ts';
import { garbageCollectionController } from '../nodeclaim/garbage-collection.ts';
import { nodeClaimHydrationController, nodeHydrationController } from '../nodeclaim/hydration.ts';
import { lifecycleController } from '../nodeclaim/lifecycle/controller.ts';
import { podEventsController } from '../nodeclaim/pod-events.ts';
import { counterController } from '../nodepool/counter.ts';
import { extensionsController } from '../nodepool/extensions.ts';
import { hashController } from '../nodepool/hash.ts';
import { readinessController } from '../nodepool/readiness.ts';
import { registrationHealthController } from '../nodepool/registration-health.ts';
import { NodePoolHealth } from '../state/nodepool-health.ts';
import { validationController } from '../nodepool/validation.ts';
import { observabilityControllers } from '../observability/controllers.ts';
import { nodeClassStatusControllers } from '../observability/status-controller.ts';
import { PodDisruptionBudgets } from '../pods/disruption-budgets.ts';
import { disruptionControllers } from '../disruption/controller.ts';
import { LastPass } from '../disruption/reports/last-pass.ts';
import { provisioningControllers } from '../provisioning/controllers.ts';
import { LaunchState } from '../provisioning/launch-state.ts';
import { type ReadModel, readModelOf } from './read-model.ts';
import { nodeHealth } from '../node-health/node-health.ts';
import { EvictionQueue } from '../node-termination/eviction-queue.ts';
import { drainStuckController } from '../node-termination/drain-stuck.ts';
import { nodeTermination } from '../node-termination/node-termination.ts';

export interface ControllersAndReadModel {
  readonly controllers: readonly Controller[];
  readonly readModel: ReadModel;
}

/** What the controllers need besides the dependencies of each. */
export interface SharedParts {
  readonly random: () => number;
  /** The provider deletes NodeClaims too. */
  readonly deletions: NodeClaimDeletions;
  /** Of the ring of decisions, if not as usual. */
  readonly size?: number | undefined;
}

/** All controllers, and what can be read of what they share. Each follows the caches and knows of no other. */
export function createControllers(
  core: ControllerDeps,
  { random, deletions, size }: SharedParts,
): ControllersAndReadModel {
  const { options, provider } = core;
  const cluster = new ClusterModel(core);
  const lastPlan = new LastPlan();
  const decisions = new DecisionRing({ clock: core.clock, random, ...(size !== undefined && { size }) });
  const launchState = new LaunchState({ ...core, cluster });
  const nodePoolHealth = new NodePoolHealth(core.caches);
  const podDisruptionBudgets = new PodDisruptionBudgets(core.caches);
  const queue = new EvictionQueue(core);
  const repairs = options.featureGates.NodeRepair && provider.repairPolicies.length > 0;
  /** The dependencies of a controller that calls the provider: its calls are measured under its name. */
  const as = (controller: string): ControllerDeps => ({
    ...core,
    provider: meteredProvider(provider, { ...core, controller }),
  });
  const provisioning = {
    ...as('provisioner'),
    cluster,
    launchState,
    podDisruptionBudgets,
    lastPlan,
    decisions,
    random,
  };
  const lastPass = new LastPass();
  const disruption = {
    ...as('disruption'),
    cluster,
    launchState,
    podDisruptionBudgets,
    deletions,
    decisions,
    lastPass,
    random,
  };
  const controllers = [
    ...provisioningControllers(provisioning),
    ...disruptionControllers(disruption),
    nodeClaimGcController(core, cluster),
    pricingController(as('state.pricing'), cluster.prices),
    lifecycleController({ ...as('nodeclaim.lifecycle'), deletions, nodePoolHealth }),
    disruptionConditionsController(as('nodeclaim.disruption')),
    consistencyController(core),
    expirationController({ ...core, deletions }),
    garbageCollectionController({ ...as('nodeclaim.garbagecollection'), deletions }),
    nodeClaimHydrationController(core),
    podEventsController(core),
    nodeHydrationController(core),
    queue.controller,
    nodeTermination(as('node.termination'), queue),
    drainStuckController({ ...core, podDisruptionBudgets }),
    ...(repairs ? [nodeHealth(core, deletions)] : []),
    counterController(core, cluster),
    extensionsController(core),
    hashController(core),
    readinessController(core),
    registrationHealthController({ ...core, nodePoolHealth }),
    validationController(core),
    ...nodeClassStatusControllers(core),
    ...(options.disableClusterStateObservability ? [] : observabilityControllers(core, cluster)),
  ];
  return { controllers, readModel: readModelOf({ cluster, lastPlan, lastPass, decisions }) };
}
