import type { Fault } from '@karpenter-ts/aws-emulator';
import { SECOND } from '@karpenter-ts/runtime';

/** How a request to AWS may fail. */
export type AwsFault =
  | 'throttle'
  | 'internal-error'
  /** It is refused, as if the policy of the controller's role had been changed. */
  | 'forbid'
  /** The connection breaks before the request is read. */
  | 'refuse'
  /** It is carried out, and the connection breaks before the answer. */
  | 'lose'
  /** It is carried out, and the answer breaks off in the middle. */
  | 'half-answer'
  /** It is carried out, and answered as if it had not been. */
  | 'deny'
  | 'slow';

export const AWS_FAULTS: readonly AwsFault[] = [
  'throttle',
  'throttle',
  'internal-error',
  'forbid',
  'refuse',
  'lose',
  'lose',
  'half-answer',
  'deny',
  'slow',
];

/** Which requests are broken: as often as they stand here. */
export const AWS_OPERATIONS = [
  'CreateFleet',
  'CreateFleet',
  'CreateFleet',
  'CreateFleet',
  'TerminateInstances',
  'TerminateInstances',
  'DescribeInstances',
  'DescribeInstances',
  'CreateLaunchTemplate',
  'CreateLaunchTemplate',
  'DescribeLaunchTemplates',
  'DeleteLaunchTemplate',
  'DeleteLaunchTemplate',
  'CreateTags',
  'DescribeSubnets',
  'DescribeSecurityGroups',
  'DescribeImages',
  'DescribeInstanceTypes',
  'DescribeInstanceTypeOfferings',
  'DescribeSpotPriceHistory',
  'DescribeInstanceStatus',
  'GetParameter',
  'GetQueueUrl',
  'ReceiveMessage',
  'ReceiveMessage',
  'DeleteMessage',
  'DeleteMessage',
  'GetInstanceProfile',
  'CreateInstanceProfile',
  'CreateInstanceProfile',
  'AddRoleToInstanceProfile',
  'RemoveRoleFromInstanceProfile',
  'DeleteInstanceProfile',
  'DeleteInstanceProfile',
  'ListInstanceProfiles',
] as const;

export type AwsOperation = (typeof AWS_OPERATIONS)[number];

/** As long as a client may wait for an answer. */
const DELAY = 20 * SECOND;
const IAM = /InstanceProfile/;
const SQS = /Message|QueueUrl/;

/** How the fault shows in a request of this operation. */
export function awsFaultOf(fault: AwsFault, operation: AwsOperation): Fault {
  switch (fault) {
    case 'throttle':
      return throttled(operation);
    case 'internal-error':
      return { kind: 'refuse', code: 'InternalError', message: 'An internal error has occurred', status: 500 };
    case 'forbid':
      return forbidden(operation);
    case 'refuse':
      return { kind: 'reset', when: 'before' };
    case 'lose':
      return { kind: 'reset', when: 'after' };
    case 'half-answer':
      return { kind: 'half-answer' };
    case 'deny':
      return { kind: 'refuse-after', code: 'InternalError', message: 'An internal error has occurred', status: 500 };
    case 'slow':
      return { kind: 'slow', delay: DELAY };
    default:
      return fault satisfies never;
  }
}

function throttled(operation: AwsOperation): Fault {
  if (IAM.test(operation) || SQS.test(operation) || operation === 'GetParameter') {
    return { kind: 'refuse', code: 'ThrottlingException', message: 'Rate exceeded', status: 400 };
  }
  return { kind: 'refuse', code: 'RequestLimitExceeded', message: 'Request limit exceeded.', status: 503 };
}

/** Each kind of service has its own word for it. */
function forbidden(operation: AwsOperation): Fault {
  const message = 'You are not authorized to perform this operation.';
  const isEc2 = !IAM.test(operation) && !SQS.test(operation) && operation !== 'GetParameter';
  const code = isEc2 ? 'UnauthorizedOperation' : IAM.test(operation) ? 'AccessDenied' : 'AccessDeniedException';
  return { kind: 'refuse', code, message, status: isEc2 || IAM.test(operation) ? 403 : 400 };
}
