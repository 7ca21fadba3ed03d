import {
  defineCounter,
  defineHistogram,
  DURATION_BUCKETS,
  errorText,
  type Logger,
  type Metrics,
  SECOND,
} from '@karpenter-ts/runtime';
import { type HandleDeps, handleMessage } from './handle-message.ts';
import { type InterruptionMessage, parseMessage } from './parse-message.ts';

export const receivedMessages = defineCounter(
  'karpenter_interruption_received_messages_total',
  ['message_type'],
  'Count of messages received from the SQS queue. Broken down by message type and whether the message was actionable.',
);

export const queueSeconds = defineHistogram(
  'karpenter_interruption_message_queue_duration_seconds',
  [],
  'Amount of time an interruption message is on the queue before it is processed by karpenter.',
  DURATION_BUCKETS,
);

export interface ProcessDeps extends HandleDeps {
  readonly metrics: Metrics;
}

/**
 * Acts on one message of the queue; `body` is undefined for a message without one. Resolves when the message is done with
 * and should be deleted, as one that cannot be read. Rejects if it should come again.
 */
export async function processMessage(
  body: string | undefined,
  { logger, ...deps }: ProcessDeps & { readonly logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  const message = findMessage(body, logger);
  if (message === undefined) return;
  deps.metrics.increment(receivedMessages, { message_type: message.kind });
  try {
    await handleMessage(message, { ...deps, logger }, signal);
  } catch (cause) {
    throw new Error(`handling message, ${errorText(cause)}`, { cause });
  }
  // A message that is not for us may have no time, and upstream then observes two thousand years.
  const { kind, startTime } = message;
  const startedAt = Date.parse(startTime ?? '');
  if (kind === 'no_op' || Number.isNaN(startedAt)) return;
  deps.metrics.observe(queueSeconds, {}, (deps.clock.now() - startedAt) / SECOND);
}

function findMessage(body: string | undefined, logger: Logger): InterruptionMessage | undefined {
  try {
    if (body === undefined) throw new Error('message or message body is nil');
    return parseMessage(body);
  } catch (cause) {
    const prefix = body === undefined ? '' : 'parsing sqs message, ';
    logger.error('failed parsing interruption message', new Error(`${prefix}${errorText(cause)}`, { cause }));
    return undefined;
  }
}
