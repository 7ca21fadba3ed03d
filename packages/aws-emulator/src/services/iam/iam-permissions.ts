import type { Tag } from '@aws-sdk/client-iam';
import type { RequestContext } from '../../policies/conditions.ts';
import type { PermissionRequest } from '../../policies/evaluate.ts';
import { type Place, partitionOf } from '../../state/place.ts';
import type { IamAccount } from './iam-state.ts';

/** The members of inputs that say what a call is about. */
interface IamInput {
  readonly InstanceProfileName?: string;
  readonly RoleName?: string;
  readonly Path?: string;
  readonly Tags?: readonly Tag[];
}

/** What a caller must be allowed to do for a call about an instance profile. Roles are nobody's concern here. */
export function iamPermissions(
  account: IamAccount,
  operation: string,
  input: IamInput,
  place: Place,
): readonly PermissionRequest[] {
  const { InstanceProfileName: name, RoleName: role, Path = '/', Tags = [] } = input;
  const action = `iam:${operation}`;
  const prefix = `arn:${partitionOf(place.region)}:iam::${place.account}:`;
  if (operation === 'ListInstanceProfiles') {
    return [{ action, resource: `${prefix}instance-profile/*`, context: {} }];
  }
  if (name === undefined) return [{ action, resource: '*', context: {} }];
  const profile = account.profiles.latest(name);
  const resource = profile?.arn ?? `${prefix}instance-profile${Path}${name}`;
  if (operation === 'CreateInstanceProfile') {
    const context = tagContext('RequestTag', Tags);
    const tagging = { ...context, ...tagContext('ResourceTag', Tags) };
    return [
      { action, resource, context },
      ...(Tags.length > 0 ? [{ action: 'iam:TagInstanceProfile', resource, context: tagging }] : []),
    ];
  }
  const context = { ...tagContext('ResourceTag', profile?.tags ?? []), ...tagContext('RequestTag', Tags) };
  const arn = role === undefined ? undefined : account.roles.latest(role)?.arn;
  const passing =
    operation === 'AddRoleToInstanceProfile' && arn !== undefined ? [passRole(arn, partitionOf(place.region))] : [];
  return [{ action, resource, context }, ...passing];
}

/** The role is handed on to the instances that will have the profile. */
function passRole(resource: string, partition: string): PermissionRequest {
  const service = partition === 'aws-cn' ? 'ec2.amazonaws.com.cn' : 'ec2.amazonaws.com';
  return { action: 'iam:PassRole', resource, context: { 'iam:PassedToService': service } };
}

function tagContext(kind: 'RequestTag' | 'ResourceTag', tags: readonly Tag[]): RequestContext {
  return Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [`aws:${kind}/${Key}`, Value]));
}
