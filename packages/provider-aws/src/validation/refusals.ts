import { errorText } from '@karpenter-ts/runtime';
import { findAwsError, isTransient, isUnauthorizedOperation, isUserDataTooLarge } from '../api/aws-error.ts';
import { lastingText } from '../api/lasting-text.ts';

/** What the validation of a NodeClass asks EC2 for. */
export type CheckedCall = 'CreateLaunchTemplate' | 'CreateFleet' | 'RunInstances';

/** What is wrong with a NodeClass, or with the permissions for it. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** What an error of EC2 means for a NodeClass. */
export type Judgement =
  /** Nothing: the question has to be asked again. `refusal` is what stays wrong if that does not help. */
  | { readonly kind: 'retry'; readonly refusal?: Refusal }
  /** EC2 refuses it until somebody changes something. `log` is the line that says so. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly log: string; readonly error: unknown }
  /** There is nothing to ask EC2 for. */
  | { readonly kind: 'impossible'; readonly refusal: Refusal }
  /** Nobody knows. Upstream only logs it (weakness 10); the condition shows it here. */
  | { readonly kind: 'unexpected'; readonly refusal: Refusal; readonly error: Error };

/** Upstream's reasons and words, which people look for. */
export const REFUSALS = {
  CreateLaunchTemplate: {
    reason: 'CreateLaunchTemplateAuthCheckFailed',
    message: "Controller isn't authorized to call ec2:CreateLaunchTemplate",
  },
  CreateFleet: {
    reason: 'CreateFleetAuthCheckFailed',
    message: "Controller isn't authorized to call ec2:CreateFleet",
  },
  RunInstances: {
    reason: 'RunInstancesAuthCheckFailed',
    message: "Controller isn't authorized to call ec2:RunInstances",
  },
  userDataSize: {
    reason: 'UserDataSizeLimitExceeded',
    message: 'ec2:CreateLaunchTemplate rejected the rendered user data as too large',
  },
} as const satisfies Readonly<Record<CheckedCall | 'userDataSize', Refusal>>;

/** The reason of a condition whose state cannot be told because of an error that EC2 should not give. */
export const UNEXPECTED_REASONS: Readonly<Record<CheckedCall, string>> = {
  CreateLaunchTemplate: 'CreateLaunchTemplateFailed',
  CreateFleet: 'CreateFleetDryRunFailed',
  RunInstances: 'RunInstancesDryRunFailed',
};

/** Judges an error that one of the calls has failed with (spec 08 §11). */
export function judge(call: CheckedCall, error: unknown): Judgement {
  if (isTransient(error)) return { kind: 'retry' };
  if (call === 'CreateLaunchTemplate' && isUserDataTooLarge(error)) {
    const { reason, message } = REFUSALS.userDataSize;
    return {
      kind: 'refused',
      refusal: { reason, message: `${message}: Rendered user data exceeds the EC2 user data size limit` },
      log: 'ec2:CreateLaunchTemplate rejected the rendered user data as exceeding the size limit',
      error,
    };
  }
  if (isUnauthorizedOperation(error)) {
    const { reason, message } = REFUSALS[call];
    const refusal = { reason, message: `${message}: ${denialText(findAwsError(error)!.detail)}` };
    return { kind: 'refused', refusal, log: `unauthorized to call ec2:${call}`, error };
  }
  const message = `validating ec2:${call} authorization, ${errorText(error)}`;
  return {
    kind: 'unexpected',
    refusal: { reason: UNEXPECTED_REASONS[call], message: lastingText(message) },
    error: new Error(message, { cause: error }),
  };
}

/** Which kind of policy denies it, as far as AWS says. */
const DENIALS: readonly (readonly [part: string, text: string])[] = [
  [
    'with an explicit deny in a permissions boundary',
    'User is not authorized to perform this operation due to a permission boundary',
  ],
  [
    'with an explicit deny in a service control policy',
    'User is not authorized to perform this operation due to a service control policy',
  ],
  ['Not authorized for images', 'User is not authorized for AMI used in instance launch'],
];

const NOT_ALLOWED = 'User is not authorized to perform this operation because no identity-based policy allows it';

function denialText(detail: string): string {
  return DENIALS.find(([part]) => detail.includes(part))?.[1] ?? NOT_ALLOWED;
}
