import { type EC2NodeClass, type NodeClaim, resolveAmiFamily } from '@karpenter-ts/apis';
import { parseQuantity, unitsOf } from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import type { JoinedCluster } from '../cluster/cluster-facts.ts';
import { imageChooser } from '../images/choose-image.ts';
import { amiFamilyTraits } from '../instance-types/ami-family.ts';
import { EFA_RESOURCE } from '../instances/type-data.ts';
import type { NodeClassSpec } from '../node-class/node-class-parts.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { userDataClaim, userDataInput } from '../user-data/user-data-input.ts';
import type { Tags } from './launch-tags.ts';
import type { LaunchTerms } from './launch-terms.ts';
import { isReserved } from './matcher.ts';
import { type TemplateSpec, templateName } from './template-spec.ts';

/** All that decides the launch templates of one launch. */
export interface TemplateRequest {
  readonly nodeClass: EC2NodeClass;
  readonly nodeClaim: NodeClaim;
  readonly types: readonly InstanceType[];
  readonly terms: LaunchTerms;
  readonly tags: Tags;
  readonly placementGroup: PlacementGroup | undefined;
  readonly cluster: JoinedCluster;
  readonly region: string;
  /** Whether capacity reservations are used. */
  readonly reservedCapacity: boolean;
}

/** Instance types that are launched with one template. */
export interface TemplateGroup {
  readonly name: string;
  readonly spec: TemplateSpec;
  readonly types: readonly InstanceType[];
}

/** The resource by which a pod asks for enclaves. */
const ENCLAVE_RESOURCE = 'eks.amazonaws.com/nip-slots';

/**
 * The templates that the types need: one for each image, number of pods, number of interfaces for EFA and reservation
 * (spec 07 §14.1). Types whose templates come out equal share one. Throws if no image suits any type.
 */
export function groupByTemplate(request: TemplateRequest): readonly TemplateGroup[] {
  const { types, nodeClass } = request;
  const amis = nodeClass.status?.amis ?? [];
  if ((nodeClass.status?.securityGroups ?? []).length === 0) {
    throw new Error('no security groups are present in the status');
  }
  if (amis.length === 0) throw new Error('no amis exist given constraints');
  const chooseImage = imageChooser(amis);
  const groups = new Map<string, { readonly spec: TemplateSpec; readonly types: InstanceType[] }>();
  const templateFor = templateSpecs(request);
  for (const type of types) {
    const image = chooseImage(type.requirements);
    if (image === undefined) continue;
    for (const { name, spec } of templateFor(type, image.id)) {
      const group = groups.get(name);
      if (group === undefined) groups.set(name, { spec, types: [type] });
      else group.types.push(type);
    }
  }
  if (groups.size === 0) {
    const ids = [...new Set(amis.map(({ id }) => id))];
    throw new Error(`no instance types satisfy requirements of amis [${ids.join(' ')}]`);
  }
  return [...groups].map(([name, group]) => ({ name, ...group }));
}

type NamedSpec = Pick<TemplateGroup, 'name' | 'spec'>;

/** Makes the templates of a type. Types that are equal in all that matters get the same objects. */
function templateSpecs(request: TemplateRequest): (type: InstanceType, amiId: string) => readonly NamedSpec[] {
  const common = commonSpec(request);
  const asksEfa = EFA_RESOURCE in (request.nodeClaim.spec.resources?.requests ?? {});
  const made = new Map<string, NamedSpec>();
  return (type, amiId) => {
    const pods = amountOf(type, 'pods');
    const efaCount = asksEfa ? amountOf(type, EFA_RESOURCE) : 0;
    return reservationsOf(type, request.terms).map((reservation) => {
      const key = `${amiId}/${pods}/${efaCount}/${reservation?.id ?? ''}`;
      let named = made.get(key);
      if (named === undefined) {
        const spec: TemplateSpec = {
          ...common,
          amiId,
          efaCount,
          reservation,
          userData: userDataOf(request, pods),
        };
        named = { name: templateName(spec), spec };
        made.set(key, named);
      }
      return named;
    });
  };
}

/** The reservations of the type to launch into; a single undefined for a launch without. */
function reservationsOf(
  { offerings }: InstanceType,
  { reservationKind }: LaunchTerms,
): readonly TemplateSpec['reservation'][] {
  if (reservationKind === undefined) return [undefined];
  const ids = offerings.filter(isReserved).flatMap(({ reservation }) => reservation?.id ?? []);
  return [...new Set(ids)].map((id) => ({ id, ...reservationKind }));
}

