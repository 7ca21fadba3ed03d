import { randomUUID } from 'node:crypto';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { ExpiringMap, type Logger, MINUTE, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import { isAccessDenied } from '../api/aws-error.ts';
import { during, within } from '../api/with-context.ts';
import type { InstanceProfiles, KnownProfile } from './instance-profiles.ts';
import {
  clusterPath,
  isIamName,
  legacyProfileName,
  newProfileName,
  nodeClassPath,
  type ProfileOwner,
  profileTags,
  roleNameOf,
} from './profile-names.ts';

export interface NodeClassProfilesDeps {
  readonly profiles: InstanceProfiles;
  readonly owner: ProfileOwner;
  readonly clock: SteadyClock;
  /** Whether IAM is out of reach, so that what was made stays. */
  readonly isolatedVpc: boolean;
}

/** The instance profile to launch with, or after how many milliseconds to look for it again. */
export type ResolvedProfile = { readonly name: string } | { readonly retryAfter: number };

/** A status that could not be written is made again from what is remembered here, not with another instance profile. */
const RECREATION_LIFETIME = 1 * MINUTE;

/** IAM tells late of what was changed. An instance profile is given up only when it is missing twice, this far apart. */
const SECOND_LOOK = 5 * SECOND;

/**
 * The instance profiles of NodeClasses (spec 08 §8): the one that the user names, or one of our own for the role. A role is
 * never exchanged in a profile, because instances may run with it: another role gets another profile.
 */
export class NodeClassProfiles {
  readonly #deps: NodeClassProfilesDeps;
  readonly #made: ExpiringMap<string, string>;
  /** When each was first missing, in elapsed milliseconds. */
  readonly #missing: ExpiringMap<string, number>;

  constructor(deps: NodeClassProfilesDeps) {
    this.#deps = deps;
    this.#made = new ExpiringMap(deps.clock, RECREATION_LIFETIME);
    this.#missing = new ExpiringMap(deps.clock, RECREATION_LIFETIME);
  }

  /** The instance profile that the NodeClass is to have. The one in its status is protected if that is another. */
  async resolve(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<ResolvedProfile> {
    const { spec, status } = nodeClass;
    const before = status?.instanceProfile ?? '';
    const resolved =
      spec?.role === undefined || spec.role === ''
        ? { name: spec?.instanceProfile ?? '' }
        : await this.#ofRole(nodeClass, spec.role, signal);
    if ('name' in resolved && before !== '' && before !== resolved.name) this.#deps.profiles.protect(before);
    return resolved;
  }

  /** Deletes all instance profiles that were made for the NodeClass. None of its NodeClaims is left. */
  async deleteAll(nodeClass: EC2NodeClass, logger: Logger, signal: AbortSignal): Promise<void> {
    const { profiles, owner, isolatedVpc } = this.#deps;
    if (isolatedVpc) return;
    const listed = await profiles.list(nodeClassPath(owner, nodeClass), signal);
    const names = new Set([...listed.map(({ name }) => name), ...this.#justMade(nodeClass)]);
    for (const name of names) await profiles.delete(name, signal);
    const legacy = legacyProfileName(owner, nodeClass);
    if (isIamName(legacy)) return profiles.delete(legacy, signal);
    logger.debug('skipping legacy instance profile cleanup, synthesized name is not IAM-valid', {
      'instance-profile': legacy,
    });
  }

  /** Those that IAM may not list yet. */
  #justMade(nodeClass: EC2NodeClass): readonly string[] {
    const { profiles, owner } = this.#deps;
    const path = nodeClassPath(owner, nodeClass);
    const names = [this.#made.get(recreationKey(nodeClass)), nodeClass.status?.instanceProfile];
    return names.filter((name) => name !== undefined).filter((name) => profiles.recall(name)?.path === path);
  }

  async #ofRole(nodeClass: EC2NodeClass, role: string, signal: AbortSignal): Promise<ResolvedProfile> {
    const { profiles } = this.#deps;
    const key = recreationKey(nodeClass);
    const known = this.#made.get(key) ?? nodeClass.status?.instanceProfile ?? '';
    const found = known === '' ? undefined : await this.#find(known, signal);
    const state = stateOf(found, { ...this.#ownNames(nodeClass), role, known });
    if (state === 'right') return { name: known };
    const retryAfter = state === 'missing' ? this.#untilSecondLook(known) : 0;
    if (retryAfter > 0) return { retryAfter };
    during('creating instance profile', () => profiles.requireRole(role)); // before IAM is asked in vain, at each attempt
    const name = (await this.#findOther(nodeClass, role, signal)) ?? (await this.#create(nodeClass, role, signal));
    profiles.protect(name); // until the caches show that the NodeClass has it
    this.#made.set(key, name);
    return { name };
  }

  /** Any event of the NodeClass has it looked at again, also a moment after the first look. */
  #untilSecondLook(name: string): number {
    const now = this.#deps.clock.elapsed();
    const since = this.#missing.get(name);
    if (since === undefined) this.#missing.set(name, now);
    return (since ?? now) + SECOND_LOOK - now;
  }

  #find(name: string, signal: AbortSignal): Promise<KnownProfile | undefined> {
    return within(`getting instance profile ${name}`, this.#deps.profiles.find(name, signal));
  }

  #ownNames(nodeClass: EC2NodeClass): OwnNames {
    const { owner } = this.#deps;
    return { path: clusterPath(owner), legacy: legacyProfileName(owner, nodeClass) };
  }

  /**
   * An instance profile of this NodeClass that has the role already: one that was made before the process ended, or for a
   * role that the NodeClass has again. Who may not list instance profiles does without.
   */
  async #findOther(nodeClass: EC2NodeClass, role: string, signal: AbortSignal): Promise<string | undefined> {
    const { profiles, owner } = this.#deps;
    let listed: readonly KnownProfile[];
    try {
      listed = await profiles.list(nodeClassPath(owner, nodeClass), signal);
    } catch (error) {
      if (isAccessDenied(error)) return undefined;
      throw error;
    }
    const usable = listed.filter((one) => one.role === roleNameOf(role) && !profiles.isDeleted(one.name));
    return usable.sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? -1 : 1))[0]?.name;
  }

  async #create(nodeClass: EC2NodeClass, role: string, signal: AbortSignal): Promise<string> {
    const { profiles, owner } = this.#deps;
    const name = newProfileName(owner, nodeClass, randomUUID());
    const path = nodeClassPath(owner, nodeClass);
    const tags = profileTags(owner, nodeClass);
    await within('creating instance profile', profiles.create({ name, role, path, tags }, signal));
    return name;
  }
}

/** What a status that could not be written is found by. */
function recreationKey({ metadata, spec }: EC2NodeClass): string {
  return `${spec?.role ?? ''}/${metadata.uid}`;
}

interface OwnNames {
  readonly path: string;
  readonly legacy: string;
}

/**
 * Whether the instance profile of the status is the one to have. A profile of the user's own is not, be it that it has
 * the role: it is theirs to change and to delete.
 */
function stateOf(
  found: KnownProfile | undefined,
  { path, legacy, role, known }: OwnNames & { readonly role: string; readonly known: string },
): 'right' | 'other' | 'missing' {
  if (known === '') return 'other';
  if (found === undefined) return 'missing';
  if (!found.path.startsWith(path) && found.name !== legacy) return 'other';
  if (found.role === undefined) return 'missing';
  return found.role === roleNameOf(role) ? 'right' : 'other';
}
