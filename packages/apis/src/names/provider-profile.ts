import {
  ARCH_LABEL,
  AWS_GROUP,
  AWS_LABELS,
  CAPACITY_TYPE_LABEL,
  CAPACITY_TYPES,
  CORE_GROUP,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  KWOK_GROUP,
  KWOK_LABELS,
  NODEPOOL_LABEL,
  nodeClassLabel,
  OS_LABEL,
  REGION_LABEL,
  WINDOWS_BUILD_LABEL,
  ZONE_LABEL,
} from './labels.ts';

/** What a provider adds to the well-known names. Passed to everything that reads label keys; nothing is global. */
export interface ProviderProfile {
  /** Keys whose values come from instance types, so that pods may ask for one no NodePool defines. */
  readonly wellKnownLabels: ReadonlySet<string>;
  /** Domains (and their subdomains) users may not invent labels in. */
  readonly restrictedDomains: ReadonlySet<string>;
  /** Well-known keys with a closed set of values. */
  readonly knownValues: ReadonlyMap<string, ReadonlySet<string>>;
  /** Resources instance types report themselves, which a NodeOverlay therefore may not set. */
  readonly wellKnownResources: ReadonlySet<string>;
  /** Legacy label keys and the key each is read as (spec 01 §9.3). Stored objects are not rewritten. */
  readonly normalizedKeys: ReadonlyMap<string, string>;
  /** By normalised key: values that are read as another value. Empty for the providers shipped here. */
  readonly normalizedValues: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Labels that carry a NodeClass name: set from `nodeClassRef`, never by the user. */
  readonly nodeClassLabels: ReadonlySet<string>;
}

/** The names that every provider starts from. */
export const CORE_PROFILE: ProviderProfile = {
  wellKnownLabels: new Set([
    NODEPOOL_LABEL,
    CAPACITY_TYPE_LABEL,
    ZONE_LABEL,
    REGION_LABEL,
    INSTANCE_TYPE_LABEL,
    ARCH_LABEL,
    OS_LABEL,
    WINDOWS_BUILD_LABEL,
  ]),
  restrictedDomains: new Set([CORE_GROUP]),
  knownValues: new Map([[CAPACITY_TYPE_LABEL, new Set<string>(CAPACITY_TYPES)]]),
  wellKnownResources: new Set(['cpu', 'memory', 'ephemeral-storage', 'pods']),
  normalizedKeys: new Map([
    ['failure-domain.beta.kubernetes.io/zone', ZONE_LABEL],
    ['failure-domain.beta.kubernetes.io/region', REGION_LABEL],
    ['beta.kubernetes.io/arch', ARCH_LABEL],
    ['beta.kubernetes.io/os', OS_LABEL],
    ['beta.kubernetes.io/instance-type', INSTANCE_TYPE_LABEL],
  ]),
  normalizedValues: new Map(),
  nodeClassLabels: new Set(),
};

/** The names with KWOKNodeClass. */
export const KWOK_PROFILE: ProviderProfile = {
  ...CORE_PROFILE,
  wellKnownLabels: new Set([...CORE_PROFILE.wellKnownLabels, ...Object.values(KWOK_LABELS)]),
  restrictedDomains: new Set([CORE_GROUP, KWOK_GROUP]),
  nodeClassLabels: new Set([nodeClassLabel({ group: KWOK_GROUP, kind: 'KWOKNodeClass' })]),
};

/** The names with EC2NodeClass. Overlays may set `nvidia.com/gpu` and `amd.com/gpu`, but no resource listed here. */
export const AWS_PROFILE: ProviderProfile = {
  ...CORE_PROFILE,
  wellKnownLabels: new Set([...CORE_PROFILE.wellKnownLabels, ...Object.values(AWS_LABELS)]),
  restrictedDomains: new Set([CORE_GROUP, AWS_GROUP]),
  knownValues: new Map([
    ...CORE_PROFILE.knownValues,
    [AWS_LABELS.instanceTenancy, new Set<string>(['dedicated', 'default'])],
  ]),
  wellKnownResources: new Set([
    ...CORE_PROFILE.wellKnownResources,
    'vpc.amazonaws.com/pod-eni',
    'aws.amazon.com/neuron',
    'aws.amazon.com/neuroncore',
    'habana.ai/gaudi',
    'vpc.amazonaws.com/efa',
  ]),
  normalizedKeys: new Map([...CORE_PROFILE.normalizedKeys, ['topology.ebs.csi.aws.com/zone', ZONE_LABEL]]),
  nodeClassLabels: new Set([nodeClassLabel({ group: AWS_GROUP, kind: 'EC2NodeClass' })]),
};

/** The key a label is known by: legacy names give way to current ones, all others stay as they are. */
export function normalizeLabelKey(key: string, profile: ProviderProfile): string {
  return profile.normalizedKeys.get(key) ?? key;
}

/** Keys no user may set although their domain is free: one value per Node, decided when it registers. */
export const RESTRICTED_LABELS: ReadonlySet<string> = new Set([HOSTNAME_LABEL]);

/** Why users may not set this label, in upstream's words; `undefined` when they may (spec 01 §10.2). */
export function findLabelRestriction(key: string, profile: ProviderProfile): string | undefined {
  if (profile.wellKnownLabels.has(key)) return undefined;
  if (!hasRestrictedDomain(key, profile) && !RESTRICTED_LABELS.has(key)) return undefined;
  const wellKnown = [...profile.wellKnownLabels].sort().join(' ');
  const domains = [...profile.restrictedDomains].sort().join(' ');
  return (
    `using label ${key} is not allowed as it might interfere with the internal provisioning logic; ` +
    `specify a well known label: [${wellKnown}], or a custom label that does not use a restricted domain: [${domains}]`
  );
}

function hasRestrictedDomain(key: string, profile: ProviderProfile): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return false;
  const domain = key.slice(0, slash);
  for (const restricted of profile.restrictedDomains) {
    if (domain === restricted || domain.endsWith(`.${restricted}`)) return true;
  }
  return false;
}
