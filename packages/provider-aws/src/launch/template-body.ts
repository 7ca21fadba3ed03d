import type {
  CreateLaunchTemplateCommandInput,
  LaunchTemplateBlockDeviceMappingRequest,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { parseQuantity } from '@karpenter-ts/kubernetes';
import { ec2Tags } from './launch-tags.ts';
import { templateInterfaces } from './template-interfaces.ts';
import type { TemplateSpec } from './template-spec.ts';

/** The request that creates a launch template (spec 07 §14.3). `userData` is rendered, in base64. */
export function templateBody(
  spec: TemplateSpec,
  { name, userData }: { readonly name: string; readonly userData: string },
): Omit<CreateLaunchTemplateCommandInput, 'ClientToken'> {
  return {
    LaunchTemplateName: name,
    LaunchTemplateData: {
      ImageId: spec.amiId,
      IamInstanceProfile: { Name: spec.instanceProfile },
      ...blockDevices(spec),
      ...(spec.cpuOptions?.nestedVirtualization && {
        CpuOptions: { NestedVirtualization: spec.cpuOptions.nestedVirtualization },
      }),
      Monitoring: { Enabled: spec.detailedMonitoring },
      ...(userData !== '' && { UserData: userData }),
      MetadataOptions: metadataOptions(spec),
      NetworkInterfaces: templateInterfaces(spec),
      TagSpecifications: tagSpecifications(spec),
      Placement: placement(spec),
      EnclaveOptions: { Enabled: spec.enclaves },
      ...(spec.targetsReservations && reservationOptions(spec)),
    },
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: ec2Tags(spec.tags) }],
  };
}

/** EC2 refuses an empty list. */
function blockDevices({ blockDeviceMappings }: TemplateSpec): Pick<RequestLaunchTemplateData, 'BlockDeviceMappings'> {
  const mappings = blockDeviceMappings.flatMap(blockDevice);
  return mappings.length === 0 ? {} : { BlockDeviceMappings: mappings };
}

/** A mapping without a volume, which the CRD admits, maps nothing. Upstream panics at it (spec 07, weakness 35). */
function blockDevice({
  deviceName,
  ebs,
}: TemplateSpec['blockDeviceMappings'][number]): readonly LaunchTemplateBlockDeviceMappingRequest[] {
  if (ebs === undefined) return [];
  const volume = {
    DeleteOnTermination: ebs.deleteOnTermination,
    Encrypted: ebs.encrypted,
    VolumeType: ebs.volumeType,
    Iops: ebs.iops || undefined, // 0 counts as unset
    Throughput: ebs.throughput || undefined,
    KmsKeyId: ebs.kmsKeyID,
    SnapshotId: ebs.snapshotID,
    VolumeInitializationRate: ebs.volumeInitializationRate,
    VolumeSize: ebs.volumeSize === undefined ? undefined : gibibytes(ebs.volumeSize),
  };
  return [{ DeviceName: deviceName, Ebs: volume }];
}

const NANOS_PER_GIB = 2n ** 30n * 1_000_000_000n;

/** Rounded up: EC2 takes whole gibibytes. */
function gibibytes(size: string): number {
  const { nanos } = parseQuantity(size);
  return Number((nanos + NANOS_PER_GIB - 1n) / NANOS_PER_GIB);
}

/**
 * Tags are kept out of the metadata: an account may have turned them on for all instances, and ours have characters that
 * EC2 admits in no tag there, so that such a launch fails.
 */
function metadataOptions({ metadataOptions: options }: TemplateSpec): RequestLaunchTemplateData['MetadataOptions'] {
  return {
    HttpEndpoint: options.httpEndpoint,
    HttpProtocolIpv6: options.httpProtocolIPv6,
    HttpPutResponseHopLimit: options.httpPutResponseHopLimit ?? 0,
    HttpTokens: options.httpTokens,
    InstanceMetadataTags: 'disabled',
  };
}

/** Of what the launch creates beside what the request for a fleet tags. */
function tagSpecifications({ capacityType, tags }: TemplateSpec): RequestLaunchTemplateData['TagSpecifications'] {
  const Tags = ec2Tags(tags);
  return [
    { ResourceType: 'network-interface', Tags },
    ...(capacityType === 'spot' ? [{ ResourceType: 'spot-instances-request' as const, Tags }] : []),
  ];
}

function placement(spec: TemplateSpec): RequestLaunchTemplateData['Placement'] {
  const { tenancy, placementGroupId, partitionNumber } = spec;
  return {
    Tenancy: tenancy as 'default',
    ...(placementGroupId !== undefined && { GroupId: placementGroupId }),
    ...(partitionNumber !== undefined && { PartitionNumber: partitionNumber }),
  };
}

/** Without reservation a launch must not fall into an open one, which somebody keeps for something else. */
function reservationOptions({ reservation }: TemplateSpec): RequestLaunchTemplateData {
  if (reservation === undefined) {
    return { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } };
  }
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: reservation.id },
    },
    ...marketOptions(reservation),
  };
}

function marketOptions({
  type,
  interruptible,
}: NonNullable<TemplateSpec['reservation']>): Pick<RequestLaunchTemplateData, 'InstanceMarketOptions'> {
  if (type === 'capacity-block') return { InstanceMarketOptions: { MarketType: 'capacity-block' } };
  return interruptible ? { InstanceMarketOptions: { MarketType: 'interruptible-capacity-reservation' } } : {};
}
