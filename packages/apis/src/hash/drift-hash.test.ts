import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  EC2NODECLASS_HASH_ANNOTATIONS,
  ec2NodeClassHash,
  ec2NodeClassHashV6,
  isStaticallyDrifted,
  NODEPOOL_HASH_ANNOTATIONS,
  nodePoolHash,
} from './drift-hash.ts';

const CONTEXT = { clusterCaBundle: 'test-ca-bundle' };

const EBS = {
  deleteOnTermination: false,
  encrypted: false,
  iops: 0,
  kmsKeyID: 'fakeKMSKeyID',
  snapshotID: 'fakeSnapshot',
  throughput: 0,
  volumeSize: '2G',
  volumeType: 'standard',
};

const SPEC = {
  role: 'role-1',
  tags: { 'keyTag-1': 'valueTag-1', 'keyTag-2': 'valueTag-2' },
  context: 'fake-context',
  detailedMonitoring: false,
  associatePublicIPAddress: false,
  metadataOptions: {
    httpEndpoint: 'disabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'optional',
  },
  blockDeviceMappings: [{ deviceName: 'map-device-1', ebs: EBS }, { deviceName: 'map-device-2' }],
  userData: 'userdata-test-1',
};

const metadataOptions = (change: object) => ({ metadataOptions: { ...SPEC.metadataOptions, ...change } });
const firstDevice = (change: object) => ({
  blockDeviceMappings: [{ ...SPEC.blockDeviceMappings[0], ...change }, SPEC.blockDeviceMappings[1]],
});
const firstEbs = (change: object) => firstDevice({ ebs: { ...EBS, ...change } });

const v5 = (change: object = {}) => ec2NodeClassHash({ spec: { ...SPEC, ...change } }, CONTEXT);
const v6 = (change: object = {}) => ec2NodeClassHashV6({ spec: { ...SPEC, ...change } }, CONTEXT);

const V5_VECTORS: readonly (readonly [change: object, hash: string])[] = [
  [{}, '2608468723537941485'],
  [{ userData: 'userdata-test-2' }, '2153344579995979450'],
  [{ instanceStorePolicy: 'RAID0' }, '6430637013089544585'],
  [firstEbs({ volumeSize: '10G' }), '3564293065344858862'],
  [{ connectionTracking: { tcpEstablishedTimeout: 300 } }, '12177489405137904098'],
  [{ connectionTracking: { udpStreamTimeout: 120 } }, '17567831983996427'],
  [{ connectionTracking: { udpTimeout: 45 } }, '5078825826133662844'],
  [{ role: undefined, instanceProfile: 'test-instance-profile' }, '3585768058063247698'],
  [{ tags: { ...SPEC.tags, 'keyTag-test-3': 'valueTag-test-3' } }, '4608386791045313156'],
  [{ context: 'context-2' }, '11612053647989098410'],
  [{ detailedMonitoring: true }, '11845605438531206428'],
  [{ associatePublicIPAddress: true }, '6811176403923819181'],
  [metadataOptions({ httpEndpoint: 'enabled' }), '8158886403801636337'],
  [metadataOptions({ httpProtocolIPv6: 'enabled' }), '12355196004817691031'],
  [metadataOptions({ httpPutResponseHopLimit: 10 }), '8968306366664488826'],
  [metadataOptions({ httpTokens: 'required' }), '12408995450371615650'],
  [{ cpuOptions: { nestedVirtualization: 'enabled' } }, '17001101224536964682'],
  [firstDevice({ deviceName: 'map-device-test-3' }), '13986335469721503441'],
  [firstDevice({ rootVolume: true }), '14242690863945643402'],
  [firstEbs({ deleteOnTermination: true }), '12316454167870753581'],
  [firstEbs({ encrypted: true }), '17753517657333560591'],
  [firstEbs({ iops: 10 }), '2249322442135400321'],
  [firstEbs({ kmsKeyID: 'test' }), '12259594419287406661'],
  [firstEbs({ snapshotID: 'test' }), '1149563513090550380'],
  [firstEbs({ throughput: 10 }), '12068199760789564545'],
  [firstEbs({ volumeType: 'io1' }), '16361719363399715944'],
  [{ kubelet: { maxPods: 110 } }, '11360241729105732889'],
];

const V6_VECTORS: readonly (readonly [change: object, hash: string])[] = [
  [{}, '11148166120438674859'],
  [{ kubelet: {} }, '11148166120438674859'],
  [{ userData: 'userdata-test-2' }, '11774429238106843388'],
  [{ tags: { ...SPEC.tags, 'keyTag-test-3': 'valueTag-test-3' } }, '9327338697296909506'],
  [{ detailedMonitoring: true }, '1936848126751988570'],
  [{ instanceStorePolicy: 'RAID0' }, '16697988646989909967'],
  [firstEbs({ volumeSize: '10G' }), '10372902467896351912'],
  [{ connectionTracking: { tcpEstablishedTimeout: 300 } }, '1619669030802245540'],
  [{ cpuOptions: { nestedVirtualization: 'enabled' } }, '6157846767212910604'],
  [{ role: undefined, instanceProfile: 'test-instance-profile' }, '10323991363677716244'],
  [{ kubelet: { maxPods: 110 } }, '5128599174861426106'],
];

test('01/96, 08/81 the EC2NodeClass hash reproduces every published vector', () => {
  for (const [change, hash] of V5_VECTORS) assert.equal(v5(change), hash, JSON.stringify(change));
});

test('01/96, 08/81 version v6 of the EC2NodeClass hash reproduces its vectors', () => {
  for (const [change, hash] of V6_VECTORS) assert.equal(v6(change), hash, JSON.stringify(change));
});

