import type { AmiSelectorTerm, StatusAmi } from '../node-class/node-class-parts.ts';

/**
 * The release of Bottlerocket that a NodeClass selects, as far as its terms or the names of its images tell (spec 08
 * §16.5): `latest`, or a version such as `v1.46.0`.
 */
export function findBottlerocketVersion(
  terms: readonly AmiSelectorTerm[],
  amis: readonly Pick<StatusAmi, 'id' | 'name'>[],
): string | undefined {
  const bottlerocketAmis = amis.filter(({ name }) => name?.includes('bottlerocket'));
  const versionOfId = (id: string | undefined): string | undefined =>
    id ? versionInName(bottlerocketAmis.find((ami) => ami.id === id)?.name) : undefined;
  return (
    firstOf(terms, ({ alias }) => versionOfAlias(alias)) ??
    firstOf(terms, ({ name }) => versionInName(name)) ??
    firstOf(terms, ({ id }) => versionOfId(id)) ??
    firstOf(bottlerocketAmis, ({ name }) => versionInName(name))
  );
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
}

function versionOfAlias(alias: string | undefined): string | undefined {
  const parts = alias?.split('@') ?? [];
  return parts.length === 2 ? parts[1] : undefined;
}

/** Images are named like `bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-431fe75a`. */
function versionInName(name: string | undefined): string | undefined {
  return name?.split('-').find((part) => part.startsWith('v') && part.includes('.'));
}

/** The first release that binds the usual directories to the instance store without being told which. */
const DEFAULT_BIND_SINCE = { major: 1, minor: 46 };

/** Whether this release binds the usual directories to the instance store by itself. No, if the version is not known. */
export function bindsByDefault(version: string | undefined): boolean {
  if (version === 'latest') return true;
  const parts = version?.replace(/^v+/, '').split('.') ?? [];
  const [major, minor] = parts;
  if (parts.length < 3 || !isInteger(major) || !isInteger(minor)) return false;
  const { major: firstMajor, minor: firstMinor } = DEFAULT_BIND_SINCE;
  return Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor);
}

const isInteger = (text: string | undefined): boolean => text !== undefined && /^[+-]?[0-9]+$/.test(text);
