import type { ConfiguredProvider } from '@karpenter-ts/cloudprovider';
import { createOperator, operatorOptions } from '@karpenter-ts/core';
import { defaultsOf, type Logger, Metrics, type SteadyClock, type Transport } from '@karpenter-ts/runtime';

/** What one process of Karpenter is given. */
export interface OperatorDeps {
  readonly transport: Transport;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly provider: ConfiguredProvider;
  readonly random: () => number;
  readonly repairs: boolean;
  readonly elects: boolean;
  /** How many decisions are remembered, if not as many as usual. */
  readonly keptDecisions?: number;
}

/**
 * Runs the real operator, with default settings and no memory of any other, until aborted. Settles as its manager
 * does: it rejects when part of it fails, upon which a cluster would start it again.
 */
export async function runOperator(deps: OperatorDeps, signal: AbortSignal): Promise<void> {
  const { transport, clock, logger, provider, random, repairs, elects, keptDecisions } = deps;
  const options = defaultsOf(operatorOptions);
  const { manager } = await createOperator({
    options: {
      ...options,
      disableLeaderElection: !elects,
      leaderElectionNamespace: 'kube-system',
      featureGates: { ...options.featureGates, NodeRepair: repairs },
    },
    provider,
    transport,
    clock,
    logger,
    metrics: new Metrics(clock),
    build: { version: 'worlds', commit: '' },
    random,
    serves: false,
    ...(keptDecisions !== undefined && { keptDecisions }),
  });
  await manager.start(signal);
}
