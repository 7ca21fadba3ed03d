import type { Controller } from '@karpenter-ts/runtime';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { nodeMetricsController } from './node-controller.ts';
import { podMetricsController } from './pod-controller.ts';
import { poolMetricsController } from './pool-controller.ts';
import { statusControllers } from './status-controller.ts';

/** The controllers that only export metrics and events. They can be switched off in large clusters. */
export function observabilityControllers(core: ControllerDeps, cluster: ClusterModel): readonly Controller[] {
  return [
    podMetricsController(core, cluster.decisions),
    nodeMetricsController(core, cluster),
    poolMetricsController(core, cluster.prices),
    ...statusControllers(core),
  ];
}
