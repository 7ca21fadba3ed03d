import {
  ChangeMonitor,
  type Controller,
  errorText,
  type Logger,
  singleton,
  SINGLETON_RETRIES,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import type { SqsApi } from '../api/aws-apis.ts';
import { drainQueue } from '../interruption/drain-queue.ts';
import { InterruptionQueue, VISIBILITY_TIMEOUT } from '../interruption/interruption-queue.ts';
import { type ProcessDeps, processMessage } from '../interruption/process-message.ts';

export interface InterruptionDeps extends ProcessDeps {
  readonly sqs: SqsApi;
  readonly clock: SteadyClock;
  readonly queueName: string;
}

/**
 * A warning is of use for two minutes, so a queue that could not be read is not left alone for longer than a message that
 * was received. Upstream waits up to 17 minutes.
 */
const RETRIES = { ...SINGLETON_RETRIES, backOff: { ...SINGLETON_RETRIES.backOff, cap: VISIBILITY_TIMEOUT } };

/** Acts on what the interruption queue says of instances (spec 08 §18). */
export function interruptionController({ sqs, queueName, ...deps }: InterruptionDeps): Controller {
  const changes = new ChangeMonitor(deps.clock);
  let queue: InterruptionQueue | undefined;
  const reconcile = async (signal: AbortSignal, logger: Logger) => {
    queue ??= await findQueue({ sqs, queueName, logger }, signal);
    const { name } = queue;
    const ofQueue = logger.with({ queue: name });
    if (changes.hasChanged(name, null)) ofQueue.debug('watching interruption queue');
    const process = (body: string | undefined, handling: AbortSignal) =>
      processMessage(body, { ...deps, logger: ofQueue }, handling);
    await drainQueue({ ...deps, queue, process }, signal);
    return { requeueAfter: 0 };
  };
  return { ...singleton('interruption', reconcile), retries: RETRIES };
}

/** It may be created later than the controller starts. */
async function findQueue(
  { sqs, queueName, logger }: Pick<InterruptionDeps, 'sqs' | 'queueName'> & { readonly logger: Logger },
  signal: AbortSignal,
): Promise<InterruptionQueue> {
  try {
    return await InterruptionQueue.find(sqs, queueName, signal);
  } catch (cause) {
    if (!signal.aborted) logger.error('failed to create valid sqs provider', cause);
    throw new Error(`creating sqs provider, ${errorText(cause)}`, { cause });
  }
}
