import { ApiError } from '../../wire/api-error.ts';

/** SQS names its errors twice: as its JSON protocol does, and as its query protocol did. */
export function refusal(code: string, message: string, queryCode = code): ApiError {
  return new ApiError(`com.amazonaws.sqs#${code}`, message, { queryCode });
}

export function noSuchQueue(): ApiError {
  const queryCode = 'AWS.SimpleQueueService.NonExistentQueue';
  return refusal('QueueDoesNotExist', 'The specified queue does not exist.', queryCode);
}

export function queueExists(): ApiError {
  const message = 'A queue already exists with the same name and a different value for attributes.';
  return refusal('QueueNameExists', message, 'QueueAlreadyExists');
}

export function deletedRecently(): ApiError {
  const message = 'You must wait 60 seconds after deleting a queue before you can create another with the same name.';
  return refusal('QueueDeletedRecently', message, 'AWS.SimpleQueueService.QueueDeletedRecently');
}

const QUEUE_NAME = /^[\w-]{1,80}$/;

export function checkQueueName(name: string): void {
  if (QUEUE_NAME.test(name)) return;
  const message = 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length';
  throw refusal('InvalidParameterValue', message);
}

export function checkRange(parameter: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const reason = `Must be between ${least} and ${most}, if provided.`;
  throw refusal('InvalidParameterValue', `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`);
}
