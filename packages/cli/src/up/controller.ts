import { createOperator, operatorOptions } from '@karpenter-ts/core';
import type { Cluster } from '@karpenter-ts/embedded';
import { kwokModule } from '@karpenter-ts/provider-kwok';
import { defaultsOf, type Logger, type Manager, Metrics, type SteadyClock } from '@karpenter-ts/runtime';
import { version } from '../version.ts';

/** Karpenter for the cluster of this process, with EC2's instance types and default settings; not started yet. */
export async function createController(cluster: Cluster, clock: SteadyClock, logger: Logger): Promise<Manager> {
  const { manager } = await createOperator({
    options: { ...defaultsOf(operatorOptions), disableLeaderElection: true }, // nobody else could lead
    provider: kwokModule.configure({ catalogue: 'ec2', instanceTypesFilePath: '' }),
    transport: cluster.transport,
    clock,
    logger,
    metrics: new Metrics(clock),
    build: { version: version(), commit: '' },
    serves: false,
  });
  return manager;
}
