// The user data that NodeClasses ask for, family by family.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { findCause } from '@karpenter-ts/runtime';
import { parse } from 'smol-toml';
import type { NodeClassSpec, NodeClassStatus } from '../node-class/node-class-parts.ts';
import { renderUserData } from './user-data.ts';
import { userDataInput, type UserDataRequest } from './user-data-input.ts';

type Parts = Partial<Omit<UserDataRequest, 'nodeClass' | 'cluster'>> & {
  readonly spec: Partial<NodeClassSpec>;
  readonly amis?: NodeClassStatus['amis'];
  readonly cluster?: Partial<UserDataRequest['cluster']>;
};

const CLUSTER = {
  name: 'demo',
  endpoint: 'https://k.example',
  caBundle: 'Q0E=',
  kubeDnsIp: '10.0.0.10',
  cidr: '172.20.0.0/16',
};

function render({ spec, amis = [], cluster, ...parts }: Parts): string {
  const rendered = renderUserData(
    userDataInput({
      nodeClass: { spec: spec as NodeClassSpec, status: { amis } },
      nodeClaim: { labels: {}, taints: [], startupTaints: [] },
      capacityType: 'spot',
      pods: 29,
      cluster: { ...CLUSTER, ...cluster },
      ...parts,
    }),
  );
  return Buffer.from(rendered, 'base64').toString();
}

type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What user data of Bottlerocket says below `settings`. */
function settings(spec: Partial<NodeClassSpec>, parts: Omit<Parts, 'spec'> = {}): Settings {
  const document = parse(render({ ...parts, spec: { amiFamily: 'Bottlerocket', ...spec } }));
  return JSON.parse(JSON.stringify(document['settings'])) as Settings;
}

const MIME = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
Content-Type: text/x-shellscript; charset="us-ascii"

