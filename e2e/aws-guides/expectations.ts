// What each guide comes to, by its name: the instances, and the Nodes that are made of them.
import assert from 'node:assert/strict';
import { parseQuantity } from '@karpenter-ts/kubernetes';
import { IDS, INSTANCE_PROFILE } from './account.ts';
import type { LaunchedNode, Outcome } from './guide.ts';

type Expectation = (outcome: Outcome) => void;

const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

export const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  al2023: ({ nodeClass, nodes }) => {
    for (const node of nodes) {
      const { instance } = node;
      assert.equal(instance.imageName, 'amazon-eks-node-al2023-x86_64-standard-1.35-v20260101');
      assert.match(instance.instanceType, /^[cmr]([5-9]|\d\d)/);
      assert.equal(instance.lifecycle, 'on-demand');
      assert.deepEqual(instance.volumes, [{ deviceName: '/dev/xvda', sizeGiB: 20 }]);
      assert.equal(instance.spec.BlockDeviceMappings?.[0]?.Ebs?.Encrypted, true);
      assert.deepEqual(optionsOf(node), ['enabled', 'disabled', 1, 'required']);
      assert.equal(instance.tags.get('cost-center'), '1234');
      assert.equal(labelOf(node, 'intent'), 'apps');
      assert.match(userDataOf(node), /strategy|localStorage: \{\}/);
    }
    assert.equal(
      sum(nodes, ({ pods }) => pods.length),
      5,
    );
    // One image for each kind of instance: plain, NVIDIA's and Neuron's, on both architectures where there is one.
    assert.equal(nodeClass.status?.amis?.length, 5);
  },

  bottlerocket: (outcome) => {
    const node = only(outcome);
    const { instance } = node;
    assert.match(instance.imageName, /^bottlerocket-aws-k8s-1\.35-x86_64-/);
    assert.deepEqual(instance.volumes, [
      { deviceName: '/dev/xvda', sizeGiB: 4 },
      { deviceName: '/dev/xvdb', sizeGiB: 80 },
    ]);
    assert.equal(gibibytesOf(node), 80);
    const text = userDataOf(node);
    assert.match(text, /\[settings\.ntp\]\s+time-servers/);
    assert.match(text, /kube-api-qps = 30/);
    assert.match(text, /\[settings\.host-containers\.admin\]\s+enabled = true/);
    assert.equal(labelOf(node, 'example.com/from-user-data'), 'yes');
    // A tenth of the memory is kept free.
    const { capacity, allocatable } = node.node.status!;
    assert.ok(kibibytes(allocatable!['memory']) < 0.9 * kibibytes(capacity!['memory']));
  },

  windows: (outcome) => {
    const node = only(outcome);
    const { instance } = node;
    assert.match(instance.imageName, /^Windows_Server-2022-English-Core-EKS_Optimized-1\.35-/);
    assert.deepEqual([instance.platform, instance.volumes], ['windows', [{ deviceName: '/dev/sda1', sizeGiB: 50 }]]);
    assert.deepEqual(optionsOf(node), ['enabled', 'disabled', 2, 'required']);
    assert.match(userDataOf(node), /^<powershell>[^]*Start-EKSBootstrap\.ps1[^]*<\/powershell>\s*$/);
    assert.equal(labelOf(node, 'node.kubernetes.io/windows-build'), '10.0.20348');
    assert.deepEqual(node.node.spec?.taints, [{ key: 'os', value: 'windows', effect: 'NoSchedule' }]);
    assert.equal(node.node.status?.capacity?.['pods'], '110');
  },

  gpu: (outcome) => {
    const node = only(outcome);
    assert.equal(node.instance.imageName, 'amazon-eks-node-al2023-x86_64-nvidia-1.35-v20260101');
    assert.match(node.instance.instanceType, /^g\d/);
    assert.equal(node.node.status?.allocatable?.['nvidia.com/gpu'], '1');
    assert.equal(labelOf(node, 'karpenter.k8s.aws/instance-gpu-manufacturer'), 'nvidia');
    assert.deepEqual(node.node.spec?.taints, [{ key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' }]);
    assert.equal(gibibytesOf(node), 100);
  },

  neuron: (outcome) => {
    const node = only(outcome);
    assert.equal(node.instance.imageName, 'amazon-eks-node-al2023-x86_64-neuron-1.35-v20260101');
    assert.match(node.instance.instanceType, /^(inf2|trn1)\./);
    assert.ok(Number(node.node.status?.allocatable?.['aws.amazon.com/neuron']) >= 1);
    assert.equal(labelOf(node, 'karpenter.k8s.aws/instance-accelerator-manufacturer'), 'aws');
  },

  graviton: ({ nodes }) => {
    for (const node of nodes) {
      assert.equal(node.instance.imageName, 'amazon-eks-node-al2023-arm64-standard-1.35-v20260101');
      assert.match(node.instance.instanceType, /^[cmr]([7-9]|\d\d)g/);
      assert.equal(labelOf(node, 'cpu'), 'graviton');
      assert.ok(['4', '8', '16'].includes(labelOf(node, 'karpenter.k8s.aws/instance-cpu') ?? ''));
    }
  },

  split: ({ nodes }) => {
    const podsBy = (capacityType: string): number =>
      sum(nodes, (node) => (labelOf(node, CAPACITY_TYPE) === capacityType ? node.pods.length : 0));
    assert.deepEqual([podsBy('on-demand'), podsBy('spot')], [2, 8]);
    const domains = new Set(nodes.map((node) => labelOf(node, 'capacity-spread')));
    assert.deepEqual(domains, new Set(['1', '2', '3', '4', '5']));
    for (const node of nodes) assert.equal(node.instance.lifecycle, labelOf(node, CAPACITY_TYPE));
  },

  'spot-first': ({ nodes }) => {
    for (const node of nodes) {
      assert.equal(node.instance.lifecycle, 'spot');
      assert.equal(labelOf(node, CAPACITY_TYPE), 'spot');
      assert.ok(['us-east-1a', 'us-east-1b'].includes(node.instance.zone.name));
    }
  },

  'custom-ami': ({ nodeClass, nodes }) => {
    const images = nodes.map(({ instance }) => [instance.architecture, instance.imageId] as const);
    assert.deepEqual(Object.fromEntries(images), { arm64: IDS.goldenArmImage, x86_64: IDS.goldenImage });
    assert.equal(nodeClass.status?.amis?.length, 2);
    for (const node of nodes) assert.match(userDataOf(node), /kind: NodeConfig/);
  },

  'custom-ami-tags': (outcome) => {
    const node = only(outcome);
    assert.equal(node.instance.imageId, IDS.taggedImage);
    assert.match(userDataOf(node), /^#!\/bin\/bash\nset -o errexit/);
    assert.equal(labelOf(node, 'example.com/image'), 'golden');
    assert.equal(node.node.status?.capacity?.['pods'], '20');
    assert.equal(node.instance.spec.BlockDeviceMappings, undefined);
  },

  'block-devices': (outcome) => {
    const node = only(outcome);
    assert.deepEqual(node.instance.spec.BlockDeviceMappings, [
      {
        DeviceName: '/dev/xvda',
        Ebs: {
          DeleteOnTermination: true,
          Encrypted: true,
          Iops: 10_000,
          KmsKeyId: '1234abcd-12ab-34cd-56ef-1234567890ab',
          Throughput: 125,
          VolumeSize: 100,
          VolumeType: 'gp3',
        },
      },
      {
        DeviceName: '/dev/xvdb',
        Ebs: { Encrypted: true, SnapshotId: 'snap-0123456789abcdef0', VolumeSize: 200, VolumeType: 'st1' },
      },
    ]);
    assert.equal(gibibytesOf(node), 100);
  },

  kubelet: (outcome) => {
    const node = only(outcome);
    const { capacity, allocatable } = node.node.status!;
    // Of 4 cores 0.3, of the pods 30 at most and 8 for each core.
    assert.deepEqual([capacity!['pods'], allocatable!['cpu']], ['30', '3700m']);
    const kept = kibibytes(capacity!['memory']) - kibibytes(allocatable!['memory']);
    assert.ok(Math.abs(kept - 400 * 1024 - 0.05 * kibibytes(capacity!['memory'])) < 2);
    const text = userDataOf(node);
    for (const line of [
      'evictionMaxPodGracePeriod: 60',
      'imageGCHighThresholdPercent: 85',
      'imageGCLowThresholdPercent: 80',
      'cpuCFSQuota: true',
      'maxPods: 30',
      'podsPerCore: 8',
      'nodefs.available: 1m30s',
      '- 10.100.0.10',
    ]) {
      assert.ok(text.includes(line), line);
    }
  },

  'private-cluster': (outcome) => {
    const node = only(outcome);
    assert.equal(outcome.nodeClass.status?.instanceProfile, INSTANCE_PROFILE);
    assert.deepEqual(
      outcome.nodeClass.status?.subnets?.map(({ id }) => id),
      [IDS.privateA, IDS.privateB, IDS.privateC],
    );
    assert.deepEqual(
      outcome.nodeClass.status?.securityGroups?.map(({ id }) => id),
      [IDS.clusterGroup],
    );
    assert.equal(node.instance.spec.NetworkInterfaces?.[0]?.AssociatePublicIpAddress, false);
  },

  ipv6: (outcome) => {
    const node = only(outcome);
    assert.equal(node.instance.networkInterfaces[0]?.ipv6Addresses.length, 1);
    assert.equal(node.instance.spec.NetworkInterfaces?.[0]?.PrimaryIpv6, true);
    assert.deepEqual(optionsOf(node), ['enabled', 'enabled', 1, 'required']);
    const text = userDataOf(node);
    assert.match(text, /clusterDNS:\s+- fd00:10:100::a/);
    assert.match(text, /cidr: fd[0-9a-f:]+\/108/);
  },

  'instance-store': (outcome) => {
    const node = only(outcome);
    assert.match(userDataOf(node), /localStorage:\s+strategy: RAID0/);
    const disks = node.instance.type.InstanceStorageInfo?.TotalSizeInGB ?? 0;
    assert.ok(disks > 100);
    assert.ok(Math.abs(gibibytesOf(node) - (disks * 1e9) / 2 ** 30) < 2);
  },

  'user-data-mime': (outcome) => {
    const node = only(outcome);
    const text = userDataOf(node);
    const places = ['before the kubelet starts', 'registryPullQPS: 20', '# Karpenter Generated NodeConfig'];
    const found = places.map((place) => text.indexOf(place));
    assert.deepEqual(
      found,
      [...found].sort((a, b) => a - b),
    );
    assert.ok(found[0]! > 0);
    assert.doesNotMatch(text, /BOUNDARY/);
    assert.equal(labelOf(node, 'example.com/part'), 'mime');
  },

  'user-data-shell': (outcome) => {
    const node = only(outcome);
    assert.match(userDataOf(node), /Content-Type: text\/x-shellscript[^]*a setting[^]*kind: NodeConfig/);
    assert.equal(node.instance.spec.Monitoring?.Enabled, true);
  },

  selectors: ({ nodeClass, nodes }) => {
    assert.deepEqual(nodeClass.status?.subnets?.map(({ id }) => id).sort(), [IDS.privateA, IDS.privateB]);
    const groups = [IDS.nodeGroup, IDS.extraGroup, IDS.monitoringGroup];
    assert.deepEqual(
      nodeClass.status?.securityGroups?.map(({ id }) => id),
      groups,
    );
    assert.deepEqual(nodes.map(({ instance }) => instance.subnetId).sort(), [IDS.privateA, IDS.privateB]);
  },

  'capacity-reservation': ({ nodeClass, nodes }) => {
    assert.deepEqual(
      nodeClass.status?.capacityReservations?.map(({ id }) => id),
      [IDS.reservation, IDS.baseline],
    );
    assert.equal(nodes.length, 3);
    for (const node of nodes) {
      const { reservedIn } = node.instance;
      assert.equal(labelOf(node, CAPACITY_TYPE), reservedIn === undefined ? 'on-demand' : 'reserved');
      assert.equal(labelOf(node, 'karpenter.k8s.aws/capacity-reservation-id'), reservedIn);
    }
    const used = new Set(nodes.map(({ instance }) => instance.reservedIn));
    assert.deepEqual(used, new Set([undefined, IDS.reservation, IDS.baseline]));
  },

  tenancy: (outcome) => {
    const node = only(outcome);
    assert.equal(node.instance.spec.Placement?.Tenancy, 'dedicated');
    assert.equal(labelOf(node, 'karpenter.k8s.aws/instance-tenancy'), 'dedicated');
  },
};

function only({ nodes }: Outcome): LaunchedNode {
  assert.equal(nodes.length, 1);
  return nodes[0]!;
}

function labelOf({ node }: LaunchedNode, key: string): string | undefined {
  return node.metadata.labels?.[key];
}

function userDataOf({ instance }: LaunchedNode): string {
  return Buffer.from(instance.userData ?? '', 'base64').toString('utf8');
}

function optionsOf({ instance }: LaunchedNode): readonly unknown[] {
  const { HttpEndpoint, HttpProtocolIpv6, HttpPutResponseHopLimit, HttpTokens } = instance.spec.MetadataOptions ?? {};
  return [HttpEndpoint, HttpProtocolIpv6, HttpPutResponseHopLimit, HttpTokens];
}

/** The storage that pods write to. */
function gibibytesOf({ node }: LaunchedNode): number {
  return Math.round(kibibytes(node.status?.capacity?.['ephemeral-storage']) / 1024 ** 2);
}

function kibibytes(amount: string | number = 0): number {
  const bytes = parseQuantity(String(amount)).nanos / 1_000_000_000n;
  return Number(bytes) / 1024;
}

function sum(nodes: readonly LaunchedNode[], amountOf: (node: LaunchedNode) => number): number {
  return nodes.reduce((total, node) => total + amountOf(node), 0);
}
