import type { InstanceProfile, Role, Tag } from '@aws-sdk/client-iam';
import { MINUTE, SECOND } from '../../clock.ts';
import { PropagatedMap } from '../../state/propagated-map.ts';

export interface RoleRecord {
  readonly name: string;
  readonly path: string;
  readonly id: string;
  readonly arn: string;
  readonly createdAt: Date;
  readonly trustPolicy: string;
  readonly description: string | undefined;
  readonly longestSession: number;
  readonly tags: readonly Tag[];
}

export interface ProfileRecord {
  readonly name: string;
  readonly path: string;
  readonly id: string;
  readonly arn: string;
  readonly createdAt: Date;
  /** The name of its role, if it has one. */
  readonly role: string | undefined;
  readonly tags: readonly Tag[];
}

/** Later than this nobody learns of a change. */
export const LONGEST_DELAY = 5 * MINUTE;

/** What IAM has of one account: it is the same in all regions. */
export class IamAccount {
  readonly roles: PropagatedMap<RoleRecord>;
  readonly profiles: PropagatedMap<ProfileRecord>;
  mostProfiles = 1000;
  /** After how long IAM itself tells of a change. */
  readDelay = 500;
  /** After how long EC2 knows of it. */
  ec2Delay = 5 * SECOND;

  constructor(now: () => number) {
    this.roles = new PropagatedMap(now, LONGEST_DELAY);
    this.profiles = new PropagatedMap(now, LONGEST_DELAY);
  }
}

export function roleOf(role: RoleRecord): Role {
  return {
    Path: role.path,
    RoleName: role.name,
    RoleId: role.id,
    Arn: role.arn,
    CreateDate: role.createdAt,
    AssumeRolePolicyDocument: encodeURIComponent(role.trustPolicy),
    ...(role.description !== undefined && { Description: role.description }),
    MaxSessionDuration: role.longestSession,
    Tags: [...role.tags],
  };
}

/** Listings leave the tags out. */
export function profileOf(profile: ProfileRecord, role: RoleRecord | undefined): InstanceProfile {
  return {
    Path: profile.path,
    InstanceProfileName: profile.name,
    InstanceProfileId: profile.id,
    Arn: profile.arn,
    CreateDate: profile.createdAt,
    Roles: role === undefined ? [] : [roleInProfile(role)],
  };
}

/** Without tags, description and the longest session, which only GetRole tells. */
function roleInProfile(role: RoleRecord): Role {
  const { Path, RoleName, RoleId, Arn, CreateDate, AssumeRolePolicyDocument } = roleOf(role);
  return { Path, RoleName, RoleId, Arn, CreateDate, AssumeRolePolicyDocument };
}
