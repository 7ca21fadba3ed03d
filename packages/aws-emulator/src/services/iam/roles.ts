import type {
  CreateRoleRequest,
  CreateRoleResponse,
  DeleteRoleRequest,
  GetRoleRequest,
  GetRoleResponse,
} from '@aws-sdk/client-iam';
import { HOUR, SECOND } from '../../clock.ts';
import { partitionOf } from '../../state/place.ts';
import type { Call, Handlers } from '../../wire/operation.ts';
import {
  alreadyExists,
  checkName,
  checkPath,
  checkTags,
  checkTrustPolicy,
  deleteConflict,
  noSuchRole,
} from './iam-checks.ts';
import { type IamAccount, type RoleRecord, roleOf } from './iam-state.ts';

const LONGEST_NAME = 64;
const USUAL_SESSION = HOUR / SECOND;

/** One without tags, with IAM's own defaults. */
export function newRole(
  { name, path, id, trustPolicy }: Pick<RoleRecord, 'name' | 'path' | 'id' | 'trustPolicy'>,
  { place, clock }: Pick<Call, 'place' | 'clock'>,
): RoleRecord {
  const arn = `arn:${partitionOf(place.region)}:iam::${place.account}:role${path}${name}`;
  const createdAt = new Date(clock.now());
  return {
    name,
    path,
    id,
    arn,
    createdAt,
    trustPolicy,
    description: undefined,
    longestSession: USUAL_SESSION,
    tags: [],
  };
}

export function roleHandlers(accountOf: (id: string) => IamAccount, idOf: (prefix: string) => string): Handlers {
  return {
    CreateRole: (input: CreateRoleRequest, { place, clock }: Call): CreateRoleResponse => {
      const {
        RoleName: name = '',
        AssumeRolePolicyDocument: trustPolicy = '',
        Path: path = '/',
        Tags: tags = [],
      } = input;
      checkName(name, 'roleName', LONGEST_NAME);
      checkPath(path);
      checkTags(tags);
      checkTrustPolicy(trustPolicy);
      const { roles } = accountOf(place.account);
      if (roles.latest(name) !== undefined) throw alreadyExists(`Role with name ${name}`);
      const role = {
        ...newRole({ name, path, id: idOf('AROA'), trustPolicy }, { place, clock }),
        description: input.Description,
        longestSession: input.MaxSessionDuration ?? USUAL_SESSION,
        tags,
      };
      roles.set(name, role);
      return { Role: roleOf(role) };
    },

    GetRole: ({ RoleName: name = '' }: GetRoleRequest, { place }: Call): GetRoleResponse => {
      const { roles, readDelay } = accountOf(place.account);
      const role = roles.seen(name, readDelay);
      if (role === undefined) throw noSuchRole(name);
      return { Role: roleOf(role) };
    },

    DeleteRole: ({ RoleName: name = '' }: DeleteRoleRequest, { place }: Call): object => {
      const { roles, profiles } = accountOf(place.account);
      if (roles.latest(name) === undefined) throw noSuchRole(name);
      for (const { role } of profiles.allLatest()) if (role === name) throw deleteConflict();
      roles.delete(name);
      return {};
    },
  };
}
