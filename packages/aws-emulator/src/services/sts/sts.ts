import type {
  AssumeRoleRequest,
  AssumeRoleResponse,
  AssumeRoleWithWebIdentityRequest,
  AssumeRoleWithWebIdentityResponse,
  GetCallerIdentityResponse,
} from '@aws-sdk/client-sts';
import { SECOND } from '../../clock.ts';
import type { Credentials } from '../../state/credentials.ts';
import { Random, hashText } from '../../state/random.ts';
import { ApiError } from '../../wire/api-error.ts';
import type { Answer, Call } from '../../wire/operation.ts';
import { awsQueryProtocol } from '../../wire/query-protocol.ts';
import { readShapes } from '../../wire/shapes.ts';
import type { Service, ServiceDeps } from '../service.ts';
import { readWebIdentity } from './web-identity.ts';

const SHORTEST_SESSION = 900;
const LONGEST_SESSION = 43_200;
const USUAL_SESSION = 3600;

/**
 * Security tokens. It knows no trust policies: a session of any role can be had, in the account that the role's ARN
 * names. Tests that want a refusal inject one.
 */
export function stsService({ credentials }: ServiceDeps): Service {
  return {
    name: 'sts',
    permissions: () => [], // who has credentials may ask who they are; trust policies are not looked at
    protocol: awsQueryProtocol(readShapes('sts'), 'https://sts.amazonaws.com/doc/2011-06-15/'),
    handlers: {
      GetCallerIdentity: (_input: object, { accessKeyId, clock }: Call): Answer<GetCallerIdentityResponse> => {
        const { account, arn, userId } = credentials.callerOf(accessKeyId, clock.now());
        return { UserId: userId, Account: account, Arn: arn };
      },

      AssumeRole: (input: AssumeRoleRequest, { clock }: Call): Answer<AssumeRoleResponse> =>
        openSession(credentials, input, clock.now()),

      AssumeRoleWithWebIdentity: (
        input: AssumeRoleWithWebIdentityRequest,
        { clock }: Call,
      ): Answer<AssumeRoleWithWebIdentityResponse> => {
        const { subject, audience, issuer } = readWebIdentity(input.WebIdentityToken!, clock.now());
        return {
          ...openSession(credentials, input, clock.now()),
          SubjectFromWebIdentityToken: subject,
          Audience: audience,
          Provider: issuer,
        };
      },
    },
  };
}

const ROLE_ARN = /^arn:([\w-]+):iam::(\d{12}):role\/(?:[\u0021-\u007e]+\/)?([\w+=,.@-]{1,64})$/;
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;

function openSession(
  credentials: Credentials,
  { RoleArn = '', RoleSessionName = '', DurationSeconds = USUAL_SESSION }: AssumeRoleRequest,
  now: number,
): AssumeRoleResponse {
  const [, partition, account, role] = ROLE_ARN.exec(RoleArn) ?? [];
  if (account === undefined) throw new ApiError('ValidationError', `${RoleArn} is invalid`);
  if (!SESSION_NAME.test(RoleSessionName)) {
    throw invalid(RoleSessionName, 'roleSessionName', 'Member must satisfy regular expression pattern: [\\w+=,.@-]*');
  }
  if (DurationSeconds < SHORTEST_SESSION) {
    throw invalid(
      DurationSeconds,
      'durationSeconds',
      `Member must have value greater than or equal to ${SHORTEST_SESSION}`,
    );
  }
  if (DurationSeconds > LONGEST_SESSION) {
    throw invalid(
      DurationSeconds,
      'durationSeconds',
      `Member must have value less than or equal to ${LONGEST_SESSION}`,
    );
  }
  const arn = `arn:${partition}:sts::${account}:assumed-role/${role}/${RoleSessionName}`;
  const userId = `${roleIdOf(RoleArn)}:${RoleSessionName}`;
  const session = { account, arn, userId, now, duration: DurationSeconds * SECOND };
  return { Credentials: credentials.issue(session), AssumedRoleUser: { AssumedRoleId: userId, Arn: arn } };
}

/** Always the same for a role, as IAM's own ids are. */
function roleIdOf(roleArn: string): string {
  return `AROA${new Random(hashText(roleArn)).hex(17).toUpperCase()}`;
}

function invalid(value: string | number, member: string, rule: string): ApiError {
  return new ApiError(
    'ValidationError',
    `1 validation error detected: Value '${value}' at '${member}' failed to satisfy constraint: ${rule}`,
  );
}
