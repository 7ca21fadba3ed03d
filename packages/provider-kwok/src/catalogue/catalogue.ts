import { readFileSync } from 'node:fs';
import {
  KWOK_PROFILE,
  type ProviderProfile,
  type Requirements,
  type RequirementSpec,
  toRequirements,
} from '@karpenter-ts/apis';
import { shared } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { KwokOptions } from '../options.ts';
import { CatalogueError, readCatalogueFile } from './catalogue-file.ts';
import { ec2Types } from './ec2-types.ts';
import { kwokTypes } from './kwok-types.ts';
import { toInstanceType } from './type-description.ts';

/** The instance types that can be bought. Immutable. */
export interface Catalogue {
  readonly instanceTypes: readonly InstanceType[];
  /** KWOK's labels, and every other label offerings are told apart by. */
  readonly profile: ProviderProfile;
  /** Mostly one, but upstream's own example file has some twice, for two systems; none if there is no such type. */
  named(name: string): readonly InstanceType[];
  /** Parses requirements. Results are cached by list, because lists never change. */
  requirementsOf(specs: readonly RequirementSpec[]): Requirements;
}

const BUILT_IN = { kwok: kwokTypes, ec2: ec2Types } as const;

/** The catalogue the options name: a file, else a built-in one. Throws `CatalogueError` if the file cannot be used. */
export function loadCatalogue({ instanceTypesFilePath, catalogue }: KwokOptions): Catalogue {
  if (instanceTypesFilePath === '') return toCatalogue(BUILT_IN[catalogue]());
  return toCatalogue(readCatalogueFile(readText(instanceTypesFilePath)).map(toInstanceType));
}

/** A catalogue of these types. */
export function toCatalogue(types: readonly InstanceType[]): Catalogue {
  const byName = Map.groupBy(types, ({ name }) => name);
  const offered = types.flatMap(({ offerings }) => offerings.flatMap(({ requirements }) => requirements));
  const wellKnownLabels = KWOK_PROFILE.wellKnownLabels.union(new Set(offered.map(({ key }) => key)));
  const profile: ProviderProfile = { ...KWOK_PROFILE, wellKnownLabels };
  const read = new WeakMap<readonly RequirementSpec[], Requirements>();
  return {
    instanceTypes: shared(types),
    profile,
    named: (name) => byName.get(name) ?? [],
    requirementsOf(specs) {
      let requirements = read.get(specs);
      if (requirements === undefined) {
        requirements = toRequirements(specs, profile);
        read.set(specs, requirements);
      }
      return requirements;
    },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CatalogueError(`could not read custom instance types file: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
