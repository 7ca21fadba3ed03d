import type { InstanceProfile } from '@aws-sdk/client-iam';
import { ExpiringMap, HOUR, MINUTE, type SteadyClock, StructuredError, errorText } from '@karpenter-ts/runtime';
import type { IamApi } from '../api/aws-apis.ts';
import { findAwsError, isAwsAlreadyExists, isAwsNotFound } from '../api/aws-error.ts';
import { pages } from '../api/pages.ts';
import { withContext, within } from '../api/with-context.ts';
import { roleNameOf } from './profile-names.ts';

/** An instance profile as IAM tells of it. */
export interface KnownProfile {
  readonly name: string;
  readonly path: string;
  /** The name of its role, without the path. There is none before one is added. */
  readonly role: string | undefined;
  readonly createdAt: number;
}

export interface NewProfile {
  readonly name: string;
  /** As the user wrote it, with or without its path. */
  readonly role: string;
  /** IAM's own default, `/`, if it is empty. */
  readonly path: string;
  readonly tags: Readonly<Record<string, string>>;
}

interface ProfilePage {
  readonly profiles?: readonly KnownProfile[];
  readonly NextToken?: string | undefined;
}

/** For how long what IAM said of an instance profile is taken as it is. */
const LIFETIME = 15 * MINUTE;

/** For how long IAM is not asked again to use a role that it does not know. */
const MISSING_ROLE_LIFETIME = 1 * MINUTE;

/** For how long nobody deletes an instance profile that NodeClaims may use which the cache does not show yet. */
const PROTECTION = 1 * HOUR;

/** For how long an instance profile counts as deleted although IAM may still list it. */
const DELETION_LAG = 5 * MINUTE;

/** The instance profiles of the account (spec 08 §8). */
export class InstanceProfiles {
  readonly #iam: IamApi;
  readonly #known: ExpiringMap<string, KnownProfile>;
  /** What IAM said of roles that it does not know, by their names. */
  readonly #missingRoles: ExpiringMap<string, Error>;
  readonly #protected: ExpiringMap<string, true>;
  readonly #deleted: ExpiringMap<string, true>;

  constructor({ iam, clock }: { readonly iam: IamApi; readonly clock: SteadyClock }) {
    this.#iam = iam;
    this.#known = new ExpiringMap(clock, LIFETIME);
    this.#missingRoles = new ExpiringMap(clock, MISSING_ROLE_LIFETIME);
    this.#protected = new ExpiringMap(clock, PROTECTION);
    this.#deleted = new ExpiringMap(clock, DELETION_LAG);
  }

