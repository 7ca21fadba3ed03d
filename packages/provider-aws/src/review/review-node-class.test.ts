import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { reviewNodeClass, type ReviewOptions } from './review-node-class.ts';

type Spec = NonNullable<EC2NodeClass['spec']>;

/** The remarks on a NodeClass, as `severity field[:line] message (hint)`. */
function review(spec: Partial<Spec>, options: ReviewOptions = {}): readonly string[] {
  const whole = {
    role: 'node',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ id: 'subnet-1' }],
    securityGroupSelectorTerms: [{ id: 'sg-1' }],
    ...spec,
  } as Spec;
  return reviewNodeClass({ spec: whole }, options).map(({ severity, field, textLine, message, hint }) => {
    const place = textLine === undefined ? field : `${field}:${textLine}`;
    return `${severity} ${place} ${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}

const al2023 = (userData: string): readonly string[] => review({ userData });
const al2 = (userData: string): readonly string[] =>
  review({ amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }], userData });
const bottlerocket = (userData: string): readonly string[] =>
  review({ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }], userData });

const nodeConfig = (spec: string): string => `apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n${spec}`;
const archive = (...parts: readonly (readonly [type: string, body: string])[]): string =>
  [
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="X"\n',
    ...parts.map(([type, body]) => `--X\nContent-Type: ${type}\n\n${body}`),
    '--X--\n',
  ].join('\n');

const LITERAL = '(write the value: nobody expands it, and AWS gets it as it is written)';

test('a NodeClass as guides have it has no remarks', () => {
  assert.deepEqual(review({}), []);
  assert.deepEqual(al2023('#!/bin/bash\nset -e\nNAME=demo\necho "${NAME}" $HOME $(hostname) > /tmp/x\n'), []);
  assert.deepEqual(al2023(nodeConfig('  kubelet:\n    config: {shutdownGracePeriod: 30s}\n    flags: [--v=2]\n')), []);
  const both = archive(
    ['text/x-shellscript; charset="us-ascii"', '#!/bin/bash\n'],
    ['application/node.eks.aws', nodeConfig('  featureGates: {FastImagePull: true}\n')],
  );
  assert.deepEqual(al2023(both), []);
  assert.deepEqual(
    bottlerocket('[settings.kubernetes]\nallowed-unsafe-sysctls = ["a"]\n[settings.ntp]\na = "b"\n'),
    [],
  );
  assert.deepEqual(review({ amiSelectorTerms: [{ alias: 'windows2022@latest' }], userData: 'Write-Host $env:X' }), []);
});

describe('aliases and the version of the cluster', () => {
  const alias = (name: string, kubernetesVersion?: string) =>
    review({ amiSelectorTerms: [{ alias: name }] }, { kubernetesVersion });

  test('al2 ends with 1.32', () => {
    const [field, ofVersion] = [
      'spec.amiSelectorTerms[0].alias',
      'this alias has images for Kubernetes up to 1.32 only',
    ];
    assert.deepEqual(alias('al2@latest'), [
      `warning ${field} ${ofVersion} (use al2023, or tell the version with --kubernetes-version)`,
    ]);
    assert.deepEqual(alias('al2@latest', '1.32'), []);
    assert.match(
      alias('al2@latest', '1.33')[0]!,
      /^error .+ AL2 aliases are no longer supported on EKS 1\.33\+ .+al2023@latest\?\)$/,
    );
  });

  test('windows2025 begins with 1.35', () => {
    assert.match(alias('windows2025@latest')[0]!, /^warning .+ for Kubernetes from 1\.35 on only/);
    assert.match(
      alias('windows2025@latest', '1.34')[0]!,
      /^error .+ requires EKS version 1\.35 or higher, current version: 1\.34/,
    );
    assert.deepEqual(alias('windows2025@latest', '1.35'), []);
    assert.deepEqual(alias('al2023@latest', '1.36'), []);
  });
});

test('placeholders that nobody has filled in are named where they stand', () => {
  const text = (placeholder: string) =>
    `${JSON.stringify(placeholder)} looks like a placeholder that nobody has filled in`;
  assert.deepEqual(review({ role: 'KarpenterNodeRole-${CLUSTER_NAME}' }), [
    `error spec.role ${text('${CLUSTER_NAME}')} ${LITERAL}`,
  ]);
  assert.deepEqual(review({ role: undefined, instanceProfile: '<profile>' }), [
    `error spec.instanceProfile ${text('<profile>')} ${LITERAL}`,
  ]);
  const spec = {
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': '$CLUSTER_NAME' } }],
    securityGroupSelectorTerms: [{ name: '{{ cluster }}-node' }],
    amiSelectorTerms: [{ name: '${AMI}*' }],
    tags: { '<key>': 'a', team: '<your team>' },
  };
  assert.deepEqual(review(spec), [
    `warning spec.subnetSelectorTerms[0].tags ${text('$CLUSTER_NAME')} ${LITERAL}`,
    `warning spec.securityGroupSelectorTerms[0].name ${text('{{ cluster }}')} ${LITERAL}`,
    `warning spec.amiSelectorTerms[0].name ${text('${AMI}')} ${LITERAL}`,
    `warning spec.tags ${text('<key>')} ${LITERAL}`,
    `warning spec.tags.team ${text('<your team>')} ${LITERAL}`,
  ]);
  assert.deepEqual(review({ subnetSelectorTerms: [{ tags: { Name: 'a*?', price: '5$ < 6' } }] }), []);
});

test('a role or an instance profile that is no name', () => {
  const arn = 'arn:aws:iam::111122223333:role/team/node';
  assert.deepEqual(review({ role: arn }), [
    'warning spec.role the ARN of a role, where its name is meant (did you mean node?)',
  ]);
  assert.deepEqual(review({ role: 'team/node' }), []);
  assert.match(review({ role: 'no name' })[0]!, /^error spec\.role "no name" is no name of a role/);
  const profile = (instanceProfile: string) => review({ role: undefined, instanceProfile })[0]!;
  assert.match(
    profile('arn:aws:iam::1:instance-profile/p'),
    /^error .+ the ARN of an instance profile.+did you mean p\?/,
  );
  assert.match(profile('path/p'), /^error .+ the path of an instance profile/);
});

test('fields of an image term that select nothing beside another', () => {
  const terms = [
    { id: 'ami-1', ssmParameter: '/a' },
    { ssmParameter: '/a', name: 'b', tags: { c: 'd' } },
  ];
  assert.deepEqual(review({ amiFamily: 'AL2023', amiSelectorTerms: terms }), [
    'warning spec.amiSelectorTerms[0].ssmParameter beside id, ssmParameter selects nothing (make it a term of its own)',
    'warning spec.amiSelectorTerms[1].name beside ssmParameter, name, tags select nothing (make it a term of its own)',
  ]);
});

describe('user data of AL2023', () => {
  test('fields of a NodeConfig that nodeadm does not know, and types that it does not take, are named with their lines', () => {
    const text = nodeConfig(
      '  kubelet:\n    config:\n      maxPod: 20\n    flags: --v=2\n  instance:\n    localStorage: {strategy: RAID5}\n',
    );
    assert.deepEqual(al2023(text), [
      'warning spec.userData:6 NodeConfig: unknown field "spec.kubelet.config.maxPod" (did you mean maxPods?)',
      'error spec.userData:7 NodeConfig: spec.kubelet.flags must be a list, but is a string',
      'error spec.userData:9 NodeConfig: spec.instance.localStorage.strategy is "RAID5", not one of RAID0, RAID10, Mount',
    ]);
  });

  test('what is no NodeConfig, or not YAML, is an error', () => {
    assert.deepEqual(al2023('spec: {}\n'), [
      'error spec.userData:1 NodeConfig: apiVersion not set (apiVersion: node.eks.aws/v1alpha1, kind: NodeConfig)',
      'error spec.userData:1 NodeConfig: kind not set (apiVersion: node.eks.aws/v1alpha1, kind: NodeConfig)',
    ]);
    const broken = al2023(archive(['application/node.eks.aws', 'kind: NodeConfig\nspec: {']));
    assert.match(broken[0]!, /^error spec\.userData:\d+ not YAML: /);
  });

  test('what Karpenter overwrites is told, with what to use instead', () => {
    const text = nodeConfig('  cluster: {name: demo}\n  kubelet:\n    config:\n      maxPods: 20\n');
    assert.deepEqual(al2023(text), [
      'warning spec.userData:4 NodeConfig: Karpenter overwrites spec.cluster.name (use the flag --cluster-name of the controller)',
      'warning spec.userData:7 NodeConfig: Karpenter overwrites spec.kubelet.config.maxPods (use spec.kubelet.maxPods of the EC2NodeClass)',
    ]);
  });

  test('there is no bootstrap.sh, unless the script looks first', () => {
    assert.deepEqual(al2023('#!/bin/bash\n/etc/eks/bootstrap.sh demo\n'), [
      'error spec.userData:2 there is no /etc/eks/bootstrap.sh on AL2023, where nodeadm starts the kubelet ' +
        '(use spec.kubelet, or a NodeConfig (apiVersion: node.eks.aws/v1alpha1))',
    ]);
    assert.deepEqual(al2023('#!/bin/bash\n# not /etc/eks/bootstrap.sh\n'), []);
    assert.deepEqual(al2023('#!/bin/bash\nif [ -x /etc/eks/bootstrap.sh ]; then /etc/eks/bootstrap.sh demo; fi\n'), []);
  });

  test('an archive is read as Karpenter reads it, and the lines are those of the archive', () => {
    assert.match(
      al2023('Content-Type: text/plain\n\nhello')[0]!,
      /^error spec\.userData:1 not a MIME archive .+ not in multipart MIME format/,
    );
    assert.match(
      al2023('Content-Type: multipart/mixed; boundary="Y"\n\n--X\n')[0]!,
      /^error .+ the MIME archive has no parts/,
    );
    const [bootstrap] = al2023(
      archive(
        ['text/cloud-config', '#cloud-config\n'],
        ['text/x-shellscript', '#!/bin/bash\n/etc/eks/bootstrap.sh x\n'],
      ),
    );
    assert.match(bootstrap!, /^error spec\.userData:13 there is no/);
    const encoded =
      'Content-Type: multipart/mixed; boundary="X"\n\n--X\nContent-Type: text/x-shellscript\nContent-Transfer-Encoding: base64\n\nIyE=\n--X--\n';
    assert.match(al2023(encoded)[0]!, /^error spec\.userData:7 the encoding base64 of a part is lost/);
    assert.match(al2023(archive(['text/html', 'x']))[0]!, /^warning .+ nobody reads a part of type text\/html/);
  });

  test('variables that a script does not set are placeholders; a NodeConfig has no variables', () => {
    assert.match(
      al2023('#!/bin/bash\naws eks update-kubeconfig --name ${CLUSTER_NAME}\n')[0]!,
      /^warning spec\.userData:2 "\$\{CLUSTER_NAME\}"/,
    );
    assert.deepEqual(al2023('#!/bin/bash\nCLUSTER_NAME=demo\necho $CLUSTER_NAME\n'), []);
    assert.match(
      al2023(nodeConfig('  kubelet: {flags: ["--node-labels=a=$NAME"]}\n'))[0]!,
      /^warning spec\.userData:4 "\$NAME"/,
    );
  });

  test('what EC2 does not take, for its size or as a script, is told', () => {
    assert.match(
      al2023(`#!/bin/bash\n${'# x\n'.repeat(5000)}`)[0]!,
      /^error spec\.userData user data has 20012 bytes, but EC2 takes 16384/,
    );
    assert.match(al2023('echo hi')[0]!, /^warning spec\.userData:1 the script does not begin with #!/);
  });
});

