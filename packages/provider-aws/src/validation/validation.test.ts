import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Denial,
  type Fault,
  internalError,
  requestLimitExceeded,
  unauthorizedTo,
} from '@karpenter-ts/aws-emulator';
import { MINUTE, RETRY, TerminalError } from '@karpenter-ts/runtime';
import { type ClassParts, ValidationEnvironment, type ValidationParts } from './testing/validation-environment.ts';

const SUCCEEDED = 'True ValidationSucceeded: ';
const AWAITING = 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution';
const NO_POLICY = 'User is not authorized to perform this operation because no identity-based policy allows it';
const AGAIN = { requeueAfter: 10 * MINUTE };
const ALL_CALLS = ['DescribeLaunchTemplates', 'CreateLaunchTemplate', 'CreateFleet', 'RunInstances'];

describe('what has to be there first', () => {
  test('01/81, 08/60 a dependency that is False keeps it False; one that is not known yet keeps it Unknown', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const says = async (conditions: ClassParts['conditions'] & object) => {
      const { says, result } = await env.validate(env.nodeClass({ conditions }));
      assert.deepEqual(result, AGAIN);
      return says;
    };
    for (const type of ['AMIsReady', 'InstanceProfileReady', 'SecurityGroupsReady', 'SubnetsReady']) {
      assert.equal(await says({ [type]: 'False' }), `False DependenciesNotReady: ${AWAITING}`);
      assert.equal(await says({ [type]: 'Unknown' }), `Unknown DependenciesNotReady: ${AWAITING}`);
    }
    assert.match(await says({ AMIsReady: 'Unknown', SubnetsReady: 'False' }), /^False /);
    assert.deepEqual(new Set(env.calls()), new Set(['DescribeCluster']));
  });

  test('a placement group or reservations that are missing do not keep it from being validated', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const nodeClass = env.nodeClass();
    const unready = { type: 'PlacementGroupReady', status: 'False', reason: 'PlacementGroupNotFound', message: '' };
    const conditions = [...nodeClass.status!.conditions!, { ...nodeClass.status!.conditions![0]!, ...unready }];
    const { says } = await env.validate({ ...nodeClass, status: { ...nodeClass.status, conditions } } as never);
    assert.equal(says, SUCCEEDED);
  });

  test('08/61 AL2023 takes the IPv4 addresses of the services, or IPv6 if there are no others; others ask nothing', async (t) => {
    const cidrOf = async (network: NonNullable<ValidationParts['network']>) => {
      const env = await ValidationEnvironment.start(t, { network });
      assert.equal((await env.validate()).says, SUCCEEDED);
      const [template] = env.inputs('CreateLaunchTemplate');
      const { UserData } = template!['LaunchTemplateData'] as { UserData: string };
      return /cidr: (\S+)/.exec(Buffer.from(UserData, 'base64').toString())?.[1];
    };
    assert.equal(await cidrOf({ serviceIpv4Cidr: '10.100.0.0/16' }), '10.100.0.0/16');
    assert.match((await cidrOf({ ipFamily: 'ipv6' }))!, /^fd[0-9a-f:]+::\/108$/);
    const env = await ValidationEnvironment.start(t);
    for (const amiFamily of ['AL2', 'Bottlerocket', 'Custom'] as const) {
      assert.equal((await env.validate(env.nodeClass({ spec: { amiFamily } }))).says, SUCCEEDED);
    }
    assert.ok(!env.calls().includes('DescribeCluster'));
  });

  test('08/61 a cluster that EKS does not know fails AL2023; a fault of EKS is asked again about', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const { faults, eks } = env.aws.emulator;
    const lift = faults.inject({ ...internalError, code: 'ServerException' } as Fault, { service: 'eks' });
    const { result, says } = await env.validate();
    assert.equal(result, RETRY);
    assert.match(says, /^Unknown AwaitingReconciliation/);
    lift();
    eks.removeCluster('test-cluster');
    const failed = await env.validate();
    assert.equal(failed.says, 'False ClusterCIDRResolutionFailed: Failed to detect the cluster CIDR');
    assert.match(failed.error!.message, /^failed to detect the cluster CIDR, api error ResourceNotFoundException: /);
  });

  test('08/62 each restricted tag is refused, and asking again soon does not help', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const restricted = [
      'eks:eks-cluster-name',
      'kubernetes.io/cluster/test-cluster',
      'karpenter.sh/nodepool',
      'karpenter.sh/nodeclaim',
      'karpenter.k8s.aws/ec2nodeclass',
    ];
    for (const key of restricted) {
      const { says, error, nodeClass } = await env.validate(env.nodeClass({ spec: { tags: { [key]: 'x', ok: 'y' } } }));
      const text = `tags failed validation requirements (tags="${key}")`;
      assert.equal(says, `False TagValidationFailed: ${text}`);
      assert.ok(error instanceof TerminalError);
      assert.equal(error.message, `terminal error: validating tags, ${text}`);
      const ready = nodeClass.status?.conditions?.find(({ type }) => type === 'Ready');
      assert.match(ready!.message, /^ValidationSucceeded=False\b/);
    }
    const several = await env.validate(
      env.nodeClass({ spec: { tags: { [restricted[2]!]: '', [restricted[0]!]: '' } } }),
    );
    assert.match(several.says, /\(tags="eks:eks-cluster-name", "karpenter.sh\/nodepool"\)$/);
    assert.ok(!env.calls().includes('CreateLaunchTemplate'));
  });
});