  /**
   * The instance profile; undefined if there is none. IAM tells late of roles that were added, so an answer without a
   * role is not remembered.
   */
  async find(name: string, signal: AbortSignal): Promise<KnownProfile | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const profile = await this.#read(name, signal);
    if (profile?.role !== undefined) this.#known.set(name, profile);
    return profile;
  }

  /**
   * Makes the instance profile with its role, if it is not there already. A new one that cannot be given its role is
   * deleted again.
   */
  async create(wanted: NewProfile, signal: AbortSignal): Promise<void> {
    this.requireRole(wanted.role);
    const { name, path } = wanted;
    const found = await within('getting instance profile', this.find(name, signal));
    if (found === undefined) await this.#createEmpty(wanted, signal);
    const role = roleNameOf(wanted.role);
    if (found?.role === role) return;
    try {
      await within('ensuring role attached', this.#changeRole({ name, from: found?.role, to: role }, signal));
    } catch (error) {
      if (found !== undefined || !hasItsRole(error)) {
        if (found === undefined) await this.#discard(name, signal);
        throw error;
      }
    }
    this.#known.set(name, { name, path: found?.path ?? path, role, createdAt: found?.createdAt ?? 0 });
  }

  /** Throws if IAM has said of late that it does not know the role. IAM is not asked. */
  requireRole(role: string): void {
    const missing = this.#missingRoles.get(roleNameOf(role));
    if (missing !== undefined) throw withContext('role not found', missing);
  }

  /** What is remembered of the instance profile. IAM may not tell yet of one that was just made. */
  recall(name: string): KnownProfile | undefined {
    return this.#known.get(name);
  }

  /** Deletes the instance profile, be it that it is gone already. It counts as deleted before anything is awaited. */
  async delete(name: string, signal: AbortSignal): Promise<void> {
    this.#deleted.set(name, true);
    const profile = this.#known.get(name) ?? (await this.#readForDeletion(name, signal));
    if (profile === undefined) return this.#forget(name);
    this.#known.delete(name);
    if (profile.role !== undefined) await this.#removeRole({ name, role: profile.role }, signal);
    await this.#deleteEmpty(name, signal);
    this.#forget(name);
  }

  /** All instance profiles whose path begins with `pathPrefix`. */
  async list(pathPrefix: string, signal: AbortSignal): Promise<readonly KnownProfile[]> {
    const found: KnownProfile[] = [];
    const page = (input: ProfilePage): Promise<ProfilePage> => this.#listPage(pathPrefix, input.NextToken, signal);
    for await (const { profiles = [] } of pages(page, {}, signal)) found.push(...profiles);
    return found;
  }

  /** Whether this process has deleted it, or begun to, of late. */
  isDeleted(name: string): boolean {
    return this.#deleted.has(name);
  }

  isProtected(name: string): boolean {
    return this.#protected.has(name);
  }

  /** From now on nobody collects it, for an hour. */
  protect(name: string): void {
    this.#protected.set(name, true);
  }

  unprotect(name: string): void {
    this.#protected.delete(name);
  }

  /** IAM has names of its own for what other services call the next token. */
  async #listPage(PathPrefix: string, Marker: string | undefined, signal: AbortSignal): Promise<ProfilePage> {
    const call = this.#iam.listInstanceProfiles({ PathPrefix, ...(Marker && { Marker }) }, signal);
    const page = await within('listing instance profiles', call);
    return {
      profiles: (page.InstanceProfiles ?? []).map(profileOf),
      NextToken: page.IsTruncated === true ? page.Marker : undefined,
    };
  }

  async #read(name: string, signal: AbortSignal): Promise<KnownProfile | undefined> {
    try {
      const { InstanceProfile: profile } = await this.#iam.getInstanceProfile({ InstanceProfileName: name }, signal);
      return profile && profileOf(profile);
    } catch (error) {
      if (isAwsNotFound(error)) return undefined;
      throw error;
    }
  }

  async #readForDeletion(name: string, signal: AbortSignal): Promise<KnownProfile | undefined> {
    try {
      return await this.#read(name, signal);
    } catch (error) {
      this.#deleted.delete(name);
      throw failed('getting instance profile', error, { name });
    }
  }

  /** The name is unique, so a profile that is there already is the one of a request whose answer was lost. */
  async #createEmpty({ name, path, tags }: NewProfile, signal: AbortSignal): Promise<void> {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    try {
      const input = { InstanceProfileName: name, Tags, ...(path !== '' && { Path: path }) };
      await this.#iam.createInstanceProfile(input, signal);
    } catch (error) {
      if (!isAwsAlreadyExists(error))
        throw new StructuredError(errorText(error), { 'instance-profile': name }, { cause: error });
    }
  }

  /** An instance profile has one role at the most. */
  async #changeRole(
    { name, from, to }: { readonly name: string; readonly from: string | undefined; readonly to: string },
    signal: AbortSignal,
  ): Promise<void> {
    if (from !== undefined) await this.#removeRole({ name, role: from }, signal);
    try {
      await this.#iam.addRoleToInstanceProfile({ InstanceProfileName: name, RoleName: to }, signal);
    } catch (cause) {
      const error = failed('adding role to instance profile', cause, { name, role: to });
      if (isRoleNotFound(cause, name)) this.#missingRoles.set(to, error);
      throw error;
    }
  }

  async #removeRole({ name, role }: { readonly name: string; readonly role: string }, signal: AbortSignal) {
    try {
      await this.#iam.removeRoleFromInstanceProfile({ InstanceProfileName: name, RoleName: role }, signal);
    } catch (error) {
      if (!isAwsNotFound(error)) throw failed('removing role from instance profile', error, { name, role });
    }
  }

  async #deleteEmpty(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#iam.deleteInstanceProfile({ InstanceProfileName: name }, signal);
    } catch (error) {
      if (!isAwsNotFound(error)) throw failed('deleting instance profile', error, { name });
    }
  }

  /** IAM may not tell yet of what was just made, so it is not asked. What stays is collected later. */
  async #discard(name: string, signal: AbortSignal): Promise<void> {
    await this.#deleteEmpty(name, signal).catch(() => undefined);
  }

  #forget(name: string): void {
    this.#known.delete(name);
    this.#protected.delete(name);
  }
}

function profileOf(profile: InstanceProfile): KnownProfile {
  return {
    name: profile.InstanceProfileName ?? '',
    path: profile.Path ?? '/',
    role: profile.Roles?.[0]?.RoleName,
    createdAt: profile.CreateDate?.getTime() ?? 0,
  };
}

/** A new instance profile that has a role already was given it by a request whose answer was lost. */
function hasItsRole(error: unknown): boolean {
  return findAwsError(error)?.code === 'LimitExceeded';
}

/** IAM has one code for roles and instance profiles that are not there. The name of the profile may contain the word. */
function isRoleNotFound(error: unknown, profileName: string): boolean {
  const found = findAwsError(error);
  return found?.code === 'NoSuchEntity' && found.detail.replaceAll(profileName, '').toLowerCase().includes('role');
}

function failed(
  what: string,
  cause: unknown,
  { name, role }: { readonly name: string; readonly role?: string },
): StructuredError {
  const values = { 'instance-profile': name, ...(role !== undefined && { role }) };
  return new StructuredError(`${what}, ${errorText(cause)}`, values, { cause });
}
