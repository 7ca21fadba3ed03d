import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instanceTypeFacts } from '@karpenter-ts/ec2-facts';
import { parseQuantity, unitsOf } from '@karpenter-ts/kubernetes';
import type { BootingInstance } from './booting-instance.ts';
import { nodeOf } from './node.ts';
import type { BootInstructions, KubeletSettings } from './user-data/boot-instructions.ts';
import { UNTOLD } from './user-data/kubelet-arguments.ts';

function instanceOf(type: string, changes: Partial<BootingInstance> = {}): BootingInstance {
  return {
    id: 'i-0123456789abcdef0',
    type: instanceTypeFacts()[type]!,
    imageName: '',
    architecture: 'x86_64',
    privateIp: '10.0.0.7',
    privateDnsName: 'ip-10-0-0-7.us-west-2.compute.internal',
    region: 'us-west-2',
    zone: 'us-west-2b',
    zoneId: 'usw2-az2',
    userData: undefined,
    volumes: [{ deviceName: '/dev/xvda', sizeGiB: 20 }],
    rootDeviceName: '/dev/xvda',
    efaInterfaces: 0,
    ...changes,
  };
}

function told(
  family: BootInstructions['family'],
  kubelet: Partial<KubeletSettings> = {},
  localDisks: BootInstructions['localDisks'] = 'unused',
): BootInstructions {
  const cluster = { name: 'demo', endpoint: undefined, certificateAuthority: undefined };
  return { family, cluster, kubelet: { ...UNTOLD, ...kubelet }, localDisks };
}

test('a Node has the provider id, the addresses and the labels that show where it runs', () => {
  const { metadata, spec, status } = nodeOf(instanceOf('m5.large'), told('AL2023', { labels: { team: 'a' } }));
  assert.equal(metadata.name, 'ip-10-0-0-7.us-west-2.compute.internal');
  assert.equal(spec?.providerID, 'aws:///us-west-2b/i-0123456789abcdef0');
  assert.deepEqual(
    status?.addresses?.map(({ type, address }) => [type, address]),
    [
      ['InternalIP', '10.0.0.7'],
      ['InternalDNS', metadata.name],
      ['Hostname', metadata.name],
    ],
  );
  const { labels = {} } = metadata;
  assert.equal(labels['team'], 'a');
  assert.equal(labels['node.kubernetes.io/instance-type'], 'm5.large');
  assert.equal(labels['topology.kubernetes.io/zone'], 'us-west-2b');
  assert.equal(labels['topology.kubernetes.io/region'], 'us-west-2');
  assert.equal(labels['topology.k8s.aws/zone-id'], 'usw2-az2');
  assert.deepEqual([labels['kubernetes.io/arch'], labels['kubernetes.io/os']], ['amd64', 'linux']);
  assert.equal(labels['kubernetes.io/hostname'], metadata.name);
});

test('a kubelet sees less memory and storage than EC2 states, and as many pods as its addresses allow', () => {
  const { capacity = {} } = nodeOf(instanceOf('m5.large'), told('AL2023')).status!;
  assert.equal(capacity['cpu'], '2');
  assert.equal(capacity['pods'], '29');
  const memory = Number(unitsOf(parseQuantity(capacity['memory']!))) / 2 ** 20;
  assert.ok(memory < 8192 && memory > 8192 * 0.925, `${memory} Mi`);
  const storage = Number(unitsOf(parseQuantity(capacity['ephemeral-storage']!))) / 2 ** 30;
  assert.ok(storage < 20 && storage > 19.9, `${storage} Gi`);
});

test('pods are those that the kubelet is told, limited by its cores', () => {
  const podsOf = (instructions: BootInstructions) =>
    nodeOf(instanceOf('m5.large'), instructions).status?.capacity?.['pods'];
  assert.equal(podsOf(told('AL2', { maxPods: 17 })), '17');
  assert.equal(podsOf(told('AL2', { podsPerCore: 4 })), '8');
  assert.equal(podsOf(told('Windows')), '110');
});

