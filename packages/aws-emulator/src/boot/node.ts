import type { Node } from '@karpenter-ts/kubernetes';
import { allocatableOf } from './allocatable.ts';
import type { BootingInstance } from './booting-instance.ts';
import { capacityOf } from './capacity.ts';
import type { BootInstructions } from './user-data/boot-instructions.ts';

/** The annotation of Nodes whose kubelet is simulated: the embedded cluster and KWOK run their pods. */
export const SIMULATED = 'kwok.x-k8s.io/node';

/**
 * The Node of an instance as its kubelet registers it, with what the cloud controller manager adds: provider id,
 * addresses, and the labels of type and zone.
 */
export function nodeOf(instance: BootingInstance, instructions: BootInstructions): Node {
  const { id, privateDnsName, privateIp, zone, type } = instance;
  const { kubelet } = instructions;
  const capacity = capacityOf(instance, instructions);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: privateDnsName,
      // The labels that a user asks for come first: the kubelet's own cannot be replaced.
      labels: { ...kubelet.labels, ...ownLabels(instance, instructions) },
      annotations: { [SIMULATED]: 'fake' },
    },
    spec: {
      providerID: `aws:///${zone}/${id}`,
      ...(kubelet.taints.length > 0 && { taints: kubelet.taints }),
    },
    status: {
      capacity,
      allocatable: allocatableOf(capacity, instructions, type),
      addresses: [
        { type: 'InternalIP', address: privateIp },
        { type: 'InternalDNS', address: privateDnsName },
        { type: 'Hostname', address: privateDnsName },
      ],
      nodeInfo: {
        architecture: architectureOf(instance),
        operatingSystem: osOf(instructions),
        osImage: OS_IMAGES[instructions.family],
      },
    },
  };
}

const OS_IMAGES: Readonly<Record<BootInstructions['family'], string>> = {
  AL2: 'Amazon Linux 2',
  AL2023: 'Amazon Linux 2023',
  Bottlerocket: 'Bottlerocket OS',
  Windows: 'Windows Server Datacenter',
};

function ownLabels(instance: BootingInstance, instructions: BootInstructions): Record<string, string> {
  const { privateDnsName, region, zone, zoneId, type } = instance;
  const [arch, os, typeName] = [architectureOf(instance), osOf(instructions), type.InstanceType ?? ''];
  return {
    'beta.kubernetes.io/arch': arch,
    'beta.kubernetes.io/instance-type': typeName,
    'beta.kubernetes.io/os': os,
    'failure-domain.beta.kubernetes.io/region': region,
    'failure-domain.beta.kubernetes.io/zone': zone,
    'kubernetes.io/arch': arch,
    'kubernetes.io/hostname': privateDnsName,
    'kubernetes.io/os': os,
    'node.kubernetes.io/instance-type': typeName,
    'topology.k8s.aws/zone-id': zoneId,
    'topology.kubernetes.io/region': region,
    'topology.kubernetes.io/zone': zone,
    ...(os === 'windows' && { 'node.kubernetes.io/windows-build': WINDOWS_BUILD }),
  };
}

const WINDOWS_BUILD = '10.0.20348'; // Windows Server 2022

function architectureOf({ architecture }: BootingInstance): string {
  return architecture === 'x86_64' ? 'amd64' : architecture;
}

function osOf({ family }: BootInstructions): string {
  return family === 'Windows' ? 'windows' : 'linux';
}
