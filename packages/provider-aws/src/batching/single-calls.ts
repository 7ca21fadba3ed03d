import { findAwsError } from '../api/aws-error.ts';

/** How many calls for single instances are made at once after a call for many has failed. */
export const SINGLE_CALLS = 20;

/** What EC2 and the layers before it answer to too many requests. */
const THROTTLED: ReadonlySet<string> = new Set([
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'RequestThrottled',
  'RequestThrottledException',
  'TooManyRequestsException',
  'EC2ThrottledException',
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'SlowDown',
]);

/**
 * Whether a failure of a call for many instances may be due to a single one, so that the others succeed alone. It is not
 * when AWS is throttling or cannot be reached: calls for each would make that worse.
 */
export function failsAlone(error: unknown): boolean {
  const code = findAwsError(error)?.code;
  return code !== undefined && !THROTTLED.has(code);
}
