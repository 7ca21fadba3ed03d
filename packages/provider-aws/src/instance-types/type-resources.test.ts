import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { parseQuantity } from '@karpenter-ts/kubernetes';
import { allocatableResources } from '@karpenter-ts/scheduling';
import { factsOf, nodeClass } from '../offerings/testing/type-environment.ts';
import { describeType } from './describe-type.ts';
import { readTypeSettings, type TypeOptions } from './type-settings.ts';

const OPTIONS: TypeOptions = { region: 'us-west-2', vmMemoryOverheadPercent: 0.075, reservedEnis: 0 };
type Spec = Partial<NonNullable<EC2NodeClass['spec']>>;

/** `alias` is an AMI family in lower case; `custom` is a family by name. */
function describe(type: string | InstanceTypeInfo, alias: string, spec: Spec = {}, options: Partial<TypeOptions> = {}) {
  const images: Spec = alias === 'custom' ? { amiFamily: 'Custom', amiSelectorTerms: [] } : aliasOf(alias);
  const settings = readTypeSettings(nodeClass({ spec: { ...images, ...spec } }), { ...OPTIONS, ...options });
  const info = typeof type === 'string' ? factsOf(type) : type;
  return describeType({ info, zones: new Set() }, settings);
}

function aliasOf(family: string): Spec {
  return { amiSelectorTerms: [{ alias: `${family}@latest` }] };
}

const pods = (...of: Parameters<typeof describe>) => describe(...of).capacity['pods'];
const kubeReserved = (...of: Parameters<typeof describe>) => describe(...of).overhead.kubeReserved;
const threshold = (spec: Spec, type = 't3.large') => describe(type, 'al2023', spec).overhead.evictionThreshold;
const storage = (...of: Parameters<typeof describe>) => describe(...of).capacity['ephemeral-storage'];

const LINUX = ['al2', 'al2023', 'custom'];
const WINDOWS = ['windows2019', 'windows2022', 'windows2025'];

test('07/13 pods follow from the interfaces of the default network card', () => {
  assert.equal(pods('t3.large', 'al2'), '35');
  assert.equal(pods('m6idn.32xlarge', 'al2023'), '394');
});

test('07/14 interfaces that are set aside lower the pods, and the memory kept for the kubelet only of Bottlerocket', () => {
  const reserved = (family: string) => {
    const { capacity, overhead } = describe('t3.large', family, {}, { reservedEnis: 1 });
    return [capacity['pods'], overhead.kubeReserved?.['memory']];
  };
  for (const family of LINUX) assert.deepEqual(reserved(family), ['24', '640Mi'], family);
  assert.deepEqual(reserved('bottlerocket'), ['24', '519Mi']);
  for (const family of WINDOWS) assert.deepEqual(reserved(family), ['110', '1465Mi'], family);
});

test('07/15 when all interfaces are set aside there are no pods', () => {
  assert.equal(pods('t3.large', 'al2023', {}, { reservedEnis: 1_000_000 }), '0');
});

test('07/16 a number of pods changes the memory kept for the kubelet of Bottlerocket and Windows only', () => {
  const memory = (family: string) => kubeReserved('t3.large', family, { kubelet: { maxPods: 10 } })?.['memory'];
  for (const family of LINUX) assert.equal(memory(family), '640Mi', family);
  for (const family of ['bottlerocket', ...WINDOWS]) assert.equal(memory(family), '365Mi', family);
});

test('07/17 pods per core lower the number of pods, except on Bottlerocket and if there are none', () => {
  const kubelet = { podsPerCore: 4, maxPods: 20 };
  assert.equal(pods('t3.large', 'al2023', { kubelet }), '8');
  assert.equal(pods('m5.4xlarge', 'al2023', { kubelet }), '20');
  assert.equal(pods('t3.large', 'bottlerocket', { kubelet }), '20');
  assert.equal(pods('t3.large', 'windows2022', { kubelet: { podsPerCore: 4 } }), '8');
  assert.equal(pods('t3.large', 'al2023', { kubelet: { podsPerCore: 0, maxPods: 20 } }), '20');
});

test('07/18 an interface for EFA alone has no addresses for pods, which counts on the first card only', () => {
  const onCard = (networkCardIndex: number) => ({
    networkInterfaces: [
      { deviceIndex: 0, networkCardIndex: 0, interfaceType: 'interface' as const },
      { deviceIndex: 1, networkCardIndex, interfaceType: 'efa-only' as const },
    ],
  });
  assert.equal(pods('m6idn.32xlarge', 'al2023', onCard(0)), '345');
  assert.equal(pods('m6idn.32xlarge', 'al2023', onCard(1)), '394');
});

test('07/19 what is kept for the kubelet, by default and as it is set', () => {
  const defaults = { cpu: '80m', memory: '893Mi', 'ephemeral-storage': '1Gi' };
  assert.deepEqual(kubeReserved('m5.xlarge', 'al2023'), defaults);
  const own = { cpu: '2', memory: '10Gi', 'ephemeral-storage': '3Gi' };
  assert.deepEqual(kubeReserved('m5.xlarge', 'al2023', { kubelet: { kubeReserved: own } }), own);
  const some = kubeReserved('m5.xlarge', 'al2023', { kubelet: { kubeReserved: { cpu: '2' } } });
  assert.deepEqual(some, { ...defaults, cpu: '2' });
});