echo mime
--BOUNDARY--
`;

test('08/92 parts of MIME data come before the bootstrap script, also where the type stands first', () => {
  for (const userData of [MIME, MIME.replace('MIME-Version: 1.0\n', '')]) {
    const rendered = render({ spec: { amiFamily: 'AL2', userData } });
    assert.ok(rendered.indexOf('echo mime') < rendered.indexOf('/etc/eks/bootstrap.sh'));
    assert.ok(!rendered.includes('BOUNDARY'));
  }
  assert.equal(render({ spec: { amiFamily: 'AL2' } }).split('--//\n').length, 2);
});

test('08/93 AL2 makes local disks one where it is asked to, and knows an IPv6 cluster by its DNS', () => {
  const local = render({ spec: { amiFamily: 'AL2', instanceStorePolicy: 'RAID0' } });
  assert.match(local, /--local-disks raid0\n/);
  assert.doesNotMatch(local, /--ip-family/);
  const ipv6 = render({ spec: { amiFamily: 'AL2' }, cluster: { kubeDnsIp: 'fd00::a' } });
  assert.match(ipv6, /--ip-family ipv6 \\\n--dns-cluster-ip 'fd00::a'/);
});

const KUBELET: NodeClassSpec['kubelet'] = {
  maxPods: 42,
  podsPerCore: 2,
  systemReserved: { cpu: '100m', memory: '1Gi' },
  kubeReserved: { cpu: '200m' },
  evictionHard: { 'memory.available': '5%' },
  evictionSoft: { 'memory.available': '10%' },
  evictionSoftGracePeriod: { 'memory.available': '1m' },
  evictionMaxPodGracePeriod: 0,
  imageGCHighThresholdPercent: 90,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: false,
};

test('08/94 08/145 AL2 has a flag for each setting of the kubelet', () => {
  const rendered = render({ spec: { amiFamily: 'AL2', kubelet: KUBELET } });
  assert.match(rendered, /--use-max-pods false/);
  for (const flag of [
    '--max-pods=42',
    '--pods-per-core=2',
    '--system-reserved="cpu=100m,memory=1Gi"',
    '--kube-reserved="cpu=200m"',
    '--eviction-hard="memory.available<5%"',
    '--eviction-soft="memory.available<10%"',
    '--eviction-soft-grace-period="memory.available=1m0s"',
    '--eviction-max-pod-grace-period=0',
    '--image-gc-high-threshold=90',
    '--image-gc-low-threshold=80',
    '--cpu-cfs-quota=false',
  ]) {
    assert.ok(rendered.includes(flag), flag);
  }
  const unset = render({ spec: { amiFamily: 'AL2' } });
  assert.match(unset, /--max-pods=29'/);
  assert.doesNotMatch(unset, /--pods-per-core|--eviction|--image-gc|reserved|cfs/);
});

test('08/95 the NodeConfig of AL2023 is the last part, whatever the user adds, and has no carriage returns', () => {
  const generated = '# Karpenter Generated NodeConfig';
  for (const [userData, type] of [
    [MIME.replaceAll('\n', '\r\n'), 'text/x-shellscript'],
    ['apiVersion: node.eks.aws/v1alpha1\r\nkind: NodeConfig\r\n', 'application/node.eks.aws'],
    ['#!/bin/bash\r\necho hi\r\n', 'text/x-shellscript'],
    ['', undefined],
  ] as const) {
    const rendered = render({ spec: { amiFamily: 'AL2023', userData } });
    const parts = rendered.split('--//').slice(1, -1);
    assert.equal(parts.length, type === undefined ? 1 : 2);
    assert.ok(parts.at(-1)!.includes(generated));
    if (type !== undefined) assert.ok(parts[0]!.includes(`Content-Type: ${type}`));
    assert.ok(!rendered.includes('\r'));
  }
});

test('08/96 without the range of service addresses there is no user data of AL2023, and the NodeClass is not ready', () => {
  assert.throws(
    () => render({ spec: { amiFamily: 'AL2023' }, cluster: { cidr: undefined } }),
    (error) => findCause(error, NodeClassNotReadyError) !== undefined,
  );
  assert.ok(render({ spec: { amiFamily: 'AL2' }, cluster: { cidr: undefined } }));
});

for (const amiFamily of ['AL2', 'AL2023'] as const) {
  test(`08/98 08/157 ${amiFamily} refuses MIME data that cannot be read`, () => {
    for (const userData of [
      'MIME-Version: 1.0\nContent-Type\n\n--x\n',
      'MIME-Version: 1.0\n\n--x\n\na\n--x--\n',
      'MIME-Version: 1.0\nContent-Type: text/plain\n\nhello\n',
    ]) {
      assert.throws(() => render({ spec: { amiFamily, userData } }), /^Error: parsing custom /);
    }
  });
}

const CUSTOM_TOML = `[settings.kubernetes]
max-pods = 5
my-typo = "x"
[settings.kubernetes.node-labels]
own = "1"
"karpenter.sh/capacity-type" = "mine"
[settings.kubernetes.node-taints]
t = ["v:NoSchedule"]
[settings.kubernetes.eviction-hard]
"memory.available" = "12%"
[settings.ntp]
time-servers = ["169.254.169.123"]
[other]
a = 1
`;

test("08/99 the user's settings of Bottlerocket stay where Karpenter has none, and unknown ones go", () => {
  const rendered = settings({ userData: CUSTOM_TOML });
  assert.deepEqual(rendered, {
    kubernetes: {
      'api-server': 'https://k.example',
      'cluster-certificate': 'Q0E=',
      'cluster-name': 'demo',
      'cluster-dns-ip': '10.0.0.10',
      'max-pods': 29,
      'node-labels': {
        own: '1',
        'karpenter.sh/capacity-type': 'spot',
        'karpenter.sh/do-not-sync-taints': 'true',
      },
      'node-taints': { 'karpenter.sh/unregistered': [':NoExecute'] },
      'eviction-hard': { 'memory.available': '12%' },
    },
    ntp: { 'time-servers': ['169.254.169.123'] },
  });
});

test('08/100 TOML that cannot be read is refused', () => {
  assert.throws(() => settings({ userData: '[settings\n' }), /^Error: invalid UserData /);
});

test('what is wrong with TOML is told without what the user wrote', () => {
  const userData = '[settings.host-containers.admin]\nenabled = true\nuser-data = "s3cret\n';
  const find = (error: Error): boolean => {
    assert.match(error.message, /^invalid UserData Invalid TOML document: .+ \(line 3, column \d+\)$/);
    return !inspect(error).includes('s3cret');
  };
  assert.throws(() => settings({ userData }), find);
});

const INITIALIZE = ['apiclient', 'ephemeral-storage', 'init'];
const BIND = ['apiclient', 'ephemeral-storage', 'bind'];
const OLD_BIND = [...BIND, '--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'];
const MOUNT = '000-mount-instance-storage';

const mountCommands = (spec: Partial<NodeClassSpec>, amis: NodeClassStatus['amis'] = []) =>
  (settings({ instanceStorePolicy: 'RAID0', ...spec }, { amis })['bootstrap-commands']![MOUNT] as Settings)['commands'];

test('08/101 Bottlerocket mounts local disks by a command of its release, beside the commands of the user', () => {
  const alias = (version: string) => ({ amiSelectorTerms: [{ alias: `bottlerocket@${version}` }] });
  assert.deepEqual(mountCommands(alias('latest')), [INITIALIZE, BIND]);
  assert.deepEqual(mountCommands(alias('v1.46.0')), [INITIALIZE, BIND]);
  assert.deepEqual(mountCommands(alias('v1.45.0')), [INITIALIZE, OLD_BIND]);
});

test('08/146 commands of the user stay, and that for the disks is there only if it is asked for', () => {
  const userData = '[settings.bootstrap-commands.999-own]\ncommands = [["echo"]]\nmode = "always"\nessential = false\n';
  const commands = (instanceStorePolicy?: 'RAID0') =>
    Object.keys(
      settings({ userData, ...(instanceStorePolicy && { instanceStorePolicy }) })['bootstrap-commands']!,
    ).sort(); // Bottlerocket runs them by name
  assert.deepEqual(commands('RAID0'), [MOUNT, '999-own']);
  assert.deepEqual(commands(), ['999-own']);
});

test('08/102 the release of Bottlerocket is that of the alias, else in a name, else of an image that was found', () => {
  const image = (id: string, name: string) => ({ id, name, requirements: [] });
  const newer = image('ami-1', 'bottlerocket-aws-k8s-1.34-x86_64-v1.46.0-abc');
  const terms = (...amiSelectorTerms: object[]) => ({ amiSelectorTerms }) as Partial<NodeClassSpec>;
  assert.deepEqual(mountCommands(terms({ alias: 'bottlerocket@1.46.1' }))?.[1], BIND);
  assert.deepEqual(mountCommands(terms({ name: 'bottlerocket-x-v1.50.0-y' }))?.[1], BIND);
  assert.deepEqual(mountCommands(terms({ id: 'ami-1' }), [newer])?.[1], BIND);
  assert.deepEqual(mountCommands(terms({ tags: { a: 'b' } }), [newer])?.[1], BIND);
  assert.deepEqual(mountCommands(terms({ id: 'ami-2' }))?.[1], OLD_BIND);
  for (const version of ['1.46', '1', 'abc.def.ghi']) {
    assert.deepEqual(mountCommands(terms({ alias: `bottlerocket@${version}` }))?.[1], OLD_BIND, version);
  }
});

test('08/103 08/143 settings of the kubelet replace the tables of the user whole, and percentages are text', () => {
  const tables = ['eviction-hard', 'eviction-soft', 'kube-reserved', 'system-reserved', 'eviction-soft-grace-period'];
  const userData = tables.map((name) => `[settings.kubernetes.${name}]\nmine = "1"\n`).join('');
  const { kubernetes } = settings({ kubelet: KUBELET, userData });
  const expected = {
    'max-pods': 42,
    'system-reserved': { cpu: '100m', memory: '1Gi' },
    'kube-reserved': { cpu: '200m' },
    'eviction-hard': { 'memory.available': '5%' },
    'eviction-soft': { 'memory.available': '10%' },
    'eviction-soft-grace-period': { 'memory.available': '1m0s' },
    'eviction-max-pod-grace-period': 0,
    'image-gc-high-threshold-percent': '90',
    'image-gc-low-threshold-percent': '80',
    'cpu-cfs-quota-enforced': false,
  };
  for (const [key, value] of Object.entries(expected)) assert.deepEqual(kubernetes![key], value, key);
  const kept = settings({ userData }).kubernetes!;
  for (const name of tables) assert.deepEqual(kept[name], { mine: '1' });
});

test('08/105 user data of Custom is what the user wrote', () => {
  assert.equal(render({ spec: { amiFamily: 'Custom', userData: 'own\r\n\u00e9' } }), 'own\r\n\u00e9');
  assert.equal(render({ spec: { amiFamily: 'Custom' } }), '');
});

test('08/106 labels that a kubelet may not set are left out', () => {
  const labels = {
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'm5.large',
    'k8s.io/a': '1',
    'sub.k8s.io/b': '2',
    'node-restriction.kubernetes.io/c': '3',
    'sub.node-restriction.kubernetes.io/d': '4',
    'notkubernetes.io/e': '5',
    plain: '6',
  };
  const nodeClaim = { labels, taints: [], startupTaints: [] };
  assert.deepEqual(settings({}, { nodeClaim }).kubernetes!['node-labels'], {
    'notkubernetes.io/e': '5',
    plain: '6',
    'karpenter.sh/capacity-type': 'spot',
    'karpenter.sh/do-not-sync-taints': 'true',
  });
});

test('08/144 labels of the NodeClaim are the labels of the node, sorted', () => {
  const nodeClaim = { labels: { zebra: '1', ant: '2' }, taints: [], startupTaints: [] };
  const rendered = render({ spec: { amiFamily: 'AL2023' }, nodeClaim });
  assert.match(rendered, /--node-labels="ant=2,karpenter\.sh\/capacity-type=spot,[^"]*,zebra=1"/);
});
