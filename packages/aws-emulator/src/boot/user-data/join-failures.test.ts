// User data of which no Node comes, and why; and what the families make of user data that is not Karpenter's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinOf } from '../instance-boots.ts';
import type { BootInstructions, ImageFamily, JoinFailure } from './boot-instructions.ts';
import { familyOfImage } from './read-user-data.ts';

const CLUSTER = { name: 'demo', endpoint: 'https://k.example', certificateAuthority: 'Q0E=' };

const IMAGES: Readonly<Record<ImageFamily, string>> = {
  AL2: 'amazon-eks-node-1.32-v20250915',
  AL2023: 'amazon-eks-node-al2023-x86_64-standard-1.35-v20260101',
  Bottlerocket: 'bottlerocket-aws-k8s-1.35-x86_64-v1.46.0-abcdef',
  Windows: 'Windows_Server-2022-English-Core-EKS_Optimized-1.35-2026.01.01',
  Custom: 'our-own-image',
};

function failure(family: ImageFamily, userData: string): JoinFailure | 'joins' {
  const outcome = boot(family, userData);
  return outcome.kind === 'failed' ? outcome.failure : 'joins';
}

function instructions(family: ImageFamily, userData: string): BootInstructions {
  const outcome = boot(family, userData);
  assert.ok(outcome.kind === 'joins', JSON.stringify(outcome));
  return outcome.instructions;
}

function boot(family: ImageFamily, userData: string): ReturnType<typeof joinOf> {
  return joinOf({ imageName: IMAGES[family], userData: Buffer.from(userData).toString('base64') }, CLUSTER);
}

function al2(options: string): string {
  return `#!/bin/bash -xe\n/etc/eks/bootstrap.sh ${options}`;
}

function nodeConfig(kubelet: string, cluster = CLUSTER): string {
  return `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: ${cluster.name}
    apiServerEndpoint: ${cluster.endpoint}
    certificateAuthority: ${cluster.certificateAuthority}
    cidr: 10.100.0.0/16
  kubelet:
${kubelet}`;
}

function toml(settings: string, cluster = CLUSTER): string {
  return `[settings.kubernetes]
cluster-name = '${cluster.name}'
api-server = '${cluster.endpoint}'
cluster-certificate = '${cluster.certificateAuthority}'
${settings}`;
}

function powershell(parameters: string): string {
  return `<powershell>
[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile ${parameters} 3>&1 4>&1
</powershell>`;
}

const TOLD = "--apiserver-endpoint 'https://k.example' --b64-cluster-ca 'Q0E='";
const TOLD_WINDOWS = '-APIServerEndpoint "https://k.example" -Base64ClusterCA "Q0E="';

test('the names of images tell the families', () => {
  for (const [family, name] of Object.entries(IMAGES)) assert.equal(familyOfImage(name), family);
  assert.equal(familyOfImage('amazon-eks-gpu-node-1.32-v20250915'), 'AL2');
  assert.equal(familyOfImage('amazon-eks-arm64-node-1.32-v20250915'), 'AL2');
});

test('every family joins its cluster with the least it has to be told', () => {
  assert.equal(failure('AL2', al2('demo')), 'joins'); // asks EKS
  assert.equal(failure('AL2023', nodeConfig('    config: {}')), 'joins');
  assert.equal(failure('Bottlerocket', toml('')), 'joins');
  assert.equal(failure('Windows', powershell('-EKSClusterName demo')), 'joins'); // asks EKS
});

test('no user data, and the user data of another family, start no kubelet', () => {
  const other = { AL2: toml(''), AL2023: al2('demo'), Windows: al2('demo'), Custom: '#!/bin/bash\necho hello\n' };
  for (const [family, userData] of Object.entries(other) as [ImageFamily, string][]) {
    assert.deepEqual(failure(family, userData), { kind: 'no-bootstrap', family });
    assert.deepEqual(failure(family, ''), { kind: 'no-bootstrap', family });
  }
  assert.deepEqual(failure('Bottlerocket', ''), { kind: 'no-bootstrap', family: 'Bottlerocket' });
  assert.equal((failure('Bottlerocket', al2('demo')) as JoinFailure).kind, 'unreadable');
});