test('user data of AL2: the bootstrap script would run twice, and nobody reads a NodeConfig', () => {
  assert.match(al2('#!/bin/bash\n/etc/eks/bootstrap.sh demo\n')[0]!, /^warning spec\.userData:2 Karpenter runs/);
  assert.match(
    al2(archive(['application/node.eks.aws', 'kind: NodeConfig']))[0]!,
    /^warning .+ nobody reads a part of type application\/node\.eks\.aws on AL2/,
  );
});

test('user data of Bottlerocket: TOML with the line of the fault, types, unknown and overwritten keys', () => {
  assert.match(
    bottlerocket('[settings.ntp]\na = "b"\nb = \n')[0]!,
    /^error spec\.userData:3 not TOML: .+ \(column \d+\)$/,
  );
  assert.match(
    bottlerocket('#!/bin/bash\necho hi\n')[0]!,
    /^error spec\.userData:\d+ not TOML: .+no scripts and no MIME archives\)$/,
  );
  assert.deepEqual(bottlerocket('[settings.kubernetes]\nregistry-qps = "5"\n'), [
    'error spec.userData:2 toml: settings.kubernetes.registry-qps must be int, but is a string',
  ]);
  assert.deepEqual(bottlerocket('[settings.kubernetes]\nmax-pods = 5\nregistry-qp = 5\n[other]\na = 1\n'), [
    'warning spec.userData:4 Karpenter drops other: only the table settings reaches the instance',
    'warning spec.userData:3 Karpenter does not know settings.kubernetes.registry-qp and drops it (did you mean registry-qps?)',
    'warning spec.userData:2 Karpenter overwrites settings.kubernetes.max-pods (use spec.kubelet.maxPods)',
  ]);
  assert.match(
    bottlerocket('[settings.host-containers.admin]\nuser-data = "${DATA}"\n')[0]!,
    /^warning spec\.userData:2 "\$\{DATA\}"/,
  );
});

test('user data of Windows is the inside of a PowerShell script', () => {
  const windows = (userData: string) => review({ amiSelectorTerms: [{ alias: 'windows2022@latest' }], userData });
  assert.match(
    windows('Write-Host a\n<powershell>\nWrite-Host b\n</powershell>')[0]!,
    /^error spec\.userData:2 the tag <powershell>/,
  );
  assert.match(windows('#!/bin/bash\n')[0]!, /^error spec\.userData:1 this is a script for Linux/);
});

test('user data of a Custom family has to set the taint that Karpenter waits for', () => {
  const custom = (userData: string) => review({ amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1' }], userData });
  assert.match(custom('#!/bin/bash\n')[0]!, /^warning spec\.userData nodes of a Custom family must register/);
  assert.deepEqual(custom('kubelet --register-with-taints=karpenter.sh/unregistered:NoExecute'), []);
});
