import { createOperator } from '@karpenter-ts/core';
import type { Cluster } from '@karpenter-ts/embedded';
import {
  type CoreOptions,
  coreOptions,
  type Logger,
  type Manager,
  Metrics,
  parseOptions,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import { kwokModule } from '../controller/kwok-module.ts';
import { version } from '../version.ts';

/** Karpenter for the cluster of this process, with EC2's instance types and upstream's defaults; not started yet. */
export async function createController(cluster: Cluster, clock: SteadyClock, logger: Logger): Promise<Manager> {
  return await createOperator({
    options: { ...defaultOptions(), disableLeaderElection: true }, // nobody else could lead
    providerModule: kwokModule({ catalogue: 'ec2', instanceTypesFilePath: '' }),
    transport: cluster.transport,
    clock,
    logger,
    metrics: new Metrics(clock),
    build: { version: version(), commit: '' },
    serves: false,
  });
}

function defaultOptions(): CoreOptions {
  const parsed = parseOptions({ core: { rows: coreOptions } }, [], {});
  if (parsed.kind !== 'parsed') throw new Error('the defaults do not hold');
  return parsed.options.core;
}
