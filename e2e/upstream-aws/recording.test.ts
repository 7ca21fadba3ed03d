import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../aws-guides/guide.ts';
import type { AwsCall } from '../operator/aws-cloud.ts';
import { recordGuide, type Recording } from './recording.ts';

const TAG = { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'guide' };

function outcomeOf(run: string): Outcome {
  const profile = `demo_${run}`;
  const instance = { id: `i-${run}`, tags: new Map([['aws:ec2:fleet-id', run]]), zone: { name: 'us-east-1a' } };
  return {
    guide: { name: 'guide' },
    nodeClass: { metadata: { name: 'guide', uid: `uid-${run}` }, spec: {}, status: { instanceProfile: profile } },
    nodes: [
      {
        nodeClaim: { metadata: { name: `guide-${run}`, uid: `uid-of-claim-${run}`, creationTimestamp: run } },
        node: { metadata: { name: `ip-${run}`, labels: { hostname: `ip-${run}` } } },
        instance,
        pods: [],
      },
    ],
  } as unknown as Outcome;
}

/** What a run has made of a guide, with the names that it happened to choose. */
function recordRun(run: string, userData = 'echo one\necho two'): Recording {
  const profile = `demo_${run}`;
  const template = `karpenter.k8s.aws/${run}`;
  const tags = [{ Tags: [TAG] }];
  const UserData = Buffer.from(userData).toString('base64');
  const data = { ImageId: 'ami-1', IamInstanceProfile: { Name: profile }, UserData };
  const create = { LaunchTemplateName: template, LaunchTemplateData: data, TagSpecifications: tags, ClientToken: run };
  const calls: AwsCall[] = [
    { service: 'ec2', operation: 'CreateLaunchTemplate', input: create },
    { service: 'ec2', operation: 'CreateLaunchTemplate', input: { ...create, ClientToken: `${run} again` } },
    { service: 'ec2', operation: 'CreateFleet', input: { LaunchTemplateName: template, TagSpecifications: tags } },
    {
      service: 'ec2',
      operation: 'CreateTags',
      input: { Resources: [`i-${run}`], Tags: [{ Key: 'Name', Value: `ip-${run}` }] },
    },
    { service: 'ec2', operation: 'DescribeSubnets', input: {} },
    { service: 'iam', operation: 'DeleteInstanceProfile', input: { InstanceProfileName: profile } },
    { service: 'iam', operation: 'DeleteInstanceProfile', input: { InstanceProfileName: 'of another class' } },
  ];
  return recordGuide(outcomeOf(run), calls);
}

test('two runs that differ by chance alone have the same recording', () => {
  assert.deepEqual(recordRun('7f3a'), recordRun('0c91'));
});

test('a recording has the requests that launch, tag and clean up, each once, of this guide alone', () => {
  const recording = recordRun('7f3a');
  assert.deepEqual(
    Object.entries(recording).map(([name, items]) => [name, items.length]),
    [
      ['EC2NodeClass', 1],
      ['NodeClaim', 1],
      ['Node', 1],
      ['instance', 1],
      ['ec2 CreateLaunchTemplate', 1],
      ['ec2 CreateFleet', 1],
      ['ec2 CreateTags', 1],
      ['iam DeleteInstanceProfile', 1],
    ],
  );
  const tags = { Name: { Key: 'Name', Value: '<Node>' } };
  assert.deepEqual(recording['ec2 CreateTags'], [{ Resources: ['<instance>'], Tags: tags }]);
});

test('user data is told in lines, in their order; the lines of TOML are told with their tables, in any order', () => {
  const linesOf = (userData: string): unknown => {
    const [template] = recordRun('7f3a', userData)['ec2 CreateLaunchTemplate'] ?? [];
    return (template as { LaunchTemplateData: { UserData: unknown } }).LaunchTemplateData.UserData;
  };
  assert.deepEqual(linesOf('b\na'), ['b', 'a']);
  const one = "[settings]\n[settings.kubernetes]\nmax-pods = 1\n'a' = 'x'\n[settings.ntp]\nb = 2";
  const other = '[settings.ntp]\nb = 2\n\n[settings.kubernetes]\na = "x"\nmax-pods = 1\n';
  assert.deepEqual(linesOf(one), linesOf(other));
});

test('requests of the validation are apart, whatever type they try', () => {
  const probe = (InstanceType: string): AwsCall => ({
    service: 'ec2',
    operation: 'RunInstances',
    input: { DryRun: true, InstanceType, TagSpecifications: [{ Tags: [TAG] }] },
  });
  const [one, other] = ['m5.large', 'c6i.large'].map((type) => recordGuide(outcomeOf('7f3a'), [probe(type)]));
  assert.equal(one?.['validation: ec2 RunInstances']?.length, 1);
  assert.equal(one?.['ec2 RunInstances'], undefined);
  assert.deepEqual(one, other);
});