const TEMPLATE_SPEC = {
  nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
  expireAfter: '720h',
};
const TAINTS = {
  taints: [{ key: 'example.com/special-taint', effect: 'NoSchedule' }],
  startupTaints: [{ key: 'example.com/another-taint', effect: 'NoSchedule' }],
};
const METADATA = { labels: { 'billing-team': 'my-team' }, annotations: { 'example.com/owner': 'my-team' } };

const pool = (change: object = {}, metadata: object = {}) =>
  nodePoolHash({ spec: { template: { metadata, spec: { ...TEMPLATE_SPEC, ...change } } } });

test('01/96 the NodePool hash reproduces every known vector', () => {
  assert.equal(pool(), '6821555240594823858');
  assert.equal(pool({ expireAfter: 'Never' }), '17369979337536258260');
  assert.equal(pool({ ...TAINTS, terminationGracePeriod: '48h' }, METADATA), '7781955369820247601');
});

test('what upstream 1.14.1 itself computes for arbitrary objects is what we compute', () => {
  const golden = readFileSync(new URL('drift-hash.golden.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  for (const line of golden) {
    const { nodePool, ec2NodeClass, hash } = JSON.parse(line);
    assert.equal(
      nodePool ? nodePoolHash(nodePool) : ec2NodeClassHash(ec2NodeClass, { clusterCaBundle: 'ca' }),
      hash,
      line,
    );
  }
});

test('01/97, 08/81 order does not count, nor does what is compared with the node itself', () => {
  const [first, second] = SPEC.blockDeviceMappings;
  assert.equal(v5({ blockDeviceMappings: [second, first] }), v5());
  assert.equal(v5({ tags: { 'keyTag-2': 'valueTag-2', 'keyTag-1': 'valueTag-1' } }), v5());
  assert.equal(v5({ ipPrefixCount: 3, subnetSelectorTerms: [{ id: 'subnet-1' }], amiFamily: 'Custom' }), v5());

  const taints = [...TAINTS.taints, ...TAINTS.startupTaints];
  assert.equal(pool({ taints }), pool({ taints: taints.toReversed() }));
  assert.equal(pool({ requirements: [{ key: 'a', operator: 'Exists' }] }), pool());
  const spec = { template: { spec: TEMPLATE_SPEC }, limits: { cpu: 1 }, weight: 5, disruption: { budgets: [] } };
  assert.equal(nodePoolHash({ spec }), pool());
});

test('01/98, 08/82 what a node is made from changes the hash, each in its own way', () => {
  const hashes = [
    pool(),
    pool({}, { labels: { a: 'b' } }),
    pool({}, { annotations: { a: 'b' } }),
    pool({}, { labels: {} }),
    pool({ taints: TAINTS.taints }),
    pool({ startupTaints: TAINTS.taints }),
    pool({ taints: [{ ...TAINTS.taints[0], timeAdded: '2024-05-06T07:08:09Z' }] }),
    pool({ expireAfter: '721h' }),
    pool({ terminationGracePeriod: '1h' }),
    pool({ nodeClassRef: { ...TEMPLATE_SPEC.nodeClassRef, name: 'other' } }),
    v5({ role: 'role-2' }),
    v5({ tags: {} }),
    v5({ tags: undefined }),
    ec2NodeClassHash({ spec: SPEC }, { clusterCaBundle: 'rotated' }),
    ec2NodeClassHash({}, { clusterCaBundle: '' }),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
});

test('01/99, 08/82 equal meaning hashes alike, and an absent duration is not one of zero', () => {
  const alias = { amiSelectorTerms: [{ alias: 'al2023@latest' }] };
  assert.equal(v5({ ...alias, amiFamily: 'AL2023' }), v5(alias));
  assert.notEqual(v5(alias), v5());
  assert.equal(v5(firstEbs({ volumeSize: '1024Gi' })), v5(firstEbs({ volumeSize: '1Ti' })));
  assert.equal(pool({ expireAfter: '720h0m' }), pool());
  assert.notEqual(pool({ terminationGracePeriod: '0s' }), pool());
  assert.notEqual(pool({ expireAfter: '0s' }), pool({ expireAfter: 'Never' }));
});

test('equal list members cancel out, as they do upstream', () => {
  const [taint] = TAINTS.taints;
  assert.equal(pool({ taints: [taint, taint] }), pool({ taints: [] }));
  assert.notEqual(pool({ taints: [] }), pool());
});

test('a class that validation will refuse still has a hash', () => {
  assert.match(v5(firstEbs({ volumeSize: 'Ti' })), /^\d+$/);
  assert.match(v5({ kubelet: { evictionSoftGracePeriod: { 'memory.available': 'soon' } } }), /^\d+$/);
  assert.match(v5({ amiSelectorTerms: [{ alias: 'al2@v1@x' }] }), /^\d+$/);
});

test('01/101, 08/85 without all four annotations and equal versions nothing is statically drifted', () => {
  for (const keys of [NODEPOOL_HASH_ANNOTATIONS, EC2NODECLASS_HASH_ANNOTATIONS]) {
    const object = { [keys.hash]: '1', [keys.version]: 'v3' };
    const claim = { [keys.hash]: '2', [keys.version]: 'v3' };
    assert.equal(isStaticallyDrifted(object, claim, keys), true);
    assert.equal(isStaticallyDrifted(object, object, keys), false);
    assert.equal(isStaticallyDrifted(object, { ...claim, [keys.version]: 'v2' }, keys), false);
    for (const key of Object.values(keys)) {
      const { [key]: _, ...lessObject } = object;
      const { [key]: __, ...lessClaim } = claim;
      assert.equal(isStaticallyDrifted(lessObject, claim, keys), false);
      assert.equal(isStaticallyDrifted(object, lessClaim, keys), false);
    }
    assert.equal(isStaticallyDrifted(undefined, undefined, keys), false);
  }
});
