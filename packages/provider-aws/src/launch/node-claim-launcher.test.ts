import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateError,
  InsufficientCapacityError,
  NodeClassNotReadyError,
  UnevaluatedNodePoolError,
} from '@karpenter-ts/cloudprovider';
import { errorText, findCause } from '@karpenter-ts/runtime';
import { subnetsIn } from '../offerings/testing/type-environment.ts';
import { claim, launchEnvironment, oneOf, readyNodeClass } from '../testing/launch-environment.ts';

const TYPES = ['m5.large', 'm5.xlarge', 'c5.large', 'm5.metal'];
const M5 = [oneOf('node.kubernetes.io/instance-type', 'm5.large')];

const rejection = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  return assert.fail('it did not fail');
};

function conditions(parts: { status?: string; observedGeneration?: number; message?: string }) {
  const ready = { type: 'Ready', status: 'True', observedGeneration: 1, reason: 'Ready', message: '', ...parts };
  return readyNodeClass({ status: { conditions: [ready as never] } });
}

for (const [what, nodeClass, text] of [
  ['07/56 Ready is False', conditions({ status: 'False', message: 'SubnetsReady=False' }), 'SubnetsReady=False'],
  [
    '07/56 Ready is of another generation',
    conditions({ observedGeneration: 0 }),
    'nodeclass status has not been reconciled against the latest spec',
  ],
  [
    '07/56 a tag is ours',
    readyNodeClass({ spec: { tags: { 'karpenter.sh/nodeclaim': 'x', 'kubernetes.io/cluster/a': 'y' } } }),
    'tags failed validation requirements (tags="karpenter.sh/nodeclaim", "kubernetes.io/cluster/a")',
  ],
  [
    '07/133 the instance profile is missing',
    conditions({ status: 'False', message: 'InstanceProfileReady=False' }),
    'InstanceProfileReady=False',
  ],
] as const) {
  test(`${what}: nothing is asked of EC2 until the NodeClass has changed`, async () => {
    const { create, fleets } = await launchEnvironment({ types: TYPES, nodeClasses: [nodeClass] });
    const error = await rejection(create(claim()));
    assert.ok(error instanceof NodeClassNotReadyError);
    assert.equal(error.message, `NodeClassRef not ready, ${text}`);
    assert.deepEqual([fleets.templateCalls, fleets.fleets], [[], []]);
  });
}

for (const nodeClass of [
  conditions({ status: 'Unknown', message: 'wait' }),
  readyNodeClass({ status: { conditions: [] } }),
]) {
  test('07/56 a NodeClass whose readiness is not known yet is waited for', async () => {
    const { create } = await launchEnvironment({ types: TYPES, nodeClasses: [nodeClass] });
    const error = await rejection(create(claim()));
    assert.ok(error instanceof CreateError);
    assert.equal(findCause(error, NodeClassNotReadyError), undefined);
    assert.deepEqual(
      [error.conditionReason, error.conditionMessage],
      ['NodeClassReadinessUnknown', 'NodeClass is in Ready=Unknown'],
    );
    assert.match(error.message, /^creating nodeclaim, resolving nodeclass readiness, nodeclass is in Ready=Unknown, /);
  });
}

test('a NodeClaim without NodeClass cannot be had at all', async () => {
  const { create, published } = await launchEnvironment({ types: TYPES });
  const error = await rejection(create(claim({ nodeClass: 'absent' })));
  assert.ok(error instanceof InsufficientCapacityError);
  assert.equal(
    error.message,
    'insufficient capacity, resolving nodeclass, EC2NodeClass.karpenter.k8s.aws "absent" not found',
  );
  assert.equal(published[0]!.message, 'Failed resolving NodeClass');
});