test('07/20 what is kept for the system is what is set', () => {
  const systemReserved = { cpu: '2', memory: '20Gi', 'ephemeral-storage': '10Gi' };
  assert.deepEqual(
    describe('m5.xlarge', 'al2023', { kubelet: { systemReserved } }).overhead.systemReserved,
    systemReserved,
  );
  assert.deepEqual(describe('m5.xlarge', 'al2023').overhead.systemReserved, {});
});

/** 7.4 GiB of 8: the memory of t3.large by the formula. */
const T3_LARGE_BYTES = 7577 * 1024 * 1024;

test('07/21 the threshold of evictions, as an amount and as a part of the memory', () => {
  const memory = (value: string) => {
    const amount = threshold({ kubelet: { evictionHard: { 'memory.available': value } } })?.['memory'] ?? '';
    return Number(parseQuantity(amount).nanos / 1_000_000_000n);
  };
  assert.equal(describe('t3.large', 'al2023').capacity['memory'], '7577Mi');
  assert.equal(memory('500Mi'), 500 * 1024 * 1024);
  assert.equal(memory('10%'), Math.ceil((T3_LARGE_BYTES / 100) * 10));
  assert.equal(memory('100%'), 0);
});

test('07/22 07/118 soft thresholds do not count, alone or beside hard ones', () => {
  for (const soft of ['100%', '10%', '5Gi']) {
    const evictionSoft = { 'memory.available': soft };
    assert.equal(threshold({ kubelet: { evictionSoft } })?.['memory'], '100Mi', soft);
    for (const hard of ['500Mi', '7%', '100%']) {
      const evictionHard = { 'memory.available': hard };
      assert.deepEqual(
        threshold({ kubelet: { evictionSoft, evictionHard } }),
        threshold({ kubelet: { evictionHard } }),
      );
    }
  }
});

test('07/23 local disks that are made one are the ephemeral storage', () => {
  assert.equal(storage('m6idn.32xlarge', 'al2023', { instanceStorePolicy: 'RAID0' }), '7600G');
  assert.equal(storage('m6idn.32xlarge', 'al2023'), '20Gi');
  assert.equal(storage('m5.large', 'al2023', { instanceStorePolicy: 'RAID0' }), '20Gi');
});

test('07/24 a volume without a size has 20Gi', () => {
  const mapping = (deviceName: string): Spec => ({ blockDeviceMappings: [{ deviceName, ebs: { encrypted: true } }] });
  for (const family of ['al2', 'al2023', 'custom'])
    assert.equal(storage('m5.large', family, mapping('/dev/xvda')), '20Gi');
  assert.equal(storage('m5.large', 'bottlerocket', mapping('/dev/xvdb')), '20Gi');
});

test('07/25 of the volumes of a custom image the last one counts, or the one that is said to be the root', () => {
  const volume = (deviceName: string, volumeSize: string, rootVolume?: boolean) => ({
    deviceName,
    ebs: { volumeSize },
    ...(rootVolume && { rootVolume }),
  });
  const custom = (...blockDeviceMappings: ReturnType<typeof volume>[]) =>
    storage('m5.large', 'custom', { blockDeviceMappings });
  assert.equal(custom(volume('/dev/xvda', '20Gi'), volume('/dev/xvdb', '40Gi')), '40Gi');
  assert.equal(custom(volume('/dev/xvda', '20Gi', true), volume('/dev/xvdb', '40Gi')), '20Gi');
});

test('volumes without a size or a device are passed over', () => {
  const blockDeviceMappings = [{ deviceName: '/dev/xvda' }, { ebs: { volumeSize: '30Gi' } }];
  assert.equal(storage('m5.large', 'al2023', { blockDeviceMappings }), '20Gi');
  assert.equal(storage('m5.large', 'custom', { blockDeviceMappings }), '30Gi');
});

test('07/26 nodes are never promised more memory than kubelets have been seen to report', () => {
  const reported = { 't4g.small': 1408312, 't4g.medium': 3377496, 't4g.xlarge': 15136012, 'm5.large': 7220184 };
  for (const [type, kibibytes] of Object.entries(reported)) {
    const memory = allocatableResources({ ...describe(type, 'al2023'), offerings: [] })['memory'] ?? '';
    const bytes = Number(parseQuantity(memory).nanos / 1_000_000_000n);
    assert.ok(bytes > 0 && bytes <= kibibytes * 1024, `${type} ${memory}`);
  }
});

test('07/30 types that take branch interfaces have them for pods, and others have none', () => {
  assert.equal(describe('m5.xlarge', 'al2023').capacity['vpc.amazonaws.com/pod-eni'], '18');
  assert.equal(describe('t3.large', 'al2023').capacity['vpc.amazonaws.com/pod-eni'], '0');
});

test('07/31 a Windows type that the table of addresses lacks has none', () => {
  const unknown = { ...factsOf('m5.large'), InstanceType: 'm99.large' as never };
  const addresses = 'vpc.amazonaws.com/PrivateIPv4Address';
  assert.equal(describe(unknown, 'windows2022').capacity[addresses], '0');
  assert.equal(describe('m5.large', 'windows2022').capacity[addresses], '9');
  assert.equal(addresses in describe('m5.large', 'al2023').capacity, false);
});