describe('the dry runs', () => {
  test('a NodeClass that EC2 would launch is validated with one template, a fleet and an instance', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const { says, result } = await env.validate(env.nodeClass({ spec: { tags: { team: 'a' }, context: 'ctx' } }));
    assert.equal(says, SUCCEEDED);
    assert.deepEqual(result, AGAIN);
    assert.deepEqual(env.calls(), ['DescribeCluster', ...ALL_CALLS]);
    assert.equal(env.aws.emulator.ec2.instances().length, 0);
    const name = env.inputs('CreateLaunchTemplate')[0]!['LaunchTemplateName'];
    const [fleet] = env.inputs('CreateFleet');
    const subnets = Object.values(env.aws.network.subnetIds);
    const { Tags } = (fleet!['TagSpecifications'] as { Tags: { Key: string; Value: string }[] }[])[0]!;
    const { ClientToken: _, ...asked } = fleet!;
    assert.deepEqual(asked, {
      DryRun: true,
      Type: 'instant',
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' },
          Overrides: subnets.map((SubnetId) => ({ InstanceType: 'm5.large', SubnetId })),
        },
      ],
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand', TotalTargetCapacity: 1 },
      OnDemandOptions: { AllocationStrategy: 'lowest-price' },
      TagSpecifications: ['instance', 'volume', 'fleet'].map((ResourceType) => ({ ResourceType, Tags })),
    });
    assert.deepEqual(Tags, [
      { Key: 'eks:eks-cluster-name', Value: 'test-cluster' },
      { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
      { Key: 'karpenter.sh/nodepool', Value: '' },
      { Key: 'kubernetes.io/cluster/test-cluster', Value: 'owned' },
      { Key: 'team', Value: 'a' },
    ]);
    const { ClientToken: __, ...instance } = env.inputs('RunInstances')[0]!;
    assert.deepEqual(instance, {
      DryRun: true,
      MinCount: 1,
      MaxCount: 1,
      LaunchTemplate: { LaunchTemplateName: name, Version: '$Latest' },
      InstanceType: 'm5.large',
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: subnets[0] }],
      TagSpecifications: ['instance', 'volume', 'network-interface'].map((ResourceType) => ({ ResourceType, Tags })),
    });
  });

  test('configured interfaces are asked for in the subnet; a volume without EBS and one in an iso region change nothing', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const networkInterfaces = [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' as const },
      { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'interface' as const },
    ];
    const nodeClass = env.nodeClass({
      spec: { networkInterfaces, blockDeviceMappings: [{ deviceName: '/dev/xvdz' }] },
    });
    const before = structuredClone(nodeClass);
    assert.equal((await env.validate(nodeClass)).says, SUCCEEDED);
    assert.deepEqual(nodeClass, before);
    const SubnetId = nodeClass.status!.subnets![0]!.id;
    assert.deepEqual(env.inputs('RunInstances')[0]!['NetworkInterfaces'], [
      { NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: 'interface', SubnetId },
      { NetworkCardIndex: 0, DeviceIndex: 1, InterfaceType: 'interface', SubnetId },
    ]);
  });

  test('08/73 the template asks for hardware of one’s own if a NodePool admits it', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const values = ['default', 'dedicated'];
    env.addNodePool([{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In', values }]);
    assert.equal((await env.validate()).says, SUCCEEDED);
    const data = env.inputs('CreateLaunchTemplate')[0]!['LaunchTemplateData'] as { Placement: unknown };
    assert.deepEqual(data.Placement, { Tenancy: 'dedicated' });
  });

  test('08/65 one subnet in which it would succeed is enough; else the first says why', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const nodeClass = env.nodeClass();
    const [first, second] = nodeClass.status!.subnets!.map(({ id }) => id);
    const isIn = (subnet: string | undefined) => (input: object) =>
      (input as { NetworkInterfaces: { SubnetId: string }[] }).NetworkInterfaces[0]!.SubnetId === subnet;
    const { faults } = env.aws.emulator;
    const denied = unauthorizedTo('ec2:RunInstances', 'permissions-boundary');
    faults.inject(denied, { operation: 'RunInstances', when: isIn(first) });
    assert.equal((await env.validate(nodeClass)).says, SUCCEEDED);
    assert.deepEqual(env.inputs('RunInstances').length, 1, 'those that are refused do not get to EC2');
    assert.ok(isIn(second)(env.inputs('RunInstances')[0]!));
    faults.inject(internalError, { operation: 'RunInstances', when: (input) => !isIn(first)(input) });
    const { says } = await env.validate(env.nodeClass({ annotations: { again: '1' } }));
    assert.match(says, /^False RunInstancesAuthCheckFailed: .+ due to a permission boundary$/);
  });

  test('08/63 what EC2 does not allow is said with its reason, and again until it is asked anew', async (t) => {
    for (const call of ['CreateLaunchTemplate', 'CreateFleet', 'RunInstances'] as const) {
      const env = await ValidationEnvironment.start(t);
      const { clock, logger } = env.aws;
      const lift = env.aws.emulator.faults.inject(unauthorizedTo(`ec2:${call}`, 'no-identity-based-policy'), {
        operation: call,
      });
      const refused = await env.validate();
      const text = `False ${call}AuthCheckFailed: Controller isn't authorized to call ec2:${call}: ${NO_POLICY}`;
      assert.equal(refused.says, text);
      assert.deepEqual(refused.result, AGAIN);
      assert.ok(logger.lines.some(({ message }) => message === `unauthorized to call ec2:${call}`));
      lift();
      env.forgetCalls();
      await clock.advance(29 * MINUTE);
      assert.equal((await env.validate()).says, text);
      assert.deepEqual(env.calls(), []);
      await clock.advance(1 * MINUTE);
      assert.equal((await env.validate()).says, SUCCEEDED);
    }
  });

  test('08/64 a permission boundary, a service control policy and an image of others are named', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const because = async (denial: Denial, annotation: string) => {
      const lift = env.aws.emulator.faults.inject(unauthorizedTo('ec2:CreateFleet', denial, 'ami-1'), {
        operation: 'CreateFleet',
      });
      const { says } = await env.validate(env.nodeClass({ annotations: { try: annotation } }));
      lift();
      return says.replace(/^.+ec2:CreateFleet: /, '');
    };
    const unable = 'User is not authorized to perform this operation due to a';
    assert.equal(await because('permissions-boundary', '1'), `${unable} permission boundary`);
    assert.equal(await because('service-control-policy', '2'), `${unable} service control policy`);
    assert.equal(await because('image', '3'), 'User is not authorized for AMI used in instance launch');
    assert.equal(await because('identity-based-policy', '4'), NO_POLICY);
  });

  test('08/66 user data that is too large for EC2 is named; data that is no base64 is another thing', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const large = env.nodeClass({ spec: { userData: `#!/bin/bash\n${'# filler\n'.repeat(2000)}` } });
    assert.equal(
      (await env.validate(large)).says,
      'False UserDataSizeLimitExceeded: ec2:CreateLaunchTemplate rejected the rendered user data as too large: ' +
        'Rendered user data exceeds the EC2 user data size limit',
    );
    env.forgetCalls();
    assert.match((await env.validate(large)).says, /^False UserDataSizeLimitExceeded/);
    assert.deepEqual(env.calls(), []);
    const code = 'InvalidUserData.Malformed';
    const message = 'Invalid BASE64 encoding of user data.';
    const fault: Fault = { kind: 'refuse', code, message, status: 400 };
    env.aws.emulator.faults.inject(fault, { operation: 'CreateLaunchTemplate' });
    const { says, error } = await env.validate();
    const text = `validating ec2:CreateLaunchTemplate authorization, creating launch template, api error ${code}: ${message}`;
    assert.equal(says, `Unknown CreateLaunchTemplateFailed: ${text}`);
    assert.equal(error?.message, text);
  });

  test('08/67 an instance profile that EC2 does not know yet is asked about again, and nothing is said', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const spec = { role: 'node-role', instanceProfile: undefined } as ClassParts['spec'] & object;
    const { says, result } = await env.validate(env.nodeClass({ spec, status: { instanceProfile: 'late' } }));
    assert.match(says, /^Unknown AwaitingReconciliation/);
    assert.equal(result, RETRY);
    env.aws.emulator.iam.addInstanceProfile('late');
    await env.aws.clock.advance(1 * MINUTE);
    assert.equal((await env.validate(env.nodeClass({ spec, status: { instanceProfile: 'late' } }))).says, SUCCEEDED);
  });

  test('an instance profile of the user’s own that EC2 does not know is named, and asked about again', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const own = { spec: { instanceProfile: 'slip' }, status: { instanceProfile: 'slip' } };
    const nodeClass = env.nodeClass({ ...own, conditions: { ValidationSucceeded: 'False' } });
    const unknown = await env.validate(nodeClass);
    assert.equal(unknown.says, 'Unknown InstanceProfileNotFound: EC2 does not know the instance profile "slip"');
    assert.equal(unknown.result, RETRY);
    env.aws.emulator.iam.addInstanceProfile('slip');
    await env.aws.clock.advance(1 * MINUTE);
    assert.equal((await env.validate(unknown.nodeClass)).says, SUCCEEDED);
  });

  test('throttling and failures of EC2 are asked about again; the SDK does not insist', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const { faults } = env.aws.emulator;
    for (const operation of ['CreateFleet', 'RunInstances']) {
      for (const fault of [requestLimitExceeded, internalError, throttling]) {
        let count = 0;
        const lift = faults.inject(fault, { operation, when: () => ++count > 0 });
        const nodeClass = env.nodeClass();
        const { says, result } = await env.validate(nodeClass);
        lift();
        assert.match(says, /^Unknown AwaitingReconciliation/);
        assert.equal(result, RETRY);
        assert.equal(count, operation === 'CreateFleet' ? 1 : nodeClass.status!.subnets!.length);
      }
    }
  });

  test('a template that somebody has deleted is made anew', async (t) => {
    const env = await ValidationEnvironment.start(t);
    assert.equal((await env.validate()).says, SUCCEEDED);
    const LaunchTemplateName = String(env.inputs('CreateLaunchTemplate')[0]!['LaunchTemplateName']);
    const { ec2 } = env.aws.apis;
    await env.aws.settle(ec2.deleteLaunchTemplate({ LaunchTemplateName }, new AbortController().signal));
    const again = env.nodeClass({ annotations: { again: '1' } });
    assert.equal((await env.validate(again)).result, RETRY);
    assert.equal((await env.validate(again)).says, SUCCEEDED);
  });

  test('what EC2 should not answer is shown, unless the NodeClass has been validated as it is', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const fault: Fault = { kind: 'refuse', code: 'OptInRequired', message: 'You are not subscribed.', status: 401 };
    const valid = await env.validate();
    await env.aws.clock.advance(30 * MINUTE);
    env.aws.emulator.faults.inject(fault, { operation: 'CreateFleet' });
    const text = 'validating ec2:CreateFleet authorization, api error OptInRequired: You are not subscribed.';
    const later = await env.validate(valid.nodeClass);
    assert.equal(later.says, SUCCEEDED);
    assert.equal(later.error?.message, text);
    const changed = { ...valid.nodeClass, metadata: { ...valid.nodeClass.metadata, generation: 2 } };
    assert.equal((await env.validate(changed)).says, `Unknown CreateFleetDryRunFailed: ${text}`);
  });
});

