import type { Fields } from '@karpenter-ts/runtime';
import { AwsError, awsErrorValues } from '../api/aws-error.ts';

/** Which call of which service failed, with the SDK's names. */
export interface CallName {
  readonly service: string;
  readonly operation: string;
}

/** What the SDK's exceptions have, those of services and others. */
interface SdkException extends Error {
  readonly $fault?: 'client' | 'server';
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  /** What the service wrote. The SDK's classes have names of their own for some. */
  readonly Code?: string;
  readonly RequestId?: string;
  readonly RequestID?: string;
}

/**
 * What a caller gets for an exception of the SDK: an AwsError if a service answered with an error, and otherwise an
 * error that says which call failed and why, with the same fields for the log.
 */
export function toCallError(error: unknown, { service, operation }: CallName): Error {
  if (!(error instanceof Error)) return new Error(`operation error ${service}: ${operation}, ${String(error)}`);
  const exception: SdkException = error;
  const statusCode = exception.$metadata?.httpStatusCode;
  const requestId = exception.$metadata?.requestId ?? exception.RequestId ?? exception.RequestID;
  const parts = { service, operation, statusCode, requestId };
  if (exception.$fault !== undefined) {
    const fault = statusCode !== undefined && statusCode >= 500 ? 'server' : exception.$fault;
    return new AwsError(codeOf(exception), exception.message, { ...parts, fault });
  }
  return new CallError(`operation error ${service}: ${operation}, ${reasonOf(exception)}`, parts, error);
}

/** The SDK puts `Exception` behind the codes of IAM and STS: NoSuchEntity is a NoSuchEntityException there. */
function codeOf({ name, Code }: SdkException): string {
  return Code !== undefined && name === `${Code}Exception` ? Code : name;
}

/** A call that got no answer, or one that could not be read. */
class CallError extends Error {
  override readonly name = 'CallError';
  readonly values: Fields;

  constructor(message: string, parts: Parameters<typeof awsErrorValues>[0], cause: Error) {
    super(message, { cause });
    this.values = awsErrorValues(parts);
  }
}

/** The text of the exception, without the SDK's hints for programmers. An error of many attempts to connect has none. */
function reasonOf(exception: SdkException): string {
  const [line = ''] = exception.message.split('\n');
  if (exception.$metadata?.httpStatusCode !== undefined) return `reading the answer failed, ${line}`;
  if (line !== '') return line;
  return exception instanceof AggregateError
    ? exception.errors.map((one: Error) => one.message).join('; ')
    : exception.name;
}