test('another cluster, endpoint or certificate keeps a Node away, whatever the family', () => {
  const wrong = { ...CLUSTER, name: 'other' };
  const told = { kind: 'wrong-cluster', setting: 'name', told: 'other' };
  assert.deepEqual(failure('AL2', al2(`other ${TOLD}`)), told);
  assert.deepEqual(failure('AL2023', nodeConfig('    config: {}', wrong)), told);
  assert.deepEqual(failure('Bottlerocket', toml('', wrong)), told);
  assert.deepEqual(failure('Windows', powershell(`-EKSClusterName 'other' ${TOLD_WINDOWS}`)), told);
  const elsewhere = { ...CLUSTER, endpoint: 'https://elsewhere.example' };
  const endpoint = { kind: 'wrong-cluster', setting: 'endpoint', told: elsewhere.endpoint };
  assert.deepEqual(failure('Bottlerocket', toml('', elsewhere)), endpoint);
  const forged = { ...CLUSTER, certificateAuthority: 'T1RIRVI=' };
  const authority = { kind: 'wrong-cluster', setting: 'certificate authority', told: 'T1RIRVI=' };
  assert.deepEqual(failure('AL2023', nodeConfig('    config: {}', forged)), authority);
});

test('a certificate that is no base64 keeps a Node away', () => {
  const bad = { ...CLUSTER, certificateAuthority: 'not base64!' };
  const failed = { kind: 'bad-certificate', told: 'not base64!' };
  assert.deepEqual(failure('Bottlerocket', toml('', bad)), failed);
  assert.deepEqual(failure('AL2023', nodeConfig('    config: {}', bad)), failed);
  assert.deepEqual(
    failure('AL2', al2("demo --apiserver-endpoint https://k.example --b64-cluster-ca 'not base64!'")),
    failed,
  );
});

test('text that cannot be parsed keeps a Node away, and the reason says which', () => {
  const formatOf = (family: ImageFamily, text: string): string => {
    const failed = failure(family, text);
    assert.ok(failed !== 'joins' && failed.kind === 'unreadable', JSON.stringify(failed));
    return failed.format;
  };
  assert.equal(formatOf('Bottlerocket', '[settings'), 'TOML');
  assert.equal(formatOf('AL2023', 'key: "unterminated'), 'NodeConfig');
  assert.equal(formatOf('AL2023', nodeConfig('    config: {}').replace('v1alpha1', 'v1beta7')), 'NodeConfig');
  assert.equal(formatOf('AL2', 'MIME-Version: 1.0\nContent-Type: text/plain\n\nhello'), 'MIME');
});

test('one bad NodeConfig among several ends the boot', () => {
  const parts = [nodeConfig('    config: {}'), 'hello: world\n'];
  const failed = failure('AL2023', mime(parts));
  assert.ok(failed !== 'joins' && failed.kind === 'unreadable');
});

test('a kubelet does not start with labels of Kubernetes that are not its own', () => {
  const labels = 'team=a,node.kubernetes.io/own=1,kubernetes.io/role=x,node-restriction.kubernetes.io/y=1,a.k8s.io/z=1';
  const failed = failure('AL2', al2(`demo ${TOLD} --kubelet-extra-args '--node-labels="${labels}"'`));
  const forbidden = ['kubernetes.io/role', 'node-restriction.kubernetes.io/y', 'a.k8s.io/z'];
  assert.deepEqual(failed, { kind: 'forbidden-labels', labels: forbidden });
});