test('07/132 without subnets, images or security groups there is nothing to launch with', async () => {
  const reasonOf = async (status: object) => {
    const { create, fleets } = await launchEnvironment({ types: TYPES, nodeClasses: [readyNodeClass({ status })] });
    const error = findCause(await rejection(create(claim())), CreateError)!;
    assert.deepEqual(fleets.fleets, []);
    return [error.conditionReason, error.conditionMessage, error.message];
  };
  assert.deepEqual(await reasonOf({ subnets: [] }), [
    'InstanceTypeResolutionFailed',
    'Error resolving instance types',
    'creating nodeclaim, resolving instance types, no subnets found',
  ]);
  assert.deepEqual(await reasonOf({ securityGroups: [] }), [
    'LaunchFailed',
    'Error getting launch template configs: Instance launch failed',
    'creating nodeclaim, getting launch template configs, getting launch templates, no security groups are present in the status',
  ]);
  assert.deepEqual(await reasonOf({ amis: [] }), [
    'LaunchFailed',
    'Error getting launch template configs: Instance launch failed',
    'creating nodeclaim, getting launch template configs, getting launch templates, no amis exist given constraints',
  ]);
});

test('a value that the CRD admits and nobody can read is a reason not to launch, and no crash', async () => {
  const nodeClass = readyNodeClass({ spec: { kubelet: { evictionHard: { 'memory.available': '' } } } });
  const { create } = await launchEnvironment({ types: TYPES, nodeClasses: [nodeClass] });
  const error = await rejection(create(claim()));
  assert.equal(findCause(error, CreateError)?.conditionReason, 'InstanceTypeResolutionFailed');
});

test('07/57 a type that EC2 does not have is a lack of capacity', async () => {
  const { create } = await launchEnvironment({ types: TYPES });
  const error = await rejection(
    create(claim({ requirements: [oneOf('node.kubernetes.io/instance-type', 'x.unknown')] })),
  );
  assert.ok(findCause(error, InsufficientCapacityError));
  assert.equal(
    (error as Error).message,
    'creating instance, insufficient capacity, all requested instance types were unavailable during launch',
  );
});

test('07/130 a created NodeClaim has three annotations, its image, and the zone id of the status', async () => {
  const { create } = await launchEnvironment({ types: TYPES });
  const { metadata, status } = await create(claim({ requirements: M5 }));
  assert.deepEqual(Object.keys(metadata.annotations!).sort(), [
    'karpenter.k8s.aws/ec2nodeclass-hash',
    'karpenter.k8s.aws/ec2nodeclass-hash-version',
    'karpenter.k8s.aws/instance-profile-name',
  ]);
  assert.equal(metadata.annotations!['karpenter.k8s.aws/ec2nodeclass-hash-version'], 'v5');
  assert.equal(status?.imageID, 'ami-1');
  assert.equal(metadata.labels!['topology.kubernetes.io/zone'], 'us-west-2a');
  assert.equal(metadata.labels!['topology.k8s.aws/zone-id'], 'usw2-az1');
  assert.equal(status?.providerID, 'aws:///us-west-2a/i-1-0');
});

test('overlays of the NodePool change the types that are launched, and those that are not evaluated stop the launch', async () => {
  const asked: string[] = [];
  const cheap = await launchEnvironment({
    types: TYPES,
    overlay: (types, nodePool) => {
      asked.push(nodePool);
      return types.map((type) =>
        type.name === 'm5.xlarge'
          ? { ...type, offerings: type.offerings.map((offering) => ({ ...offering, pricePerHour: 0.001 })) }
          : type,
      );
    },
  });
  const { metadata } = await cheap.create(claim());
  assert.equal(metadata.labels!['node.kubernetes.io/instance-type'], 'm5.xlarge');
  assert.deepEqual(asked, ['default']);
  const unevaluated = await launchEnvironment({
    types: TYPES,
    overlay: (_types, nodePool) => {
      throw new UnevaluatedNodePoolError(nodePool);
    },
  });
  const error = await rejection(unevaluated.create(claim()));
  assert.ok(findCause(error, UnevaluatedNodePoolError));
  assert.equal((error as Error).message, 'creating instance, nodepool "default" is awaiting evaluation');
  await unevaluated.create({ ...claim(), metadata: { name: 'standalone' } });
});

