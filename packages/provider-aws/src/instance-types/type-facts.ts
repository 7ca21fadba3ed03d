import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

/**
 * The part of EC2's description of a type that the provider reads. The rest, more than half, is dropped: a thousand
 * descriptions are kept for as long as the process runs, and a change of what nobody reads is none.
 */
export function readFacts(info: InstanceTypeInfo): InstanceTypeInfo {
  const { EbsOptimizedInfo, EbsOptimizedSupport } = info.EbsInfo ?? {};
  const { NetworkInfo: network, InstanceStorageInfo: storage } = info;
  return {
    InstanceType: info.InstanceType,
    SupportedUsageClasses: info.SupportedUsageClasses,
    Hypervisor: info.Hypervisor,
    ProcessorInfo: info.ProcessorInfo,
    VCpuInfo: { DefaultVCpus: info.VCpuInfo?.DefaultVCpus },
    MemoryInfo: info.MemoryInfo,
    InstanceStorageInfo: storage && { TotalSizeInGB: storage.TotalSizeInGB, NvmeSupport: storage.NvmeSupport },
    EbsInfo: {
      EbsOptimizedSupport,
      EbsOptimizedInfo: EbsOptimizedInfo && { MaximumBandwidthInMbps: EbsOptimizedInfo.MaximumBandwidthInMbps },
    },
    NetworkInfo: network && {
      MaximumNetworkCards: network.MaximumNetworkCards,
      DefaultNetworkCardIndex: network.DefaultNetworkCardIndex,
      NetworkCards: network.NetworkCards?.map(({ NetworkCardIndex, MaximumNetworkInterfaces }) => ({
        NetworkCardIndex,
        MaximumNetworkInterfaces,
      })),
      Ipv4AddressesPerInterface: network.Ipv4AddressesPerInterface,
      EnaSupport: network.EnaSupport,
      EfaSupported: network.EfaSupported,
      EfaInfo: network.EfaInfo,
      EncryptionInTransitSupported: network.EncryptionInTransitSupported,
    },
    GpuInfo: info.GpuInfo,
    NeuronInfo: info.NeuronInfo,
    InferenceAcceleratorInfo: info.InferenceAcceleratorInfo,
    PlacementGroupInfo: info.PlacementGroupInfo,
  };
}