function userDataOf({ nodeClass, nodeClaim, terms, cluster }: TemplateRequest, pods: number): TemplateSpec['userData'] {
  const { capacityType } = terms;
  return userDataInput({ nodeClass, nodeClaim: userDataClaim(nodeClaim), capacityType, cluster, pods });
}

function commonSpec(request: TemplateRequest): Omit<TemplateSpec, 'amiId' | 'efaCount' | 'reservation' | 'userData'> {
  const { nodeClass, nodeClaim, terms, tags, placementGroup } = request;
  const spec: Partial<NodeClassSpec> = nodeClass.spec ?? {};
  const { status } = nodeClass;
  return {
    nodeClassName: nodeClass.metadata.name,
    tags,
    instanceProfile: status?.instanceProfile ?? '',
    securityGroupIds: (status?.securityGroups ?? []).map(({ id }) => id),
    blockDeviceMappings: blockDeviceMappingsOf(spec),
    metadataOptions: metadataOptionsOf(spec, request),
    cpuOptions: spec.cpuOptions,
    detailedMonitoring: spec.detailedMonitoring ?? false,
    networkInterfaces: spec.networkInterfaces,
    connectionTracking: spec.connectionTracking,
    associatePublicIPAddress: spec.associatePublicIPAddress,
    ipPrefixCount: spec.ipPrefixCount,
    enclaves: ENCLAVE_RESOURCE in (nodeClaim.spec.resources?.requests ?? {}),
    capacityType: terms.capacityType,
    tenancy: terms.tenancy,
    placementGroupId: placementGroup?.id,
    partitionNumber: partitionNumber(terms.partition),
    targetsReservations: request.reservedCapacity,
  };
}

/** A partition that is no number is left to EC2. */
function partitionNumber(partition: string | undefined): number | undefined {
  return /^[1-9][0-9]*$/.test(partition ?? '') ? Number(partition) : undefined;
}

function blockDeviceMappingsOf(spec: Partial<NodeClassSpec>): TemplateSpec['blockDeviceMappings'] {
  if (spec.blockDeviceMappings?.length) return spec.blockDeviceMappings;
  return amiFamilyTraits(resolveAmiFamily(spec)).defaultVolumes.map(({ deviceName, size }) => ({
    deviceName,
    ebs: { encrypted: true, volumeType: 'gp3', volumeSize: size },
  }));
}

/** Regions in which EC2 does not know of the option for IPv6. */
const WITHOUT_IPV6_METADATA: ReadonlySet<string> = new Set([
  'us-iso-east-1',
  'us-iso-west-1',
  'us-isob-east-1',
  'us-isob-west-1',
  'us-isof-south-1',
  'us-isof-east-1',
]);

/** The API server sets defaults, so that there are none only in an object that it has not seen. */
function metadataOptionsOf(
  { metadataOptions }: Partial<NodeClassSpec>,
  { cluster, region }: TemplateRequest,
): TemplateSpec['metadataOptions'] {
  const options: TemplateSpec['metadataOptions'] = metadataOptions ?? {
    httpEndpoint: 'disabled',
    httpProtocolIPv6: isIPv6(cluster) ? 'enabled' : 'disabled',
    httpPutResponseHopLimit: 2,
    httpTokens: 'required',
  };
  if (!WITHOUT_IPV6_METADATA.has(region)) return options;
  const { httpProtocolIPv6: _, ...rest } = options;
  return rest;
}

/** Whether the cluster's own addresses are IPv6. */
export function isIPv6({ kubeDnsIp }: Pick<JoinedCluster, 'kubeDnsIp'>): boolean {
  return kubeDnsIp?.includes(':') ?? false;
}

/** How much of a resource an instance of the type has, in whole units. */
export function amountOf({ capacity }: Pick<InstanceType, 'capacity'>, resource: string): number {
  const quantity = capacity[resource];
  return quantity === undefined ? 0 : Number(unitsOf(parseQuantity(quantity)));
}

/** Whether an offering draws on the reservation of a template; those without one take any. */
export function isForTemplate({ reservation }: Offering, spec: TemplateSpec): boolean {
  return spec.reservation === undefined || reservation?.id === spec.reservation.id;
}
