import { WINDOWS_BUILDS } from '@karpenter-ts/apis';

/** What the images of an AMI family are known to do, as far as it decides what fits on a node (spec 08 §15). */
export interface AmiFamilyTraits {
  /** The volumes a node has if its NodeClass names none. */
  readonly defaultVolumes: readonly DefaultVolume[];
  /** The device that pods' ephemeral storage is on; undefined if nobody knows. */
  readonly ephemeralDevice: string | undefined;
  /** Whether the kubelet's own limit of pods follows from the network interfaces of the type. */
  readonly limitsPodsByInterfaces: boolean;
  /** Whether the memory kept for the kubelet follows from that limit, whatever number of pods is configured. */
  readonly reservesMemoryByInterfaces: boolean;
  readonly honoursPodsPerCore: boolean;
  /** The build of Windows; undefined for Linux. */
  readonly windowsBuild: string | undefined;
}

export interface DefaultVolume {
  readonly deviceName: string;
  readonly size: string;
}

/** The size of a volume if nothing else is known: that of upstream's default EBS volume. */
export const DEFAULT_VOLUME_SIZE = '20Gi';

const AMAZON_LINUX: AmiFamilyTraits = {
  defaultVolumes: [{ deviceName: '/dev/xvda', size: DEFAULT_VOLUME_SIZE }],
  ephemeralDevice: '/dev/xvda',
  limitsPodsByInterfaces: true,
  reservesMemoryByInterfaces: true,
  honoursPodsPerCore: true,
  windowsBuild: undefined,
};

const windows = (windowsBuild: string): AmiFamilyTraits => ({
  defaultVolumes: [{ deviceName: '/dev/sda1', size: '50Gi' }],
  ephemeralDevice: '/dev/sda1',
  limitsPodsByInterfaces: false,
  reservesMemoryByInterfaces: false,
  honoursPodsPerCore: true,
  windowsBuild,
});

const FAMILIES: ReadonlyMap<string, AmiFamilyTraits> = new Map([
  [
    'Bottlerocket',
    {
      ...AMAZON_LINUX,
      // The first holds the system, the second everything that changes.
      defaultVolumes: [
        { deviceName: '/dev/xvda', size: '4Gi' },
        { deviceName: '/dev/xvdb', size: DEFAULT_VOLUME_SIZE },
      ],
      ephemeralDevice: '/dev/xvdb',
      reservesMemoryByInterfaces: false,
      honoursPodsPerCore: false,
    },
  ],
  ['Windows2019', windows(WINDOWS_BUILDS[2019])],
  ['Windows2022', windows(WINDOWS_BUILDS[2022])],
  ['Windows2025', windows(WINDOWS_BUILDS[2025])],
  ['Custom', { ...AMAZON_LINUX, defaultVolumes: [], ephemeralDevice: undefined }],
]);

/** AL2 and AL2023 are alike here, and a family that nobody knows behaves as AL2, as upstream has it. */
export function amiFamilyTraits(family: string): AmiFamilyTraits {
  return FAMILIES.get(family) ?? AMAZON_LINUX;
}
