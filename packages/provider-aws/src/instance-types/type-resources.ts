import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { networkLimitFacts } from '@karpenter-ts/ec2-facts';
import { canonicalQuantity, parseQuantity, type Quantity, type ResourceList, unitsOf } from '@karpenter-ts/kubernetes';
import { parseFloatLiteral } from '@karpenter-ts/runtime';
import type { Overhead } from '@karpenter-ts/scheduling';
import { amiFamilyTraits } from './ami-family.ts';
import { ephemeralStorage } from './ephemeral-storage.ts';
import { podCapacity, podsReservedFor } from './pod-capacity.ts';
import type { TypeSettings } from './type-settings.ts';

const MEBIBYTE = 1024 * 1024;

/** The resources of a type (spec 07 §5). Every resource is listed, those of which there are none too. */
export function capacityOf(info: InstanceTypeInfo, settings: TypeSettings): ResourceList {
  const name = info.InstanceType!;
  const limits = networkLimitFacts()[name];
  const isWindows = amiFamilyTraits(settings.amiFamily).windowsBuild !== undefined && isAmd64(info);
  return {
    cpu: countText(info.VCpuInfo?.DefaultVCpus ?? 0),
    memory: mebibytesText(usableMebibytes(info, settings)),
    'ephemeral-storage': canonicalQuantity(ephemeralStorage(info, settings)),
    pods: countText(podCapacity(info, settings)),
    'vpc.amazonaws.com/pod-eni': countText(limits?.trunking === true ? limits.branchInterfaces : 0),
    'nvidia.com/gpu': countText(gpuCount(info, 'NVIDIA')),
    'amd.com/gpu': countText(gpuCount(info, 'AMD')),
    'habana.ai/gaudi': countText(gpuCount(info, 'Habana')),
    'aws.amazon.com/neuron': countText(neuronDevices(info)),
    'aws.amazon.com/neuroncore': countText(neuronCores(info)),
    'vpc.amazonaws.com/efa': countText(efaCount(info, settings)),
    ...(isWindows && { 'vpc.amazonaws.com/PrivateIPv4Address': countText((limits?.ipv4PerInterface ?? 1) - 1) }),
  };
}

/** What the system keeps of these resources (spec 07 §6). */
export function overheadOf(info: InstanceTypeInfo, settings: TypeSettings): Overhead {
  const { kubeReserved, systemReserved = {} } = settings.kubelet;
  return {
    kubeReserved: {
      cpu: `${reservedMillicores(1000 * (info.VCpuInfo?.DefaultVCpus ?? 0))}m`,
      memory: mebibytesText(11 * podsReservedFor(info, settings) + 255),
      'ephemeral-storage': '1Gi',
      ...kubeReserved,
    },
    systemReserved,
    evictionThreshold: evictionThreshold(info, settings),
  };
}

/** The first architecture decides: Graviton keeps 64 MiB for devices; the hypervisor keeps a share of the rest. */
function usableMebibytes(info: InstanceTypeInfo, { vmMemoryOverheadPercent }: TypeSettings): number {
  const isGraviton = info.ProcessorInfo?.SupportedArchitectures?.[0] === 'arm64';
  const mebibytes = (info.MemoryInfo?.SizeInMiB ?? 0) - (isGraviton ? 64 : 0);
  return mebibytes - Math.ceil((mebibytes * MEBIBYTE * vmMemoryOverheadPercent) / 1024 / 1024);
}

/** 6 % of the first core, 1 % of the second, 0.5 % of the next two and 0.25 % of the others, each part rounded down. */
const RESERVED_CPU = [
  { from: 0, to: 1000, part: 0.06 },
  { from: 1000, to: 2000, part: 0.01 },
  { from: 2000, to: 4000, part: 0.005 },
  { from: 4000, to: 2 ** 31, part: 0.0025 },
];

function reservedMillicores(millicores: number): number {
  let reserved = 0;
  for (const { from, to, part } of RESERVED_CPU) {
    if (millicores >= from) reserved += Math.trunc((Math.min(millicores, to) - from) * part);
  }
  return reserved;
}

function evictionThreshold(info: InstanceTypeInfo, settings: TypeSettings): ResourceList {
  const { evictionHard = {} } = settings.kubelet;
  const storage = parseQuantity(ephemeralStorage(info, settings));
  const memoryThreshold = evictionHard['memory.available'];
  const storageThreshold = evictionHard['nodefs.available'];
  const memoryBytes = usableMebibytes(info, settings) * MEBIBYTE;
  return {
    memory: memoryThreshold === undefined ? '100Mi' : thresholdText(memoryThreshold, memoryBytes),
    'ephemeral-storage':
      storageThreshold === undefined
        ? String(Math.ceil((Number(unitsOf(storage)) / 100) * 10))
        : thresholdText(storageThreshold, approximately(storage)),
  };
}

/** A quantity as it is written; of a percentage the amount. 100 % switches the threshold off, as the kubelet has it. */
function thresholdText(threshold: string, capacity: number): string {
  if (!threshold.endsWith('%')) return threshold;
  const percentage = parseFloatLiteral(threshold.replaceAll('%', ''));
  if (typeof percentage !== 'number') throw new Error(`a threshold was not checked: ${threshold}`);
  return String(Math.ceil((capacity / 100) * (percentage === 100 ? 0 : percentage)));
}

function approximately({ nanos }: Quantity): number {
  const units = nanos / 1_000_000_000n;
  return units * 1_000_000_000n === nanos ? Number(units) : Number(nanos) / 1e9;
}

function isAmd64({ ProcessorInfo }: InstanceTypeInfo): boolean {
  return ProcessorInfo?.SupportedArchitectures?.find((one) => one === 'x86_64' || one === 'arm64') === 'x86_64';
}

function gpuCount({ GpuInfo }: InstanceTypeInfo, manufacturer: string): number {
  return sumOf((GpuInfo?.Gpus ?? []).filter(({ Manufacturer }) => Manufacturer === manufacturer));
}

function neuronDevices({ NeuronInfo }: InstanceTypeInfo): number {
  return sumOf(NeuronInfo?.NeuronDevices ?? []);
}

function neuronCores({ NeuronInfo }: InstanceTypeInfo): number {
  const device = NeuronInfo?.NeuronDevices?.[0];
  return (device?.Count ?? 0) * (device?.CoreInfo?.Count ?? 0);
}

/** Interfaces that the NodeClass lists are all there are, be there none for EFA among them. */
function efaCount({ NetworkInfo }: InstanceTypeInfo, { networkInterfaces }: TypeSettings): number {
  if (networkInterfaces === undefined) return NetworkInfo?.EfaInfo?.MaximumEfaInterfaces ?? 0;
  return networkInterfaces.filter(({ interfaceType }) => interfaceType === 'efa-only').length;
}

function sumOf(devices: readonly { readonly Count?: number | undefined }[]): number {
  return devices.reduce((sum, { Count = 0 }) => sum + Count, 0);
}

function countText(count: number): string {
  return count > -1000 && count < 1000 ? String(count) : canonicalQuantity(count);
}

function mebibytesText(count: number): string {
  return canonicalQuantity(`${count}Mi`);
}
