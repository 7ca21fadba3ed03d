import { ApiError } from './api-error.ts';

/** AWS' words for a call that there is not, and why there may be none of a name that AWS knows. */
export function unknownAction(operation: string): ApiError {
  const why = 'This emulator of AWS has the calls that Karpenter makes, and few others.';
  return new ApiError('InvalidAction', `The action ${operation} is not valid for this web service. ${why}`);
}