test('07/132 NodeClasses that select other subnets launch into their own', async () => {
  const nodeClasses = ['a', 'b'].map((letter) =>
    readyNodeClass({ name: letter, status: { subnets: subnetsIn(letter) } }),
  );
  const { create, fleets } = await launchEnvironment({ types: TYPES, nodeClasses });
  for (const letter of ['a', 'b']) {
    await create(claim({ nodeClass: letter }));
    assert.deepEqual([...new Set(fleets.overrides.map(({ SubnetId }) => SubnetId))], [`subnet-${letter}`]);
  }
});

test('07/140 a user may set the tag Name, of everything that is launched', async () => {
  const nodeClass = readyNodeClass({ spec: { tags: { Name: 'mine', team: 'a' } } });
  const { create, fleets } = await launchEnvironment({ types: TYPES, nodeClasses: [nodeClass] });
  await create(claim());
  for (const { Tags } of fleets.fleets[0]!.TagSpecifications!) {
    assert.ok(Tags!.some(({ Key, Value }) => Key === 'Name' && Value === 'mine'));
  }
});

test('what filters took out is logged with a few names', async () => {
  const { create, logger } = await launchEnvironment({ types: TYPES });
  await create(claim());
  const line = logger.lines.find(({ message }) => message === 'filtered out instance types from launch');
  assert.deepEqual(line?.fields, { filter: 'exotic-instance-filter', 'instance-types': 'm5.metal' });
});

test('07/75 interfaces for EFA show on a NodeClaim that asked for them, or whose NodeClass says which there are', async () => {
  const EFA = 'vpc.amazonaws.com/efa';
  const shown = async (requests: Readonly<Record<string, string>>, spec: object = {}) => {
    const { create, fleets } = await launchEnvironment({
      types: ['c5n.18xlarge'],
      nodeClasses: [readyNodeClass({ spec })],
    });
    const { status } = await create(claim({ resources: { requests } }));
    const template = fleets.createdTemplates[0]!.LaunchTemplateData!;
    return [status?.capacity?.[EFA], template.NetworkInterfaces!.map(({ InterfaceType }) => InterfaceType)];
  };
  const primary = { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' };
  const efaOnly = { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' };
  assert.deepEqual(await shown({ [EFA]: '1' }), ['1', ['efa']]);
  assert.deepEqual(await shown({}), [undefined, [undefined]]);
  assert.deepEqual(await shown({}, { networkInterfaces: [primary, efaOnly] }), ['1', ['interface', 'efa-only']]);
  assert.deepEqual(await shown({}, { networkInterfaces: [primary] }), [undefined, ['interface']]);
});

test('07/135 two images of different architectures give a template each, and images that suit nothing give none', async () => {
  const arch = (id: string, value: string) => ({
    id,
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: [value] }],
  });
  const launched = async (...amis: readonly ReturnType<typeof arch>[]) => {
    const nodeClass = readyNodeClass({ status: { amis: [...amis] } });
    const environment = await launchEnvironment({ types: ['m5.large', 'm6g.large'], nodeClasses: [nodeClass] });
    const requirements = [oneOf('karpenter.sh/capacity-type', 'on-demand')];
    const outcome = await environment.create(claim({ requirements })).catch((error: unknown) => errorText(error));
    const images = environment.fleets.createdTemplates.map(({ LaunchTemplateData }) =>
      String(LaunchTemplateData?.ImageId),
    );
    return [typeof outcome === 'string' ? outcome : 'launched', images.sort()];
  };
  assert.deepEqual(await launched(arch('ami-x86', 'amd64'), arch('ami-arm', 'arm64')), [
    'launched',
    ['ami-arm', 'ami-x86'],
  ]);
  assert.deepEqual(await launched(arch('ami-new', 'amd64'), arch('ami-old', 'amd64')), ['launched', ['ami-new']]);
  const [outcome, images] = await launched(arch('ami-other', 'riscv64'));
  assert.match(String(outcome), /no instance types satisfy requirements of amis \[ami-other\]/);
  assert.deepEqual(images, []);
});
