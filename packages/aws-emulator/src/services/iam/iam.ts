import { awsQueryProtocol } from '../../wire/query-protocol.ts';
import { readShapes } from '../../wire/shapes.ts';
import type { Service, ServiceDeps } from '../service.ts';
import { IamAccount, LONGEST_DELAY, type ProfileRecord } from './iam-state.ts';
import { newProfile, profileHandlers } from './instance-profiles.ts';
import { roleHandlers } from './roles.ts';

/** What tests set of IAM, which has no call for it. */
export interface IamLevers {
  /** An instance profile without a role, which EC2 learns of as late as of any other. */
  addInstanceProfile(name: string): void;
  /** How many instance profiles an account may have; 1,000 unless set. */
  setProfileQuota(most: number): void;
  /** How long IAM itself, and EC2, take to learn of a change, in milliseconds; half a second and five unless set. */
  setDelays(delays: { readonly reads?: number; readonly ec2?: number }): void;
}

/** The instance profiles as EC2 knows them: it learns of changes late. */
export interface InstanceProfiles {
  /** By name or by ARN. */
  find(account: string, nameOrArn: string): ProfileRecord | undefined;
}

export interface Iam {
  readonly service: Service;
  readonly levers: IamLevers;
  readonly profilesOfEc2: InstanceProfiles;
}

/** Roles and instance profiles. Permissions are not looked at: whoever calls may do everything. */
export function createIam({ clock, random, place }: ServiceDeps): Iam {
  const accounts = new Map<string, IamAccount>();
  const accountOf = (id: string): IamAccount => {
    let account = accounts.get(id);
    if (account === undefined) accounts.set(id, (account = new IamAccount(() => clock.now())));
    return account;
  };
  const idOf = (prefix: string): string => `${prefix}${random.hex(17).toUpperCase()}`;
  const own = accountOf(place.account);
  return {
    service: {
      name: 'iam',
      protocol: awsQueryProtocol(readShapes('iam'), 'https://iam.amazonaws.com/doc/2010-05-08/'),
      handlers: { ...roleHandlers(accountOf, idOf), ...profileHandlers(accountOf, idOf) },
    },
    levers: {
      addInstanceProfile: (name) => {
        own.profiles.set(name, newProfile({ name, path: '/', id: idOf('AIPA'), tags: [] }, { place, clock }));
      },
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
      find: (account, nameOrArn) => {
        const { profiles, ec2Delay } = accountOf(account);
        const name = nameOrArn.slice(nameOrArn.lastIndexOf('/') + 1);
        const profile = profiles.seen(name, ec2Delay);
        return nameOrArn === profile?.name || nameOrArn === profile?.arn ? profile : undefined;
      },
    },
  };
}
