import { goQuote } from '@karpenter-ts/kubernetes';
import { type ExtensionAnnotation, problem, type Reading, value } from './extension-annotation.ts';
import { findDuration, readPercentage } from './extension-values.ts';

/** On a NodeClaim: when it expired, as RFC 3339 (spec 09 B2). */
export const EXPIRED_AT = 'karpenter-ts.dev/expired-at';

/** Whether a NodeClaim that has expired is deleted at once, or replaced within budgets and windows. */
export type ExpirationPolicy = 'Forceful' | 'Graceful';

/** How long a NodeClaim may stay after it has expired, in milliseconds, where the pool says nothing. */
export const DEFAULT_EXPIRATION_DEADLINE = 168 * 60 * 60 * 1000;

export const EXPIRATION_POLICY: ExtensionAnnotation<ExpirationPolicy> = {
  key: 'karpenter-ts.dev/expiration-policy',
  extension: 'B2',
  read: readPolicy,
  instead: { value: 'Graceful', text: 'Graceful is used' },
};

/** In milliseconds; `None` if the NodeClaim may stay for ever. */
export const EXPIRATION_DEADLINE: ExtensionAnnotation<number | 'None'> = {
  key: 'karpenter-ts.dev/expiration-deadline',
  extension: 'B2',
  read: readDeadline,
  instead: { value: DEFAULT_EXPIRATION_DEADLINE, text: '168h is used' },
};

/** By what part of its lifetime a NodeClaim may expire early. */
export const EXPIRATION_JITTER: ExtensionAnnotation<number> = {
  key: 'karpenter-ts.dev/expiration-jitter',
  extension: 'B2',
  read: (text) => readPercentage(text),
  instead: { value: 0, text: '0% is used' },
};

function readPolicy(text: string): Reading<ExpirationPolicy> {
  const policy = findExpirationPolicy(text);
  return policy === undefined ? problem(`${goQuote(text)} is neither Graceful nor Forceful`) : value(policy);
}

/** Undefined if the text is none. */
export function findExpirationPolicy(text: string): ExpirationPolicy | undefined {
  return text === 'Graceful' || text === 'Forceful' ? text : undefined;
}

function readDeadline(text: string): Reading<number | 'None'> {
  const duration = findDuration(text);
  if (duration === undefined) return problem(`${goQuote(text)} is not a duration such as 168h, or 0s for none`);
  return value(duration === 0 ? 'None' : duration);
}
