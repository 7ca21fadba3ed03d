import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { amiFamilyTraits, DEFAULT_VOLUME_SIZE } from './ami-family.ts';
import type { TypeSettings } from './type-settings.ts';

/**
 * The size of what pods' ephemeral storage is on, as it was written (spec 07 §5.2). Mappings without a volume say nothing
 * about sizes, and those without a device cannot be the one looked for; upstream panics at both (weakness 35).
 */
export function ephemeralStorage(info: InstanceTypeInfo, settings: TypeSettings): string {
  const localGb = info.InstanceStorageInfo?.TotalSizeInGB;
  if (settings.instanceStorePolicy === 'RAID0' && localGb !== undefined) return `${localGb}G`;
  const { ephemeralDevice, defaultVolumes } = amiFamilyTraits(settings.amiFamily);
  return (
    configuredSize(settings, ephemeralDevice) ??
    defaultVolumes.find(({ deviceName }) => deviceName === ephemeralDevice)?.size ??
    DEFAULT_VOLUME_SIZE
  );
}

function configuredSize(
  { amiFamily, blockDeviceMappings }: TypeSettings,
  ephemeralDevice: string | undefined,
): string | undefined {
  const volumes = blockDeviceMappings.filter(({ ebs }) => ebs !== undefined);
  const root = volumes.find(({ rootVolume }) => rootVolume === true)?.ebs?.volumeSize;
  if (root !== undefined) return root;
  if (amiFamily === 'Custom') return volumes.at(-1)?.ebs?.volumeSize;
  return volumes.find(({ deviceName }) => deviceName === ephemeralDevice)?.ebs?.volumeSize;
}
