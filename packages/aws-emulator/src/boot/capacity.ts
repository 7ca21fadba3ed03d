import type { ResourceList } from '@karpenter-ts/kubernetes';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { BootingInstance } from './booting-instance.ts';
import type { BootInstructions } from './user-data/boot-instructions.ts';

const KIB_PER_MIB = 1024;
const KIB_PER_GIB = 1024 * KIB_PER_MIB;

/** What firmware and kernel keep of the memory that EC2 states. Real instances lose 2 % to 6 %. */
const HIDDEN_MEMORY = 0.03;
/** What a file system keeps of its volume. */
const HIDDEN_STORAGE = 0.001;

/** The capacity that the kubelet and the device plugins report, zeros left out. */
export function capacityOf(instance: BootingInstance, instructions: BootInstructions): ResourceList {
  const { type } = instance;
  const cpu = cpusOf(type);
  const memoryKib = Math.floor((type.MemoryInfo?.SizeInMiB ?? 0) * KIB_PER_MIB * (1 - HIDDEN_MEMORY));
  const storageKib = Math.floor(storageGib(instance, instructions) * KIB_PER_GIB * (1 - HIDDEN_STORAGE));
  const amounts = {
    cpu: `${cpu}`,
    memory: `${memoryKib}Ki`,
    'ephemeral-storage': `${storageKib}Ki`,
    pods: `${podsOf(type, instructions)}`,
    ...devicesOf(instance),
  };
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== '0'));
}

export function cpusOf(type: InstanceTypeInfo): number {
  return type.VCpuInfo?.DefaultVCpus ?? 1;
}

/** Addresses that the interfaces of the default network card leave for pods, and two pods that share the host's. */
export function eniLimitedPods(type: InstanceTypeInfo): number {
  const { DefaultNetworkCardIndex = 0, NetworkCards = [], Ipv4AddressesPerInterface = 1 } = type.NetworkInfo ?? {};
  const interfaces = NetworkCards[DefaultNetworkCardIndex]?.MaximumNetworkInterfaces ?? 0;
  return interfaces * (Ipv4AddressesPerInterface - 1) + 2;
}

const KUBELET_MAX_PODS = 110;

export function podsOf(type: InstanceTypeInfo, { family, kubelet }: BootInstructions): number {
  const own = family === 'Windows' ? KUBELET_MAX_PODS : eniLimitedPods(type);
  const maxPods = kubelet.maxPods ?? own;
  return kubelet.podsPerCore > 0 ? Math.min(maxPods, kubelet.podsPerCore * cpusOf(type)) : maxPods;
}

/** The volume that images and pods write to: the instance's own disks where they are put together. */
function storageGib(instance: BootingInstance, { family, localDisks }: BootInstructions): number {
  const localGb = instance.type.InstanceStorageInfo?.TotalSizeInGB ?? 0;
  if (localDisks === 'raid0' && localGb > 0) return (localGb * 1e9) / 2 ** 30;
  const device = family === 'Bottlerocket' ? BOTTLEROCKET_DATA_DEVICE : instance.rootDeviceName;
  const volume = instance.volumes.find(({ deviceName }) => deviceName === device) ?? instance.volumes.at(-1);
  return volume?.sizeGiB ?? 0;
}

/** Bottlerocket keeps its system and its data on volumes of their own. */
const BOTTLEROCKET_DATA_DEVICE = '/dev/xvdb';

const GPU_RESOURCES: Readonly<Record<string, string>> = {
  NVIDIA: 'nvidia.com/gpu',
  AMD: 'amd.com/gpu',
  Habana: 'habana.ai/gaudi',
};

/** As the device plugins of the vendors report them; they are all taken to be installed. */
function devicesOf({ type, efaInterfaces }: BootingInstance): Record<string, string> {
  const { GpuInfo, NeuronInfo } = type;
  const devices: Record<string, number> = {};
  const add = (resource: string | undefined, count = 0): void => {
    if (resource !== undefined) devices[resource] = (devices[resource] ?? 0) + count;
  };
  for (const { Manufacturer = '', Count } of GpuInfo?.Gpus ?? []) add(GPU_RESOURCES[Manufacturer], Count);
  for (const { Count = 0, CoreInfo } of NeuronInfo?.NeuronDevices ?? []) {
    add('aws.amazon.com/neuron', Count);
    add('aws.amazon.com/neuroncore', Count * (CoreInfo?.Count ?? 0));
  }
  add('vpc.amazonaws.com/efa', efaInterfaces);
  return Object.fromEntries(Object.entries(devices).map(([resource, count]) => [resource, `${count}`]));
}
