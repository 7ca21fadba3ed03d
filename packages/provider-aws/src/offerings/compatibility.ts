import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { NodeClassSettings } from './node-class-settings.ts';

/** Whether EC2 would launch the type with these settings. One that it would not is listed, without anything to buy (spec 07 §7). */
export function isCompatible(info: InstanceTypeInfo, settings: NodeClassSettings): boolean {
  return (
    hasInterfaces(info, settings) &&
    !(settings.types.amiFamily === 'AL2023' && info.InstanceType!.startsWith('a1.')) &&
    canNestVirtualization(info, settings) &&
    suitsPlacement(info, settings) &&
    // Bare metal has no hypervisor, and is excluded as upstream does.
    !(settings.connectionTracking && info.Hypervisor !== 'nitro')
  );
}

function hasInterfaces({ NetworkInfo }: InstanceTypeInfo, { types }: NodeClassSettings): boolean {
  const { networkInterfaces } = types;
  if (networkInterfaces === undefined) return true;
  const cards = NetworkInfo?.NetworkCards ?? [];
  if (cards.length === 0 || NetworkInfo?.EnaSupport === 'unsupported') return false;
  const fitsCards = networkInterfaces.every(({ networkCardIndex, deviceIndex }) => {
    const card = cards.find(({ NetworkCardIndex = 0 }) => NetworkCardIndex === networkCardIndex);
    return networkCardIndex < cards.length && (card?.MaximumNetworkInterfaces ?? 0) > deviceIndex;
  });
  const efaOnly = networkInterfaces.filter(({ interfaceType }) => interfaceType === 'efa-only').length;
  return fitsCards && efaOnly <= (NetworkInfo?.EfaInfo?.MaximumEfaInterfaces ?? 0);
}

function canNestVirtualization({ ProcessorInfo }: InstanceTypeInfo, settings: NodeClassSettings): boolean {
  return (
    !settings.nestedVirtualization || (ProcessorInfo?.SupportedFeatures?.includes('nested-virtualization') ?? false)
  );
}

function suitsPlacement({ PlacementGroupInfo }: InstanceTypeInfo, { placementGroup }: NodeClassSettings): boolean {
  return (
    placementGroup === undefined ||
    (PlacementGroupInfo?.SupportedStrategies?.includes(placementGroup.strategy) ?? false)
  );
}