test('a kubelet does not start with a setting that it cannot read', () => {
  const settingOf = (failed: JoinFailure | 'joins'): string => {
    assert.ok(failed !== 'joins' && failed.kind === 'bad-setting', JSON.stringify(failed));
    return failed.setting;
  };
  const extra = (args: string): string => al2(`demo ${TOLD} --kubelet-extra-args '${args}'`);
  assert.equal(settingOf(failure('AL2', extra('--max-pods=many'))), 'max-pods');
  assert.equal(settingOf(failure('AL2', extra('--register-with-taints=a=b:Sometimes'))), 'taint');
  assert.equal(settingOf(failure('AL2', extra('--kube-reserved=cpu=lots'))), 'kube-reserved');
  assert.equal(settingOf(failure('AL2023', nodeConfig('    config:\n      maxPods: -1'))), 'maxPods');
  assert.equal(settingOf(failure('Bottlerocket', toml("max-pods = '29'"))), 'max-pods');
  assert.equal(settingOf(failure('Bottlerocket', toml('[settings.kubernetes.node-labels]\na = 1'))), 'node-labels');
});

test('what nodeadm needs of the cluster may not be missing', () => {
  const text = nodeConfig('    config: {}').replace(/ +cidr.*\n/, '');
  assert.deepEqual(failure('AL2023', text), { kind: 'missing', setting: 'service CIDR' });
  assert.deepEqual(failure('Bottlerocket', "[settings.kubernetes]\ncluster-name = 'demo'\n"), {
    kind: 'missing',
    setting: 'endpoint',
  });
  assert.deepEqual(failure('AL2', al2('')), { kind: 'missing', setting: 'name' });
});

test('NodeConfigs merge as nodeadm merges them: later values win, flags accumulate', () => {
  const first = nodeConfig(`    config:
      maxPods: 5
      kubeReserved: {cpu: 100m, memory: 1Gi}
      registerWithTaints: [{key: mine, effect: NoSchedule}]
    flags: [--node-labels="a=first,b=first"]`);
  const second = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance: {localStorage: {strategy: RAID0}}
  kubelet:
    config:
      maxPods: 29
      kubeReserved: {cpu: 200m}
      registerWithTaints: [{key: theirs, value: v, effect: NoExecute}]
    flags: [--node-labels=b=second]`;
  const { kubelet, localDisks } = instructions('AL2023', mime([first, second]));
  assert.deepEqual(kubelet.labels, { a: 'first', b: 'second' });
  assert.deepEqual(kubelet.taints, [{ key: 'theirs', value: 'v', effect: 'NoExecute' }]);
  assert.equal(kubelet.maxPods, 29);
  assert.deepEqual(kubelet.kubeReserved, { cpu: '200m', memory: '1Gi' });
  assert.equal(localDisks, 'raid0');
});

test('a custom image follows the family in whose form its user data is', () => {
  const familyOf = (text: string): string => instructions('Custom', text).family;
  assert.equal(familyOf(al2(`demo ${TOLD}`)), 'AL2');
  assert.equal(familyOf(mime([nodeConfig('    config: {}')])), 'AL2023');
  assert.equal(familyOf(toml('')), 'Bottlerocket');
  assert.equal(familyOf(powershell(`-EKSClusterName demo ${TOLD_WINDOWS}`)), 'Windows');
});

test('a script may quote, escape, comment and continue lines as shells allow', () => {
  const script = al2(`"demo" --use-max-pods=false \\
  --kubelet-extra-args "--node-labels=\\"a=1,b=2\\" --max-pods 17" --dns-cluster-ip 10.0.0.10 # and no more
echo done`);
  const { kubelet } = instructions('AL2', `#!/bin/bash\n# /etc/eks/bootstrap.sh other\nset -e; ${script.slice(19)}`);
  assert.deepEqual(kubelet.labels, { a: '1', b: '2' });
  assert.equal(kubelet.maxPods, 17);
  assert.deepEqual(kubelet.clusterDns, ['10.0.0.10']);
});

function mime(nodeConfigs: readonly string[]): string {
  const parts = nodeConfigs.map((text) => `--B\nContent-Type: application/node.eks.aws\n\n${text}\n`);
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n${parts.join('')}--B--\n`;
}
