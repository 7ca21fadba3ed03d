import { createHash } from 'node:crypto';
import type { CapacityType } from '@karpenter-ts/apis';
import { setKey } from '../batching/set-key.ts';
import type { NodeClassSpec } from '../node-class/node-class-parts.ts';
import { bindsByDefault } from '../user-data/bottlerocket-version.ts';
import type { UserDataInput } from '../user-data/user-data-input.ts';
import type { Tags } from './launch-tags.ts';
import type { ReservationKind } from './matcher.ts';

/** All that a launch template is made of. */
export interface TemplateSpec {
  readonly nodeClassName: string;
  readonly amiId: string;
  readonly userData: UserDataInput;
  readonly tags: Tags;
  readonly instanceProfile: string;
  readonly securityGroupIds: readonly string[];
  /** Of the NodeClass, or those of the AMI family. */
  readonly blockDeviceMappings: NonNullable<NodeClassSpec['blockDeviceMappings']>;
  readonly metadataOptions: Partial<NonNullable<NodeClassSpec['metadataOptions']>>;
  readonly cpuOptions: NodeClassSpec['cpuOptions'];
  readonly detailedMonitoring: boolean;
  readonly networkInterfaces: NodeClassSpec['networkInterfaces'];
  readonly connectionTracking: NodeClassSpec['connectionTracking'];
  readonly associatePublicIPAddress: boolean | undefined;
  readonly ipPrefixCount: number | undefined;
  /** How many interfaces for EFA the instance gets, if the NodeClass does not say which interfaces it has. */
  readonly efaCount: number;
  readonly enclaves: boolean;
  readonly capacityType: CapacityType;
  readonly tenancy: string;
  readonly placementGroupId: string | undefined;
  readonly partitionNumber: number | undefined;
  /** Whether capacity reservations are used where Karpenter says so, and nowhere else. */
  readonly targetsReservations: boolean;
  /** The reservation to launch into. */
  readonly reservation: (ReservationKind & { readonly id: string }) | undefined;
}

/** What all templates of this provider are called, before a number. */
export const TEMPLATE_PREFIX = 'karpenter.k8s.aws/';

/** Part of the hash. Another version is for another way to make the request: equal names must mean equal templates. */
const FORMAT = 1;

/**
 * The name under which a template is found again: templates of equal names are equal. Lists count as sets. Upstream's
 * numbers are other ones (spec 07 §14.2): its templates are found by their tags, and expire.
 */
export function templateName(spec: TemplateSpec): string {
  const text = setKey({ ...spec, userData: hashedUserData(spec.userData), format: FORMAT });
  return `${TEMPLATE_PREFIX}${createHash('sha256').update(text).digest().readBigUInt64BE()}`;
}

/** What user data of the family depends on. */
function hashedUserData({ bottlerocketVersion, ...input }: UserDataInput): object {
  const { family, custom, cluster } = input;
  const { name, endpoint, cidr, kubeDnsIp, caBundle } = cluster;
  if (family === 'Custom') return { family, custom, cluster: { name, endpoint, cidr, kubeDnsIp } };
  return {
    ...input,
    cluster: { name, endpoint, cidr, kubeDnsIp, caBundle },
    bindsByDefault: family === 'Bottlerocket' && bindsByDefault(bottlerocketVersion),
  };
}