test('storage is that of the data volume, or of the own disks that make an array', () => {
  const storageOf = (type: string, instructions: BootInstructions): number => {
    const volumes = [
      { deviceName: '/dev/xvda', sizeGiB: 4 },
      { deviceName: '/dev/xvdb', sizeGiB: 50 },
    ];
    const { capacity } = nodeOf(instanceOf(type, { volumes }), instructions).status!;
    return Math.round(Number(unitsOf(parseQuantity(capacity!['ephemeral-storage']!))) / 2 ** 30);
  };
  assert.equal(storageOf('m5d.large', told('Bottlerocket')), 50);
  assert.equal(storageOf('m5d.large', told('AL2023')), 4);
  assert.equal(storageOf('m5d.large', told('AL2023', {}, 'raid0')), 70); // 75 GB
  assert.equal(storageOf('m5.large', told('AL2023', {}, 'raid0')), 4);
});

test('accelerators and fabric adapters are resources', () => {
  const capacityOf = (type: string, efaInterfaces = 0) =>
    nodeOf(instanceOf(type, { efaInterfaces }), told('AL2023')).status?.capacity ?? {};
  assert.equal(capacityOf('g4dn.12xlarge')['nvidia.com/gpu'], '4');
  assert.equal(capacityOf('inf2.24xlarge')['aws.amazon.com/neuron'], '6');
  assert.equal(capacityOf('inf2.24xlarge')['aws.amazon.com/neuroncore'], '12');
  assert.equal(capacityOf('p5.48xlarge', 32)['vpc.amazonaws.com/efa'], '32');
  assert.equal('vpc.amazonaws.com/efa' in capacityOf('p5.48xlarge'), false);
});

test('allocatable is the capacity less reservations and eviction thresholds', () => {
  const allocatableOf = (instructions: BootInstructions) => {
    const { capacity, allocatable } = nodeOf(instanceOf('m5.xlarge'), instructions).status!;
    const mebibytes = (amount: string | number): number => Number(unitsOf(parseQuantity(amount))) / 2 ** 20;
    return {
      cpu: allocatable!['cpu'],
      keptMemory: mebibytes(capacity!['memory']!) - mebibytes(allocatable!['memory']!),
    };
  };
  // 11 Mi for each of 58 pods and 255 Mi, and 100 Mi before pods are evicted.
  assert.deepEqual(allocatableOf(told('AL2023')), { cpu: '3920m', keptMemory: 11 * 58 + 255 + 100 });
  assert.equal(allocatableOf(told('Bottlerocket', { maxPods: 10 })).keptMemory, 11 * 10 + 255 + 100);
  const custom = { kubeReserved: { cpu: '500m' }, systemReserved: { memory: '1Gi' } };
  // An argument replaces the default map as a whole, a configuration only the keys that it has.
  assert.deepEqual(allocatableOf(told('AL2', custom)), { cpu: '3500m', keptMemory: 1024 + 100 });
  assert.deepEqual(allocatableOf(told('AL2023', custom)), { cpu: '3500m', keptMemory: 1024 + 11 * 58 + 255 + 100 });
  const evictionHard = { 'memory.available': '1Gi' };
  assert.equal(allocatableOf(told('AL2', { evictionHard })).keptMemory, 11 * 58 + 255 + 1024);
});

test('reservations beyond the capacity leave nothing, and not less', () => {
  const systemReserved = { memory: '64Gi' };
  const { allocatable } = nodeOf(instanceOf('m5.large'), told('AL2023', { systemReserved })).status!;
  assert.equal(allocatable!['memory'], '0');
});

test('a Windows Node says so', () => {
  const { labels = {} } = nodeOf(instanceOf('m5.large'), told('Windows')).metadata;
  assert.equal(labels['kubernetes.io/os'], 'windows');
  assert.equal(labels['node.kubernetes.io/windows-build'], '10.0.20348');
});
