import { AWS_LABELS, type RequirementSpec } from '@karpenter-ts/apis';
import type { OfflineObjects } from '@karpenter-ts/core';
import { CatalogueError, loadCatalogue } from '@karpenter-ts/provider-kwok';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { readFileSync } from 'node:fs';
import { toCatalogue } from './offline-objects.ts';
import { readCatalogueOf } from './cluster-file.ts';

type Catalogue = OfflineObjects['catalogue'];

/** A catalogue, or why there is none. */
export type FoundCatalogue = { readonly catalogue: Catalogue } | { readonly problem: string };

/**
 * The instance types of a source: `ec2` and `kwok` are built in; anything else is a file, either one with a `catalogue`
 * as cluster and fleet files have it, or one of instance types as the KWOK provider reads it.
 */
export function findCatalogue(source: string): FoundCatalogue {
  try {
    if (source === 'ec2') {
      const { instanceTypes, profile } = loadCatalogue({ instanceTypesFilePath: '', catalogue: 'ec2' });
      const wellKnownLabels = profile.wellKnownLabels.union(new Set(EC2_LABELS));
      return {
        catalogue: { instanceTypes: instanceTypes.map(withEc2Labels), profile: { ...profile, wellKnownLabels } },
      };
    }
    if (source === 'kwok') return { catalogue: loadCatalogue({ instanceTypesFilePath: '', catalogue: 'kwok' }) };
    const read = readCatalogueOf(readText(source));
    if (read === undefined) return { catalogue: loadCatalogue({ instanceTypesFilePath: source, catalogue: 'kwok' }) };
    if ('content' in read) return { catalogue: toCatalogue(read.content.catalogue) };
    const [first] = read.problems;
    return { problem: `${source}: error: ${first?.field}: ${first?.message}` };
  } catch (error) {
    if (error instanceof CatalogueError) return { problem: `${source}:1:1: error: ${error.message}` };
    throw error;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CatalogueError(`cannot be read: ${(cause as Error).message}`, { cause });
  }
}

const EC2_LABELS = [
  AWS_LABELS.instanceCategory,
  AWS_LABELS.instanceFamily,
  AWS_LABELS.instanceGeneration,
  AWS_LABELS.instanceSize,
  AWS_LABELS.instanceCpu,
] as const;

/** `m5d.xlarge`: category, generation, the rest of the family, size. */
const EC2_NAME = /^(?<family>(?<category>[a-z]+(?:-\d+tb\d*)?)(?<generation>\d+)[a-z0-9-]*)\.(?<size>.+)$/;

/** With the labels that NodePools of AWS select types by, as far as name and size tell them. */
function withEc2Labels(type: InstanceType): InstanceType {
  const { category, family, generation, size } = EC2_NAME.exec(type.name)?.groups ?? {};
  const values: readonly (string | undefined)[] = [
    category,
    family,
    generation,
    size,
    String(type.capacity['cpu'] ?? ''),
  ];
  const added = EC2_LABELS.flatMap((key, index): RequirementSpec[] => {
    const value = values[index];
    return value === undefined ? [{ key, operator: 'DoesNotExist' }] : [{ key, operator: 'In', values: [value] }];
  });
  return { ...type, requirements: [...type.requirements, ...added] };
}
