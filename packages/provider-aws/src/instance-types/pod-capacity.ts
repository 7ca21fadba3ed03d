import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { amiFamilyTraits } from './ami-family.ts';
import type { TypeSettings } from './type-settings.ts';

/** How many pods a node takes where neither the family nor the kubelet says anything: the kubelet's own default. */
const DEFAULT_PODS = 110;

/** The most pods of a node (spec 07 §5.3). */
export function podCapacity(info: InstanceTypeInfo, settings: TypeSettings): number {
  const { limitsPodsByInterfaces, honoursPodsPerCore } = amiFamilyTraits(settings.amiFamily);
  const { maxPods, podsPerCore = 0 } = settings.kubelet;
  const byType = limitsPodsByInterfaces ? podsByInterfaces(info, settings, settings.reservedEnis) : DEFAULT_PODS;
  const count = maxPods ?? byType;
  if (podsPerCore <= 0 || !honoursPodsPerCore) return count;
  return Math.min(podsPerCore * (info.VCpuInfo?.DefaultVCpus ?? 0), count);
}

/** The number of pods by which memory is set aside for the kubelet: for most families not the number above. */
export function podsReservedFor(info: InstanceTypeInfo, settings: TypeSettings): number {
  const { reservesMemoryByInterfaces } = amiFamilyTraits(settings.amiFamily);
  return reservesMemoryByInterfaces ? podsByInterfaces(info, settings, 0) : podCapacity(info, settings);
}

/**
 * How many pods can have an address of their own: the VPC CNI uses the default network card only, and one address of each
 * interface is the node's. Two pods use the node's network. Interfaces for EFA alone have no addresses.
 */
function podsByInterfaces({ NetworkInfo }: InstanceTypeInfo, settings: TypeSettings, reserved: number): number {
  const { NetworkCards = [], DefaultNetworkCardIndex = 0, Ipv4AddressesPerInterface = 0 } = NetworkInfo ?? {};
  const onCard = NetworkCards[DefaultNetworkCardIndex]?.MaximumNetworkInterfaces ?? 0;
  const efaOnly = (settings.networkInterfaces ?? []).filter(
    ({ networkCardIndex, interfaceType }) => networkCardIndex === 0 && interfaceType === 'efa-only',
  );
  const usable = onCard - reserved - efaOnly.length;
  return usable <= 0 ? 0 : usable * (Ipv4AddressesPerInterface - 1) + 2;
}