const throttling: Fault = { kind: 'refuse', code: 'Throttling', message: 'Rate exceeded', status: 400 };

describe('verdicts', () => {
  test('08/68 with dry runs disabled it is True, without a call, and remembered once', async (t) => {
    const env = await ValidationEnvironment.start(t, { disableDryRun: true });
    const nodeClass = env.nodeClass({ spec: { amiFamily: 'Bottlerocket' } });
    for (const _ of [1, 2]) assert.equal((await env.validate(nodeClass)).says, SUCCEEDED);
    assert.deepEqual(env.calls(), []);
    assert.equal(env.validation.verdictsOn('default'), 1);
  });

  test('08/69 an annotation has EC2 asked anew, but not one of the hash; a deleted NodeClass is forgotten', async (t) => {
    const env = await ValidationEnvironment.start(t);
    await env.validate();
    const callsOf = async (annotations: Readonly<Record<string, string>>) => {
      env.forgetCalls();
      assert.equal((await env.validate(env.nodeClass({ annotations }))).says, SUCCEEDED);
      return env.calls();
    };
    const hashes = { 'karpenter.k8s.aws/ec2nodeclass-hash': '1', 'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v5' };
    assert.deepEqual(await callsOf(hashes), []);
    assert.deepEqual(await callsOf({ ...hashes, 'example.com/again': '1' }), ['CreateFleet', 'RunInstances']);
    assert.deepEqual(await callsOf({ 'example.com/again': '1' }), []);
    assert.equal(env.validation.verdictsOn('default'), 2);
    env.validation.forget(env.nodeClass());
    assert.equal(env.validation.verdictsOn('default'), 0);
    assert.deepEqual(await callsOf(hashes), ['CreateFleet', 'RunInstances']);
  });

  test('what the other steps find has EC2 asked anew; another NodeClass has a verdict of its own', async (t) => {
    const env = await ValidationEnvironment.start(t);
    await env.validate();
    const nodeClass = env.nodeClass();
    const asksAgain = async (parts: ClassParts) => {
      env.forgetCalls();
      await env.validate(env.nodeClass(parts));
      return env.calls().includes('CreateFleet');
    };
    const { subnets, amis } = nodeClass.status!;
    assert.equal(await asksAgain({ status: { subnets: subnets!.toReversed() } }), false);
    assert.equal(await asksAgain({ status: { subnets: subnets!.slice(1) } }), true);
    assert.equal(await asksAgain({ status: { amis: [{ ...amis![0]!, name: 'newer' }] } }), true);
    assert.equal(await asksAgain({ spec: { detailedMonitoring: true } }), true);
    assert.equal(await asksAgain({ name: 'other' }), true);
  });

  test('few are kept of a NodeClass whose status goes back and forth', async (t) => {
    const env = await ValidationEnvironment.start(t, { disableDryRun: true });
    for (let round = 0; round < 50; round++) await env.validate(env.nodeClass({ annotations: { round: `${round}` } }));
    assert.equal(env.validation.verdictsOn('default'), 8);
  });
});

