import type { TerminateInstancesCommandInput, TerminateInstancesCommandOutput } from '@aws-sdk/client-ec2';
import { type Logger, runParallel, SECOND } from '@karpenter-ts/runtime';
import type { AwsCall } from '../api/aws-apis.ts';
import { Batcher, type BatcherDeps, type Outcome } from './batcher.ts';
import { failsAlone, SINGLE_CALLS } from './single-calls.ts';

type TerminateInstances = AwsCall<TerminateInstancesCommandInput, TerminateInstancesCommandOutput>;

export interface TerminateInstancesDeps extends BatcherDeps {
  readonly logger: Logger;
  readonly terminateInstances: TerminateInstances;
}

const TERMINATING: ReadonlySet<string> = new Set(['shutting-down', 'terminated']);

/** Terminations of single instances become one call. */
export class TerminateInstancesBatcher {
  readonly #batcher: Batcher<string, void>;

  constructor(deps: TerminateInstancesDeps) {
    this.#batcher = new Batcher(
      {
        name: 'terminate_instances',
        idle: 100,
        max: 1 * SECOND,
        maxItems: 500,
        bucketOf: () => '',
        execute: (ids, signal) => terminate(ids, deps, signal),
      },
      deps,
    );
  }

  /** Resolves once EC2 has begun to terminate the instance. */
  terminate(id: string, signal: AbortSignal): Promise<void> {
    return this.#batcher.add(id, signal);
  }
}

async function terminate(
  ids: readonly string[],
  { terminateInstances, logger }: TerminateInstancesDeps,
  signal: AbortSignal,
): Promise<readonly Outcome<void>[]> {
  const wanted = [...new Set(ids)];
  const outcomes = new Map<string, Outcome<void>>();
  const single = async (id: string): Promise<void> => {
    outcomes.set(
      id,
      await terminateInstances({ InstanceIds: [id] }, signal).then(
        () => ({ output: undefined }),
        (error: unknown) => ({ error }),
      ),
    );
  };
  if (wanted.length === 1) {
    await single(wanted[0]!);
  } else {
    const failure = await terminateTogether(wanted, outcomes, terminateInstances, signal);
    // Nobody waits for a call that was abandoned, as at the end of the process: that it ended is no failure.
    if (failure !== undefined && !signal.aborted) logger.error('failed terminating instances', failure);
    const missing = wanted.filter((id) => !outcomes.has(id));
    if (failure !== undefined && !failsAlone(failure)) for (const id of missing) outcomes.set(id, { error: failure });
    else await runParallel(missing, SINGLE_CALLS, single);
  }
  return ids.map((id) => outcomes.get(id)!);
}

/** Enters the instances that are terminating. Returns the failure of the call. */
async function terminateTogether(
  ids: readonly string[],
  outcomes: Map<string, Outcome<void>>,
  call: TerminateInstances,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const { TerminatingInstances } = await call({ InstanceIds: [...ids] }, signal);
    for (const { InstanceId, CurrentState } of TerminatingInstances ?? []) {
      if (TERMINATING.has(CurrentState?.Name ?? '')) outcomes.set(InstanceId ?? '', { output: undefined });
    }
    return undefined;
  } catch (error) {
    return error;
  }
}
