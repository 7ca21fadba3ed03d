import {
  ARCH_LABEL,
  AWS_LABELS,
  AWS_PROFILE,
  type EC2NodeClass,
  findIncompatibilities,
  type NodePool,
  admits,
  combineRequirements,
  OS_LABEL,
  type RequirementSpec,
  type Requirements,
  resolveAmiFamily,
  toLabelRequirements,
  toRequirements,
  WINDOWS_BUILD_LABEL,
} from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { imageChooser } from '../images/choose-image.ts';
import { STANDARD_VARIANT } from '../images/alias-parameters.ts';
import type { LaunchTerms } from '../launch/launch-terms.ts';
import { Matcher } from '../launch/matcher.ts';
import type { StatusAmi } from '../node-class/node-class-parts.ts';

/** What the choice of a type for the dry runs depends on. */
export interface ProbeChoice {
  readonly nodeClass: EC2NodeClass;
  /** Types that EC2 would launch with the settings of the NodeClass. */
  readonly types: readonly InstanceType[];
  /** Those that refer to the NodeClass. */
  readonly nodePools: readonly NodePool[];
}

/**
 * The instance type for the dry runs (spec 08 §11): one that a NodePool may launch, and that starts from an image without
 * drivers of accelerators, because the snapshots of the others may be larger than the volume that the NodeClass asks for
 * (aws/karpenter-provider-aws#7928). Undefined if no image of the NodeClass suits any type; upstream panics where only
 * the types of the NodePools suit none (weakness 4), we go on to the defaults then.
 */
export function chooseProbe({ nodeClass, types, nodePools }: ProbeChoice): InstanceType | undefined {
  const amis = nodeClass.status?.amis ?? [];
  const isWindows = resolveAmiFamily(nodeClass.spec ?? {}).startsWith('Windows');
  const asked = isWindows ? [] : typesOfNodePools(types, nodePools);
  return bestOf(asked, amis) ?? bestOf(fallbacks(types), amis) ?? bestOf(types, amis);
}

/** Types that at least one NodePool admits. What EC2 has left of them does not matter. */
function typesOfNodePools(types: readonly InstanceType[], nodePools: readonly NodePool[]): readonly InstanceType[] {
  const matchers = nodePools.map((nodePool) => new Matcher(requirementsOf(nodePool)));
  return types.filter((type) => matchers.some((matcher) => matcher.admits(type)));
}

function requirementsOf({ spec }: NodePool): Requirements {
  const { metadata, spec: template } = spec.template;
  const labels = toLabelRequirements(metadata?.labels ?? {}, AWS_PROFILE);
  return combineRequirements([...toRequirements(template.requirements, AWS_PROFILE).values(), ...labels.values()]);
}

/** One type for each architecture, which nearly every account has. */
const FALLBACKS: ReadonlyMap<string, string> = new Map([
  ['m5.large', 'amd64'],
  ['m6g.large', 'arm64'],
]);

/**
 * These count as types for any operating system: some that EC2 offers are marked as if they could run Windows and cannot
 * (aws/karpenter-provider-aws#7985).
 */
function fallbacks(types: readonly InstanceType[]): readonly InstanceType[] {
  return types.flatMap((type) => {
    const architecture = FALLBACKS.get(type.name);
    if (architecture === undefined) return [];
    const requirements: readonly RequirementSpec[] = [
      ...STANDARD_VARIANT,
      { key: ARCH_LABEL, operator: 'In', values: [architecture] },
      { key: OS_LABEL, operator: 'Exists' },
      { key: WINDOWS_BUILD_LABEL, operator: 'Exists' },
    ];
    return [{ ...type, requirements }];
  });
}

/** The most ordinary type of those that an image suits; images without drivers go before others, in their order. */
function bestOf(types: readonly InstanceType[], amis: readonly StatusAmi[]): InstanceType | undefined {
  const chooseImage = imageChooser(amis);
  const byImage = Map.groupBy(types, ({ requirements }) => chooseImage(requirements));
  const suited = amis.filter((ami) => byImage.has(ami));
  const image = suited.find(isStandard) ?? suited[0];
  return image && mostOrdinary(byImage.get(image)!);
}

function isStandard({ requirements }: StatusAmi): boolean {
  const standard = toRequirements(STANDARD_VARIANT, AWS_PROFILE);
  return findIncompatibilities(toRequirements(requirements, AWS_PROFILE), standard).length === 0;
}

/**
 * Upstream takes any. Some types refuse images and volumes that nearly all others take, such as those before Nitro, and
 * EC2's refusal would then not be about the NodeClass.
 */
function mostOrdinary(types: readonly InstanceType[]): InstanceType {
  const oddity = (type: InstanceType): number =>
    (FALLBACKS.has(type.name) ? 0 : 1) +
    (type.offerings.length > 0 ? 0 : 8) +
    (type.lastResort === true ? 4 : 0) +
    (isNitro(type) ? 0 : 2);
  return types.reduce((best, type) => (oddity(type) < oddity(best) ? type : best));
}

function isNitro({ requirements }: InstanceType): boolean {
  const hypervisor = requirements.find(({ key }) => key === AWS_LABELS.instanceHypervisor);
  return hypervisor?.values?.includes('nitro') ?? false;
}

/** Hardware of one's own where any NodePool admits it, because that takes further permissions. */
export function probeTenancy(nodePools: readonly NodePool[]): LaunchTerms['tenancy'] {
  const isDedicated = nodePools.some(({ spec }) => {
    const requirements = toRequirements(spec.template.spec.requirements, AWS_PROFILE);
    const tenancy = requirements.get(AWS_LABELS.instanceTenancy);
    return tenancy !== undefined && admits(tenancy, 'dedicated');
  });
  return isDedicated ? 'dedicated' : 'default';
}
