import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { capabilitiesAt } from '../iam/capabilities.ts';
import { findPlace } from '../iam/policy-place.ts';
import { main } from '../main.ts';
import { recordingIo } from '../testing-io.ts';

const FOLDER = join(import.meta.dirname, '../../../../deploy/aws/iam');
const POLICIES = globSync('controller-*.json', { cwd: FOLDER }).filter((name) => !name.includes('trust'));

interface Statement {
  readonly Sid: string;
  readonly Action: string | readonly string[];
}

const documents = POLICIES.map((name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return { name, document: JSON.parse(text) as { readonly Statement: readonly Statement[] } };
});
const all = documents.flatMap(({ document }) => document.Statement);

async function check(args: readonly string[], input?: unknown) {
  const io = recordingIo(typeof input === 'string' ? input : JSON.stringify(input ?? ''));
  await main(['check', '--iam', ...args], io);
  return { out: io.out(), err: io.err(), code: io.exitCode };
}

interface Checked {
  readonly clusterName: string;
  readonly region: string;
  readonly capabilities: readonly {
    readonly name: string;
    readonly alwaysOn: boolean;
    readonly covered: boolean;
    readonly lacks: readonly { readonly action: string; readonly why: string }[];
  }[];
}

async function lacksOf(input: unknown, ...args: readonly string[]) {
  const { out, code } = await check(['-', '-o', 'json', ...args], input);
  const checked = JSON.parse(out) as Checked;
  const lacks = checked.capabilities.flatMap((one) => one.lacks.map((lack) => ({ ...lack, capability: one.name })));
  return { ...checked, lacks, code };
}

const without = (action: string) =>
  all.map((statement) => {
    const actions = [statement.Action].flat().filter((one) => one !== action);
    return { ...statement, Action: actions.length > 0 ? actions : 'nothing:AtAll' };
  });

test('the policies that are shipped lack nothing, filled in or not', async () => {
  const { out, code } = await check(POLICIES.map((name) => join(FOLDER, name)));
  assert.match(
    out,
    /^policies for the cluster \$\{CLUSTER_NAME\} in \$\{REGION\}\n(ok: .*\n)+18 capabilities: 18 covered, 0 /,
  );
  assert.equal(code, 0);
  const filled = JSON.stringify(documents.map(({ document }) => document))
    .replaceAll('${CLUSTER_NAME}', 'demo')
    .replaceAll('${REGION}', 'cn-north-1')
    .replaceAll('${PARTITION}', 'aws-cn')
    .replaceAll('${DNS_SUFFIX}', 'amazonaws.com.cn')
    .replaceAll('${ACCOUNT}', '444455556666');
  const checked = await lacksOf(filled);
  assert.deepEqual([checked.lacks, checked.clusterName, checked.region, checked.code], [[], 'demo', 'cn-north-1', 0]);
});

test('the whole folder can be named: policies of trust and of the queue are passed over', async () => {
  assert.equal((await check([FOLDER])).code, 0);
});

test('each action that is taken out of them is missed, and the remedy is where it was', async () => {
  for (const action of new Set(all.flatMap((statement) => statement.Action))) {
    const { lacks, capabilities, code } = await lacksOf({ Statement: without(action) });
    assert.deepEqual(new Set(lacks.map((lack) => lack.action)), new Set([action]));
    assert.equal(code, capabilities.some((one) => one.alwaysOn && !one.covered) ? 1 : 0);
  }
});

test('every remedy is a statement that there is, with the action', () => {
  for (const { needs } of capabilitiesAt(findPlace([]))) {
    for (const { file, statement, request } of needs) {
      const found = documents.find(({ name }) => name === basename(file))?.document.Statement;
      const named = found?.find(({ Sid }) => Sid === statement);
      assert.ok(named && [named.Action].flat().includes(request.action), `${file} ${statement} ${request.action}`);
    }
  }
});

/** As guides for versions before 1.6 show it, shortened, in their CloudFormation. */
const OLDER = `
Resources:
  NodeRole:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement: [{ Effect: Allow, Principal: { Service: ec2.amazonaws.com }, Action: 'sts:AssumeRole' }]
  Policy:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      PolicyDocument: !Sub |
        {"Version": "2012-10-17", "Statement": [
          {"Sid": "Read", "Effect": "Allow", "Resource": "*",
           "Action": ["ec2:DescribeImages", "ec2:DescribeInstances", "ec2:DescribeInstanceTypeOfferings",
             "ec2:DescribeInstanceTypes", "ec2:DescribeLaunchTemplates", "ec2:DescribeSecurityGroups",
             "ec2:DescribeSpotPriceHistory", "ec2:DescribeSubnets"],
           "Condition": {"StringEquals": {"aws:RequestedRegion": "\${AWS::Region}"}}},
          {"Sid": "Create", "Effect": "Allow", "Resource": "*", "Action": "iam:CreateInstanceProfile",
           "Condition": {"StringLike": {"aws:RequestTag/karpenter.sh/nodeclass": "*"}}},
          {"Sid": "Rest", "Effect": "Allow", "Resource": "*", "NotAction":
            ["ec2:Describe*", "iam:CreateInstanceProfile", "iam:ListInstanceProfiles", "sqs:*", "arc-zonal-shift:*"]}
        ]}
`;

