import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import {
  ARCH_LABEL,
  AWS_LABELS,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  OS_LABEL,
  REGION_LABEL,
  type RequirementSpec,
  WINDOWS_BUILD_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { bandwidthFacts } from '@karpenter-ts/ec2-facts';
import { amiFamilyTraits } from './ami-family.ts';
import type { RequirementPool } from './requirement-pool.ts';
import type { CapacityReservationStatus, TypeSettings } from './type-settings.ts';

/** The labels that follow from EC2's description alone (spec 07 §4): the same for every NodeClass. */
export function ownLabels(info: InstanceTypeInfo, pool: RequirementPool): readonly RequirementSpec[] {
  const label = (key: string, value: string | number | boolean | undefined): RequirementSpec =>
    value === undefined ? pool.absent(key) : pool.oneOf(key, String(value));
  return [
    label(INSTANCE_TYPE_LABEL, info.InstanceType),
    label(ARCH_LABEL, architectureOf(info)),
    ...Object.entries({
      ...nameLabels(info.InstanceType!),
      ...processorLabels(info),
      ...storageLabels(info),
      ...gpuLabels(info),
      ...acceleratorLabels(info),
    }).map(([key, value]) => label(key, value)),
    label(AWS_LABELS.instanceMemoryMib, info.MemoryInfo?.SizeInMiB),
    label(AWS_LABELS.instanceNetworkBandwidthMbps, bandwidthFacts()[info.InstanceType!]),
    label(AWS_LABELS.instanceHypervisor, info.Hypervisor ?? ''), // bare metal has none
    label(AWS_LABELS.instanceEncryptionInTransitSupported, info.NetworkInfo?.EncryptionInTransitSupported ?? false),
    pool.oneOf(AWS_LABELS.instanceTenancy, 'default', 'dedicated'),
  ];
}

/** The labels that follow from the zones and reservations of a NodeClass, too. */
export function settingLabels(
  { info, zones: offered }: { readonly info: InstanceTypeInfo; readonly zones: ReadonlySet<string> },
  settings: TypeSettings,
  pool: RequirementPool,
): readonly RequirementSpec[] {
  const { windowsBuild } = amiFamilyTraits(settings.amiFamily);
  const reservations = settings.capacityReservations.filter(({ instanceType }) => instanceType === info.InstanceType);
  const zones = settings.zones.filter(({ name }) => offered.has(name));
  const zoneIds = zones.map(({ id }) => id).filter((id) => id !== '');
  return [
    pool.oneOf(OS_LABEL, ...systemsOf(info, windowsBuild)),
    windowsBuild === undefined ? pool.absent(WINDOWS_BUILD_LABEL) : pool.oneOf(WINDOWS_BUILD_LABEL, windowsBuild),
    pool.oneOf(REGION_LABEL, settings.region),
    pool.oneOf(ZONE_LABEL, ...zones.map(({ name }) => name)),
    ...(zoneIds.length === 0 ? [] : [pool.oneOf(AWS_LABELS.zoneId, ...zoneIds)]),
    pool.oneOf(CAPACITY_TYPE_LABEL, ...soldAs(info), ...(reservations.length === 0 ? [] : ['reserved'])),
    ...reservationLabels(reservations, pool),
  ];
}

/** How EC2 sells the type, apart from reservations. */
export function soldAs({ SupportedUsageClasses = [] }: InstanceTypeInfo): readonly ('on-demand' | 'spot')[] {
  return SupportedUsageClasses.filter((one) => one === 'on-demand' || one === 'spot');
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };

/** Types whose architecture Kubernetes has no word for get the printed list, as upstream: no pod asks for that. */
function architectureOf({ ProcessorInfo }: InstanceTypeInfo): string {
  const supported = ProcessorInfo?.SupportedArchitectures ?? [];
  const known = supported.find((one) => Object.hasOwn(ARCHITECTURES, one));
  return known === undefined ? `[${supported.join(' ')}]` : ARCHITECTURES[known]!;
}

function systemsOf(info: InstanceTypeInfo, windowsBuild: string | undefined): readonly string[] {
  if (windowsBuild === undefined) return ['linux'];
  return architectureOf(info) === 'amd64' ? ['windows'] : [];
}

type LabelValues = Readonly<Record<string, string | number | undefined>>;

/** `m5.large`, `u-6tb1.metal`, `mac2-m2pro.metal`: what is before the generation, and the generation. */
const NAME = /(^[a-z]+)(?:-[0-9]+tb)?([0-9]+).*\./;

function nameLabels(name: string): LabelValues {
  const scheme = NAME.exec(name);
  const parts = name.split('.');
  const [family, size] = parts.length === 2 ? parts : [];
  return {
    [AWS_LABELS.instanceCategory]: scheme?.[1],
    [AWS_LABELS.instanceGeneration]: scheme?.[2],
    [AWS_LABELS.instanceFamily]: family,
    [AWS_LABELS.instanceSize]: size,
    [AWS_LABELS.instanceCapabilityFlex]: String(parts[0]!.includes('-flex')),
  };
}

function processorLabels({ VCpuInfo, ProcessorInfo }: InstanceTypeInfo): LabelValues {
  const ghz = ProcessorInfo?.SustainedClockSpeedInGhz ?? 0;
  return {
    [AWS_LABELS.instanceCpu]: VCpuInfo?.DefaultVCpus,
    [AWS_LABELS.instanceCpuManufacturer]: ProcessorInfo && lowerKebab(ProcessorInfo.Manufacturer),
    [AWS_LABELS.instanceCpuSustainedClockSpeedMhz]: ProcessorInfo && Math.round(ghz * 1000),
  };
}

function storageLabels({ EbsInfo, InstanceStorageInfo }: InstanceTypeInfo): LabelValues {
  const { EbsOptimizedInfo, EbsOptimizedSupport } = EbsInfo ?? {};
  const isNvme = InstanceStorageInfo !== undefined && InstanceStorageInfo.NvmeSupport !== 'unsupported';
  return {
    [AWS_LABELS.instanceEbsBandwidthMbps]:
      EbsOptimizedSupport === 'default' && EbsOptimizedInfo
        ? (EbsOptimizedInfo.MaximumBandwidthInMbps ?? 0)
        : undefined,
    [AWS_LABELS.instanceLocalNvmeGib]: isNvme ? InstanceStorageInfo.TotalSizeInGB : undefined,
  };
}

/** A type with several kinds of GPU has the capacity, but no label that could name one of them. */
function gpuLabels({ GpuInfo }: InstanceTypeInfo): LabelValues {
  const gpu = GpuInfo?.Gpus?.length === 1 ? GpuInfo.Gpus[0] : undefined;
  return {
    [AWS_LABELS.instanceGpuName]: gpu && lowerKebab(gpu.Name),
    [AWS_LABELS.instanceGpuManufacturer]: gpu && lowerKebab(gpu.Manufacturer),
    [AWS_LABELS.instanceGpuCount]: gpu && (gpu.Count ?? 0),
    [AWS_LABELS.instanceGpuMemoryMib]: gpu && (gpu.MemoryInfo?.SizeInMiB ?? 0),
  };
}

/** AWS' own chips are listed as inference accelerators as well, where their names are less exact. */
function acceleratorLabels({ NeuronInfo, InferenceAcceleratorInfo }: InstanceTypeInfo): LabelValues {
  const { NeuronDevices: devices = [] } = NeuronInfo ?? {};
  const { Accelerators: others = [] } = NeuronInfo === undefined ? (InferenceAcceleratorInfo ?? {}) : {};
  const accelerator = devices.length === 1 ? devices[0] : others.length === 1 ? others[0] : undefined;
  const maker = devices.length === 1 ? 'aws' : others[0]?.Manufacturer;
  return {
    [AWS_LABELS.instanceAcceleratorName]: accelerator && lowerKebab(accelerator.Name),
    [AWS_LABELS.instanceAcceleratorManufacturer]: accelerator && lowerKebab(maker),
    [AWS_LABELS.instanceAcceleratorCount]: accelerator && (accelerator.Count ?? 0),
  };
}

function reservationLabels(
  reservations: readonly CapacityReservationStatus[],
  pool: RequirementPool,
): readonly RequirementSpec[] {
  const values = (of: (reservation: CapacityReservationStatus) => string) => [...new Set(reservations.map(of))].sort();
  return [
    pool.oneOf(AWS_LABELS.capacityReservationId, ...values(({ id }) => id)),
    pool.oneOf(AWS_LABELS.capacityReservationType, ...values(({ reservationType }) => reservationType)),
    pool.oneOf(
      AWS_LABELS.capacityReservationInterruptible,
      ...values(({ interruptible }) => String(interruptible === true)),
    ),
  ];
}

/** `T4g Pro` becomes `t4g-pro`. */
function lowerKebab(text = ''): string {
  return text.replaceAll(' ', '-').toLowerCase();
}
