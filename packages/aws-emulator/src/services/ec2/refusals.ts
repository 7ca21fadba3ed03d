import { ApiError } from '../../wire/api-error.ts';

/** A refusal that concerns one override of a fleet, or a whole RunInstances. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** What EC2 answers to a dry run that would have succeeded. */
export function refuseDryRun({ DryRun }: { readonly DryRun?: boolean | undefined }): void {
  if (DryRun !== true) return;
  throw new ApiError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', { status: 412 });
}

export function invalidValue(message: string): ApiError {
  return new ApiError('InvalidParameterValue', message);
}

/** As EC2 says it of instances, subnets and the like: `The instance IDs 'i-1, i-2' do not exist`. */
export function missingIds(code: string, what: string, ids: readonly string[]): ApiError {
  const [noun, verb] = ids.length === 1 ? [what, 'does'] : [`${what}s`, 'do'];
  return new ApiError(code, `The ${noun} '${ids.join(', ')}' ${verb} not exist`);
}
