/** What the condition `Launched` of a NodeClaim says of a failure. */
export interface FailureReason {
  readonly reason: string;
  readonly message: string;
}

/** What a text must contain. */
interface FailureClass extends FailureReason {
  readonly any: readonly string[];
  readonly also?: string;
}

/** Codes that AWS refuses an unauthorized call with. */
const REFUSED = ['UnauthorizedOperation', 'AccessDenied', 'AuthFailure'];

/** The first that fits counts, so quotas and lack of addresses come last (spec 07 §16.3). */
const CLASSES: readonly FailureClass[] = [
  {
    any: ['AuthFailure.ServiceLinkedRoleCreationNotPermitted'],
    reason: 'SpotSLRCreationFailed',
    message: 'User does not have sufficient permission to create the Spot ServiceLinkedRole to launch spot instances',
  },
  {
    any: REFUSED,
    also: 'with an explicit deny in a permissions boundary',
    reason: 'Unauthorized',
    message: 'User is not authorized to perform this operation due to a permission boundary',
  },
  {
    any: REFUSED,
    also: 'with an explicit deny in a service control policy',
    reason: 'Unauthorized',
    message: 'User is not authorized to perform this operation due to a service control policy',
  },
  {
    any: REFUSED,
    also: 'Not authorized for images',
    reason: 'AMIAuthorizationFailure',
    message: 'User is not authorized for AMI used in instance launch',
  },
  {
    any: REFUSED,
    reason: 'Unauthorized',
    message: 'User is not authorized to perform this operation because no identity-based policy allows it',
  },
  {
    any: ['InvalidParameter'],
    also: 'belong to different networks',
    reason: 'SecurityGroupSubnetVPCMismatch',
    message: 'Security groups and subnets must be in the same VPC.',
  },
  {
    any: ['iamInstanceProfile.name is invalid'],
    reason: 'InstanceProfileNameInvalid',
    message: 'Instance profile name used from EC2NodeClass status does not exist',
  },
  {
    any: ['InvalidLaunchTemplateId.NotFound'],
    reason: 'LaunchTemplateNotFound',
    message: "Launch template used for instance launch wasn't found",
  },
  {
    any: ['User data is limited to'],
    reason: 'UserDataSizeLimitExceeded',
    message: 'Rendered user data exceeds the EC2 user data size limit',
  },
  {
    any: ['InvalidAMIID.Malformed'],
    reason: 'InvalidAMIID',
    message: 'AMI used for instance launch is invalid',
  },
  {
    any: ['InvalidAMIID.NotFound'],
    reason: 'AMINotFound',
    message: "AMI used for instance launch either does not exist or you don't have permissions to use it",
  },
  { any: ['RequestLimitExceeded'], reason: 'RequestLimitExceeded', message: 'Request limit exceeded' },
  { any: ['InternalError'], reason: 'InternalError', message: 'An internal error has occurred' },
  {
    any: ['not eligible for Free Tier'],
    reason: 'FreeTierIneligible',
    message: 'The specified instance type is not eligible for Free Tier',
  },
  {
    any: ['MaxFleetCountExceeded'],
    reason: 'FleetQuotaExceeded',
    message: 'A fleet launch was requested but this would exceed your fleet request quota',
  },
  {
    any: ['PendingVerification'],
    reason: 'AccountPendingVerification',
    message:
      'An instance launch was requested but the request for launching resources in this region is still being verified',
  },
  {
    any: ['MaxSpotInstanceCountExceeded'],
    reason: 'SpotQuotaExceeded',
    message: 'A spot instance launch was requested but this would exceed your spot instance quota',
  },
  {
    any: ['VcpuLimitExceeded'],
    reason: 'VCPULimitExceeded',
    message: 'An instance was requested that would exceed your VCPU quota',
  },
  {
    any: ['InsufficientFreeAddressesInSubnet'],
    reason: 'InsufficientFreeAddressesInSubnet',
    message: 'There are not enough free IP addresses to launch an instance in this subnet',
  },
];

const UNKNOWN: FailureReason = { reason: 'LaunchFailed', message: 'Instance launch failed' };

/** Classifies a failure by its text, which has the code of AWS in it. */
export function classifyFailure(text: string): FailureReason {
  const found = CLASSES.find(
    ({ any, also }) => any.some((part) => text.includes(part)) && (also === undefined || text.includes(also)),
  );
  return found === undefined ? UNKNOWN : { reason: found.reason, message: found.message };
}
