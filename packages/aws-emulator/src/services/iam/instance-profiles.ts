import type {
  AddRoleToInstanceProfileRequest,
  CreateInstanceProfileRequest,
  CreateInstanceProfileResponse,
  DeleteInstanceProfileRequest,
  GetInstanceProfileRequest,
  GetInstanceProfileResponse,
  InstanceProfile,
  ListInstanceProfilesForRoleRequest,
  ListInstanceProfilesRequest,
  ListInstanceProfilesResponse,
  RemoveRoleFromInstanceProfileRequest,
  Tag,
  TagInstanceProfileRequest,
  UntagInstanceProfileRequest,
} from '@aws-sdk/client-iam';
import { partitionOf } from '../../state/place.ts';
import { ApiError } from '../../wire/api-error.ts';
import type { Call, Handlers } from '../../wire/operation.ts';
import {
  alreadyExists,
  checkName,
  checkPath,
  checkTags,
  deleteConflict,
  limitExceeded,
  noSuchProfile,
  noSuchRole,
} from './iam-checks.ts';
import { type IamAccount, type ProfileRecord, profileOf } from './iam-state.ts';

const LONGEST_NAME = 128;

/** One without a role. */
export function newProfile(
  { name, path, id, tags }: Pick<ProfileRecord, 'name' | 'path' | 'id' | 'tags'>,
  { place, clock }: Pick<Call, 'place' | 'clock'>,
): ProfileRecord {
  const arn = `arn:${partitionOf(place.region)}:iam::${place.account}:instance-profile${path}${name}`;
  return { name, path, id, arn, createdAt: new Date(clock.now()), role: undefined, tags };
}

export function profileHandlers(accountOf: (id: string) => IamAccount, idOf: (prefix: string) => string): Handlers {
  const of = ({ place }: Call): IamAccount => accountOf(place.account);
  return {
    CreateInstanceProfile: (input: CreateInstanceProfileRequest, call: Call): CreateInstanceProfileResponse => {
      const { InstanceProfileName: name = '', Path: path = '/', Tags: tags = [] } = input;
      checkName(name, 'instanceProfileName', LONGEST_NAME);
      checkPath(path);
      checkTags(tags);
      const { profiles, mostProfiles } = of(call);
      if (profiles.latest(name) !== undefined) throw alreadyExists(`Instance Profile ${name}`);
      if ([...profiles.allLatest()].length >= mostProfiles)
        throw limitExceeded('InstanceProfilesPerAccount', mostProfiles);
      const profile = newProfile({ name, path, tags, id: idOf('AIPA') }, call);
      profiles.set(name, profile);
      return { InstanceProfile: { ...profileOf(profile, undefined), Tags: tags } };
    },

    GetInstanceProfile: (
      { InstanceProfileName: name = '' }: GetInstanceProfileRequest,
      call: Call,
    ): GetInstanceProfileResponse => {
      const account = of(call);
      const profile = account.profiles.seen(name, account.readDelay);
      if (profile === undefined) throw noSuchProfile(name);
      return { InstanceProfile: { ...read(account, profile), Tags: [...profile.tags] } };
    },

    DeleteInstanceProfile: ({ InstanceProfileName: name = '' }: DeleteInstanceProfileRequest, call: Call): object => {
      const { profiles } = of(call);
      if (existing(profiles.latest(name), name).role !== undefined) throw deleteConflict();
      profiles.delete(name);
      return {};
    },

    AddRoleToInstanceProfile: (input: AddRoleToInstanceProfileRequest, call: Call): object => {
      const { InstanceProfileName: name = '', RoleName: role = '' } = input;
      checkName(role, 'roleName', 64);
      const { profiles, roles } = of(call);
      const profile = existing(profiles.latest(name), name);
      if (roles.latest(role) === undefined) throw noSuchRole(role);
      if (profile.role !== undefined) throw limitExceeded('InstanceSessionsPerInstanceProfile', 1);
      profiles.set(name, { ...profile, role });
      return {};
    },

    RemoveRoleFromInstanceProfile: (input: RemoveRoleFromInstanceProfileRequest, call: Call): object => {
      const { InstanceProfileName: name = '', RoleName: role = '' } = input;
      const { profiles } = of(call);
      const profile = existing(profiles.latest(name), name);
      if (profile.role !== role) throw noSuchRole(role);
      profiles.set(name, { ...profile, role: undefined });
      return {};
    },

    ListInstanceProfiles: (input: ListInstanceProfilesRequest, call: Call): ListInstanceProfilesResponse => {
      const { PathPrefix = '/' } = input;
      return pageOf(of(call), input, ({ path }) => path.startsWith(PathPrefix));
    },

    ListInstanceProfilesForRole: (
      input: ListInstanceProfilesForRoleRequest,
      call: Call,
    ): ListInstanceProfilesResponse => {
      const account = of(call);
      const { RoleName: name = '' } = input;
      if (account.roles.seen(name, account.readDelay) === undefined) throw noSuchRole(name);
      return pageOf(account, input, ({ role }) => role === name);
    },

    TagInstanceProfile: (
      { InstanceProfileName: name = '', Tags = [] }: TagInstanceProfileRequest,
      call: Call,
    ): object => {
      const { profiles } = of(call);
      const profile = existing(profiles.latest(name), name);
      const replaced = new Set(Tags.map(keyOf));
      const tags = [...profile.tags.filter((tag) => !replaced.has(keyOf(tag))), ...Tags];
      checkTags(Tags);
      checkTags(tags);
      profiles.set(name, { ...profile, tags });
      return {};
    },

    UntagInstanceProfile: (input: UntagInstanceProfileRequest, call: Call): object => {
      const { InstanceProfileName: name = '', TagKeys = [] } = input;
      const { profiles } = of(call);
      const profile = existing(profiles.latest(name), name);
      const removed = new Set(TagKeys.map((Key) => keyOf({ Key, Value: '' })));
      profiles.set(name, { ...profile, tags: profile.tags.filter((tag) => !removed.has(keyOf(tag))) });
      return {};
    },
  };
}

