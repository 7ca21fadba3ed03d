import { awsQueryProtocol } from '../../wire/query-protocol.ts';
import { readShapes } from '../../wire/shapes.ts';
import type { Service, ServiceDeps } from '../service.ts';
import { IamAccount, LONGEST_DELAY, type ProfileRecord } from './iam-state.ts';
import { iamPermissions } from './iam-permissions.ts';
import { newProfile, profileHandlers } from './instance-profiles.ts';
import { newRole, roleHandlers } from './roles.ts';

/** What tests set of IAM, which has no call for it. */
export interface IamLevers {
  /** A role that EC2 may take. */
  addRole(name: string, parts?: { readonly path?: string }): void;
  /** Without its profiles, which a role that IAM deletes may not have. */
  removeRole(name: string): void;
  /** An instance profile, which EC2 learns of as late as of any other; without a role and at `/` unless said otherwise. */
  addInstanceProfile(name: string, parts?: { readonly path?: string; readonly role?: string }): void;
  /** The instance profiles as they are, be it that IAM does not tell of them yet. */
  instanceProfiles(): readonly ProfileRecord[];
  /** How many instance profiles an account may have; 1,000 unless set. */
  setProfileQuota(most: number): void;
  /** How long IAM itself, and EC2, take to learn of a change, in milliseconds; half a second and five unless set. */
  setDelays(delays: { readonly reads?: number; readonly ec2?: number }): void;
}

const EC2_TRUST = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
});

/** The instance profiles as EC2 knows them: it learns of changes late. */
export interface InstanceProfiles {
  /** By name or by ARN. */
  find(account: string, nameOrArn: string): ProfileRecord | undefined;
  /** The ARN of its role. */
  findRoleArn(account: string, nameOrArn: string): string | undefined;
}

export interface Iam {
  readonly service: Service;
  readonly levers: IamLevers;
  readonly profilesOfEc2: InstanceProfiles;
}

/** Roles and instance profiles. */
export function createIam({ clock, random, place }: ServiceDeps): Iam {
  const accounts = new Map<string, IamAccount>();
  const accountOf = (id: string): IamAccount => {
    let account = accounts.get(id);
    if (account === undefined) accounts.set(id, (account = new IamAccount(() => clock.now())));
    return account;
  };
  const idOf = (prefix: string): string => `${prefix}${random.hex(17).toUpperCase()}`;
  const own = accountOf(place.account);
  const find = (account: string, nameOrArn: string): ProfileRecord | undefined => {
    const { profiles, ec2Delay } = accountOf(account);
    const name = nameOrArn.slice(nameOrArn.lastIndexOf('/') + 1);
    const profile = profiles.seen(name, ec2Delay);
    return nameOrArn === profile?.name || nameOrArn === profile?.arn ? profile : undefined;
  };
  return {
    service: {
      name: 'iam',
      protocol: awsQueryProtocol(readShapes('iam'), 'https://iam.amazonaws.com/doc/2010-05-08/'),
      handlers: { ...roleHandlers(accountOf, idOf), ...profileHandlers(accountOf, idOf) },
      permissions: (operation, input, place) => iamPermissions(accountOf(place.account), operation, input, place),
    },
    levers: {
      addRole: (name, { path = '/' } = {}) => {
        own.roles.set(name, newRole({ name, path, id: idOf('AROA'), trustPolicy: EC2_TRUST }, { place, clock }));
      },
      removeRole: (name) => {
        for (const profile of own.profiles.allLatest()) {
          if (profile.role === name) own.profiles.set(profile.name, { ...profile, role: undefined });
        }
        own.roles.delete(name);
      },
      addInstanceProfile: (name, { path = '/', role } = {}) => {
        const profile = newProfile({ name, path, id: idOf('AIPA'), tags: [] }, { place, clock });
        own.profiles.set(name, { ...profile, role });
      },
      instanceProfiles: () => [...own.profiles.allLatest()],
      setProfileQuota: (most) => {
        own.mostProfiles = most;
      },
      setDelays: ({ reads = own.readDelay, ec2 = own.ec2Delay }) => {
        if (Math.max(reads, ec2) > LONGEST_DELAY) throw new RangeError(`delays are at most ${LONGEST_DELAY} ms`);
        own.readDelay = reads;
        own.ec2Delay = ec2;
      },
    },
    profilesOfEc2: {
      find,
      findRoleArn: (account, nameOrArn) => {
        const role = find(account, nameOrArn)?.role;
        return role === undefined ? undefined : accountOf(account).roles.latest(role)?.arn;
      },
    },
  };
}