test('an older policy is told what it lacks, by what it is lacked for', async () => {
  const { lacks, code } = await lacksOf(OLDER);
  assert.equal(code, 1);
  assert.deepEqual(
    lacks.map(({ capability, action, why }) => [capability, action, why]),
    [
      ['noticing unhealthy instances', 'ec2:DescribeInstanceStatus', 'no statement allows it'],
      ['capacity reservations', 'ec2:DescribeCapacityReservations', 'no statement allows it'],
      [
        'instance profiles for spec.role',
        'iam:CreateInstanceProfile',
        'Create allows it only if StringLike aws:RequestTag/karpenter.sh/nodeclass: *',
      ],
      ['instance profiles for spec.role', 'iam:ListInstanceProfiles', 'no statement allows it'],
      ['placement groups', 'ec2:DescribePlacementGroups', 'no statement allows it'],
      ['interruption messages', 'sqs:GetQueueUrl', 'no statement allows it'],
      ['interruption messages', 'sqs:ReceiveMessage', 'no statement allows it'],
      ['interruption messages', 'sqs:DeleteMessage', 'no statement allows it'],
      ['zonal shift', 'arc-zonal-shift:GetManagedResource', 'no statement allows it'],
    ],
  );
  const { out } = await check(['-'], OLDER);
  assert.match(
    out,
    /\nerror: noticing unhealthy instances\n {4}ec2:DescribeInstanceStatus on \*: no statement allows it\n {4}remedy: the statement ReadRegion of deploy\/aws\/iam\/controller-discovery\.json\n/,
  );
  assert.match(out, /\nwarning: interruption messages \(needed if --interruption-queue is set\)\n/);
});

test('what is optional alone is no failure', async () => {
  const { lacks, code } = await lacksOf({ Statement: without('sqs:ReceiveMessage') });
  assert.deepEqual([lacks.length, code], [1, 0]);
});

test('resources and statements that deny are looked at, and the cluster can be named', async () => {
  const Effect = 'Allow';
  const denied = [
    { Effect, Action: '*', Resource: '*' },
    { Sid: 'Never', Effect: 'Deny', Action: 'ec2:Terminate*', Resource: '*' },
  ];
  const { lacks } = await lacksOf({ Statement: denied });
  assert.deepEqual(
    lacks.map(({ action, why }) => [action, why]),
    [['ec2:TerminateInstances', 'Never denies it']],
  );
  const Resource = 'arn:aws:eks:us-west-2:111122223333:cluster/one';
  const narrow = [
    { Effect, NotAction: 'eks:*', Resource: '*' },
    { Sid: 'One', Effect, Action: 'eks:*', Resource },
  ];
  assert.deepEqual((await lacksOf({ Statement: narrow })).lacks, []);
  const other = await lacksOf({ Statement: narrow }, '--cluster-name', 'two');
  assert.deepEqual(
    other.lacks.map(({ why }) => why),
    ['One allows it only on other resources'],
  );
});

test('what the AWS CLI prints of a version of a policy can be piped in', async () => {
  const Document = { Version: '2012-10-17', Statement: all };
  assert.equal((await lacksOf({ PolicyVersion: { Document, VersionId: 'v1', IsDefaultVersion: true } })).code, 0);
  const encoded = encodeURIComponent(JSON.stringify(Document));
  assert.equal((await lacksOf({ PolicyVersion: { Document: encoded } })).code, 0);
});

for (const [what, text, problem] of [
  ['bad JSON', '{"Statement": [,]}', '<stdin>:1:16: is not JSON from here on'],
  ['bad YAML', 'a:\n  - b\n c: d', '<stdin>:3:1: All mapping items must start at the same column'],
  ['something else', '{"a": 1}', '<stdin>: holds no policy: an object with the member Statement is expected'],
  [
    'a text that is no policy',
    JSON.stringify({ PolicyDocument: '{"Statement": ' }),
    '<stdin>: PolicyDocument:1:15: is not JSON from here on',
  ],
  [
    'a policy of trust',
    '{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}}',
    'only policies that name principals are there: those of the role of the controller are expected',
  ],
  [
    'a statement that is none',
    '[{"Statement": [{"Effect": "Yes", "Action": "ec2:*", "Resource": "*"}]}]',
    '<stdin>: [0].Statement[0].Effect: must be "Allow" or "Deny"',
  ],
] as const) {
  test(`${what} is an error that names its place`, async () => {
    const { out, err, code } = await check(['-'], text);
    assert.deepEqual([out, err, code], ['', `karpenter: ${problem}\n`, 1]);
  });
}

test('a file that is not there is an error, and policies are checked alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'karpenter-iam-'));
  const missing = await check([join(folder, 'none.json')]);
  assert.deepEqual([missing.err, missing.code], [`karpenter: ${join(folder, 'none.json')}: no such file\n`, 1]);
  const io = recordingIo();
  writeFileSync(join(folder, 'a.yaml'), '{}');
  await main(['check', join(folder, 'a.yaml'), '--iam', FOLDER], io);
  assert.deepEqual([io.err(), io.exitCode], ['error: --iam checks policies alone: name no manifests\n', 2]);
});