/** The keys of IAM's tags are the same in any letter case. */
function keyOf({ Key = '' }: Tag): string {
  return Key.toLowerCase();
}

function existing(profile: ProfileRecord | undefined, name: string): ProfileRecord {
  if (profile === undefined) throw noSuchProfile(name);
  return profile;
}

/** Its role as it is told of now: it may not be seen yet. */
function read({ roles, readDelay }: IamAccount, profile: ProfileRecord): InstanceProfile {
  return profileOf(profile, profile.role === undefined ? undefined : roles.seen(profile.role, readDelay));
}

const USUAL_PAGE = 100;
const LARGEST_PAGE = 1000;

/** A page of the profiles that are told of now, by name. The marker is the name after which it begins. */
function pageOf(
  account: IamAccount,
  { Marker, MaxItems = USUAL_PAGE }: { readonly Marker?: string | undefined; readonly MaxItems?: number | undefined },
  isWanted: (profile: ProfileRecord) => boolean,
): ListInstanceProfilesResponse {
  if (MaxItems < 1 || MaxItems > LARGEST_PAGE) {
    throw new ApiError(
      'ValidationError',
      `1 validation error detected: Value '${MaxItems}' at 'maxItems' failed to satisfy constraint: Member must have value less than or equal to ${LARGEST_PAGE}`,
    );
  }
  const after = Marker === undefined ? '' : Buffer.from(Marker, 'base64url').toString();
  const left = [...account.profiles.allSeen(account.readDelay)]
    .filter((profile) => isWanted(profile) && profile.name > after)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = left.slice(0, MaxItems);
  const IsTruncated = left.length > page.length;
  return {
    InstanceProfiles: page.map((profile) => read(account, profile)),
    IsTruncated,
    ...(IsTruncated && { Marker: Buffer.from(page.at(-1)!.name).toString('base64url') }),
  };
}
