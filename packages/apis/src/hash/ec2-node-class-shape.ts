import { findQuantity, formatQuantity } from '@karpenter-ts/kubernetes';
import { duration } from './node-pool-shape.ts';
import { bool, int32, int64, list, map, object, pointer, text, textAs, value } from './structure.ts';

const placementGroupSelector = object('PlacementGroupSelector', [
  pointer('Name', 'name', text),
  pointer('ID', 'id', text),
]);

/**
 * Equal sizes have equal hashes (1024Gi, 1Ti). An invalid quantity is hashed as written; validation refuses the class.
 */
const quantity = textAs((written) => {
  const parsed = findQuantity(written);
  return parsed === undefined ? written : formatQuantity(parsed);
});

const blockDevice = object('BlockDevice', [
  pointer('DeleteOnTermination', 'deleteOnTermination', bool),
  pointer('Encrypted', 'encrypted', bool),
  pointer('IOPS', 'iops', int64),
  pointer('KMSKeyID', 'kmsKeyID', text),
  pointer('SnapshotID', 'snapshotID', text),
  pointer('Throughput', 'throughput', int64),
  pointer('VolumeInitializationRate', 'volumeInitializationRate', int32),
  pointer('VolumeSize', 'volumeSize', quantity),
  pointer('VolumeType', 'volumeType', text),
]);

const blockDeviceMapping = object('BlockDeviceMapping', [
  pointer('DeviceName', 'deviceName', text),
  pointer('EBS', 'ebs', blockDevice),
  value('RootVolume', 'rootVolume', bool),
]);

const networkInterface = object('NetworkInterface', [
  value('NetworkCardIndex', 'networkCardIndex', int32),
  value('DeviceIndex', 'deviceIndex', int32),
  value('InterfaceType', 'interfaceType', text),
]);

const metadataOptions = object('MetadataOptions', [
  pointer('HTTPEndpoint', 'httpEndpoint', text),
  pointer('HTTPProtocolIPv6', 'httpProtocolIPv6', text),
  pointer('HTTPPutResponseHopLimit', 'httpPutResponseHopLimit', int64),
  pointer('HTTPTokens', 'httpTokens', text),
]);

const connectionTracking = object('ConnectionTracking', [
  pointer('TCPEstablishedTimeout', 'tcpEstablishedTimeout', int32),
  pointer('UDPStreamTimeout', 'udpStreamTimeout', int32),
  pointer('UDPTimeout', 'udpTimeout', int32),
]);

const kubeletConfiguration = object('KubeletConfiguration', [
  pointer('ClusterDNS', 'clusterDNS', list(text)),
  pointer('MaxPods', 'maxPods', int32),
  pointer('PodsPerCore', 'podsPerCore', int32),
  pointer('SystemReserved', 'systemReserved', map(text)),
  pointer('KubeReserved', 'kubeReserved', map(text)),
  pointer('EvictionHard', 'evictionHard', map(text)),
  pointer('EvictionSoft', 'evictionSoft', map(text)),
  pointer('EvictionSoftGracePeriod', 'evictionSoftGracePeriod', map(duration)),
  pointer('EvictionMaxPodGracePeriod', 'evictionMaxPodGracePeriod', int32),
  pointer('ImageGCHighThresholdPercent', 'imageGCHighThresholdPercent', int32),
  pointer('ImageGCLowThresholdPercent', 'imageGCLowThresholdPercent', int32),
  pointer('CPUCFSQuota', 'cpuCFSQuota', bool),
]);

/** `spec` of an EC2NodeClass as version v5 hashes it: selector terms, `amiFamily` and `ipPrefixCount` take no part. */
export const ec2NodeClassSpec = object('EC2NodeClassSpec', [
  pointer('PlacementGroupSelector', 'placementGroupSelector', placementGroupSelector),
  pointer('AssociatePublicIPAddress', 'associatePublicIPAddress', bool),
  pointer('UserData', 'userData', text),
  value('Role', 'role', text),
  pointer('InstanceProfile', 'instanceProfile', text),
  pointer('Tags', 'tags', map(text)),
  pointer('Kubelet', 'kubelet', kubeletConfiguration),
  pointer('BlockDeviceMappings', 'blockDeviceMappings', list(blockDeviceMapping)),
  pointer('InstanceStorePolicy', 'instanceStorePolicy', text),
  pointer('NetworkInterfaces', 'networkInterfaces', list(networkInterface)),
  pointer('DetailedMonitoring', 'detailedMonitoring', bool),
  pointer('MetadataOptions', 'metadataOptions', metadataOptions),
  pointer('ConnectionTracking', 'connectionTracking', connectionTracking),
  pointer('Context', 'context', text),
  pointer(
    'CPUOptions',
    'cpuOptions',
    object('CPUOptions', [pointer('NestedVirtualization', 'nestedVirtualization', text)]),
  ),
]);