describe('settings with which nothing could be launched', () => {
  test('user data that cannot be rendered is named with what is wrong, and EC2 is not asked', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const toml = await env.validate(
      env.nodeClass({ spec: { amiFamily: 'Bottlerocket', userData: '[settings\na = 1' } }),
    );
    assert.match(toml.says, /^False InvalidUserData: invalid UserData .+\(line 1, column \d+\)$/);
    const mime = 'Content-Type: text/plain\n\nhello';
    const al2 = await env.validate(env.nodeClass({ spec: { amiFamily: 'AL2', userData: mime } }));
    assert.match(al2.says, /^False InvalidUserData: .*user data is not in multipart MIME format$/);
    assert.deepEqual(al2.result, AGAIN);
    assert.equal(al2.error, undefined);
    const long = `MIME-Version: 1.0\n${'x'.repeat(2000)}`;
    const { says: text } = await env.validate(env.nodeClass({ spec: { amiFamily: 'AL2', userData: long } }));
    assert.ok(text.length < 600 && text.endsWith('…'));
    assert.deepEqual(env.calls(), []);
  });

  test('quantities that the CRD admits and nobody can read are named', async (t) => {
    const env = await ValidationEnvironment.start(t);
    const refusal = async (kubelet: object, blockDeviceMappings: object[] = []) =>
      (await env.validate(env.nodeClass({ spec: { kubelet, blockDeviceMappings } }))).says;
    const invalid = 'False InvalidKubeletConfiguration: parsing spec.kubelet, ';
    const neither = 'is neither a quantity nor a percentage: ';
    assert.equal(await refusal({ kubeReserved: { cpu: '1e1.5' } }), `${invalid}kubeReserved["cpu"] ${neither}"1e1.5"`);
    for (const field of ['evictionHard', 'evictionSoft']) {
      const text = `${invalid}${field}["memory.available"] ${neither}""`;
      assert.equal(await refusal({ [field]: { 'memory.available': '' } }), text);
    }
    assert.match(
      await refusal({}, [{ deviceName: '/dev/xvda', ebs: { volumeSize: 'many' } }]),
      /^False InvalidBlockDeviceMappings: parsing spec\.blockDeviceMappings, \[0\]\.ebs\.volumeSize /,
    );
  });

  test('images that suit no type are named, and looked at again', async (t) => {
    const env = await ValidationEnvironment.start(t, { types: ['m5.large'] });
    const amis = [{ id: 'ami-1', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] }];
    const { says: text, result } = await env.validate(env.nodeClass({ status: { amis } }));
    assert.equal(
      text,
      'False NoCompatibleInstanceTypes: No instance type is compatible with both the settings and the AMIs of the EC2NodeClass',
    );
    assert.deepEqual(result, AGAIN);
    assert.equal(env.validation.verdictsOn('default'), 0);
  });
});

test('nothing is asked after the process has begun to stop', async (t) => {
  const env = await ValidationEnvironment.start(t);
  await assert.rejects(env.stopDuring('CreateFleet'), /stopping/);
  assert.ok(!env.calls().includes('RunInstances'));
});
