import { createOperator, operatorOptions } from '@karpenter-ts/core';
import type { Cluster } from '@karpenter-ts/embedded';
import { defaultsOf, type Logger, type Manager, Metrics, type SteadyClock } from '@karpenter-ts/runtime';
import { version } from '../version.ts';
import type { Cloud } from './cloud.ts';

export interface ControllerDeps {
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  readonly clock: SteadyClock;
  readonly logger: Logger;
}

/** Karpenter for the cluster of this process, with default settings; not started yet. */
export async function createController({ cluster, cloud, clock, logger }: ControllerDeps): Promise<Manager> {
  const { manager } = await createOperator({
    options: { ...defaultsOf(operatorOptions), disableLeaderElection: true }, // nobody else could lead
    provider: await cloud.provider(cluster),
    transport: cluster.transport,
    clock,
    logger,
    metrics: new Metrics(clock),
    build: { version: version(), commit: '' },
    serves: false,
  });
  return manager;
}
