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
import { type IamAccount, roleOf } from './iam-state.ts';

const LONGEST_NAME = 64;

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
        name,
        path,
        id: idOf('AROA'),
        arn: `arn:${partitionOf(place.region)}:iam::${place.account}:role${path}${name}`,
        createdAt: new Date(clock.now()),
        trustPolicy,
        description: input.Description,
        longestSession: input.MaxSessionDuration ?? HOUR / SECOND,
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
