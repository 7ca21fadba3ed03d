import { findTagRestriction } from '../names/ec2-tags.ts';
import { findQuantity, goQuote } from '@karpenter-ts/kubernetes';
import { type ValidatedKubelet, validateKubelet } from './kubelet.ts';
import { error, type Problem } from './problem.ts';
import { type SelectorRules, type SelectorTerm, validateSelectorTerms } from './selector-term.ts';

/** What is checked of an EC2NodeClass. */
export interface ValidatedEc2NodeClass {
  readonly spec?:
    | {
        readonly subnetSelectorTerms?: readonly SelectorTerm[] | undefined;
        readonly securityGroupSelectorTerms?: readonly SelectorTerm[] | undefined;
        readonly capacityReservationSelectorTerms?: readonly SelectorTerm[] | undefined;
        readonly amiSelectorTerms?: readonly SelectorTerm[] | undefined;
        readonly blockDeviceMappings?: readonly BlockDeviceMapping[] | undefined;
        readonly kubelet?: ValidatedKubelet | undefined;
        readonly tags?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
}

interface BlockDeviceMapping {
  readonly ebs?: { readonly volumeSize?: string | undefined } | undefined;
}

const standsAlone = (field: string, place: string) =>
  `'${field}' is mutually exclusive, cannot be set with a combination of other fields in a ${place} selector term`;

const SELECTORS = [
  {
    field: 'subnetSelectorTerms',
    selecting: ['tags', 'id'],
    id: /^subnet-[0-9a-z]+$/,
    alone: { id: standsAlone('id', 'subnet') },
  },
  {
    field: 'securityGroupSelectorTerms',
    selecting: ['tags', 'id', 'name'],
    id: /^sg-[0-9a-z]+$/,
    alone: { id: standsAlone('id', 'security group'), name: standsAlone('name', 'security group') },
  },
  {
    field: 'capacityReservationSelectorTerms',
    selecting: ['tags', 'id', 'instanceMatchCriteria'],
    id: /^cr-[0-9a-z]+$/,
    alone: {
      id: "'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term",
    },
  },
  {
    field: 'amiSelectorTerms',
    selecting: ['tags', 'id', 'name', 'alias', 'ssmParameter'],
    id: /^ami-[0-9a-z]+$/,
    alone: {}, // the CRD does see these
  },
] as const satisfies readonly SelectorRules[];

/** Problems the CRD cannot see, or does not (spec 01 §7.4 and §14). Needs no call to AWS. */
export function validateEc2NodeClass({ spec }: ValidatedEc2NodeClass): readonly Problem[] {
  if (spec === undefined) return [error('spec', 'spec is missing')];
  const restriction = findTagRestriction(spec.tags ?? {});
  return [
    ...(restriction === undefined ? [] : [error('spec.tags', restriction)]),
    ...SELECTORS.flatMap((rules) => validateSelectorTerms(spec[rules.field] ?? [], rules)),
    ...validateAliases(spec.amiSelectorTerms ?? []),
    ...validateVolumeSizes(spec.blockDeviceMappings ?? []),
    ...validateKubelet(spec.kubelet ?? {}),
  ];
}

/** A second `@` passes the CRD, but no release has one in its name. (Upstream exits when it reads such an alias.) */
function validateAliases(terms: readonly SelectorTerm[]): readonly Problem[] {
  return terms.flatMap(({ alias }, index) => {
    if (typeof alias !== 'string' || alias.split('@').length <= 2) return [];
    const message = `alias ${goQuote(alias)} has more than one '@', must match the format 'family@version'`;
    return [error(`spec.amiSelectorTerms[${index}].alias`, message)];
  });
}

/** The CRD's pattern admits a unit without a number, which reads as 0. */
function validateVolumeSizes(mappings: readonly BlockDeviceMapping[]): readonly Problem[] {
  return mappings.flatMap(({ ebs }, index) => {
    const size = ebs?.volumeSize;
    if (size === undefined || (findQuantity(size)?.nanos ?? 0n) > 0n) return [];
    const path = `spec.blockDeviceMappings[${index}].ebs.volumeSize`;
    return [error(path, `${path}: ${goQuote(size)} must be a positive resource quantity`)];
  });
}
