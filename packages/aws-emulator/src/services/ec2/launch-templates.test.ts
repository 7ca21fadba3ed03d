import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateLaunchTemplateCommand,
  type CreateLaunchTemplateCommandInput,
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  paginateDescribeLaunchTemplates,
} from '@aws-sdk/client-ec2';
import { codeOf, type Ec2Fixture, startEc2 } from './testing/ec2-fixture.ts';

const create = ({ client }: Ec2Fixture, name: string, more: Partial<CreateLaunchTemplateCommandInput> = {}) =>
  client.send(
    new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData: { ImageId: 'ami-1' }, ...more }),
  );

test('a launch template is found by name, by id and by tag, and read back as it was made', async (t) => {
  const fixture = await startEc2(t);
  const { client } = fixture;
  const { LaunchTemplate } = await create(fixture, 'karpenter.k8s.aws/123', {
    LaunchTemplateData: { ImageId: 'ami-1', UserData: 'aGVsbG8=', Placement: { Tenancy: 'default' } },
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: [{ Key: 'eks:eks-cluster-name', Value: 'test' }] }],
  });
  const { LaunchTemplateId } = LaunchTemplate!;
  assert.deepEqual(
    fixture.ec2.launchTemplates().map(({ name }) => name),
    ['karpenter.k8s.aws/123'],
  );
  const found = async (input: object): Promise<unknown> =>
    (await client.send(new DescribeLaunchTemplatesCommand(input))).LaunchTemplates?.map((one) => one.LaunchTemplateId);
  assert.deepEqual(await found({ LaunchTemplateNames: ['karpenter.k8s.aws/123'] }), [LaunchTemplateId]);
  assert.deepEqual(await found({ LaunchTemplateIds: [LaunchTemplateId] }), [LaunchTemplateId]);
  const Filters = [{ Name: 'tag:eks:eks-cluster-name', Values: ['test'] }];
  assert.deepEqual(await found({ Filters, MaxResults: 200 }), [LaunchTemplateId]);
  const versions = await client.send(
    new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId, Versions: ['$Latest'] }),
  );
  const [{ LaunchTemplateData } = {}] = versions.LaunchTemplateVersions ?? [];
  assert.deepEqual(
    [LaunchTemplateData?.ImageId, LaunchTemplateData?.UserData, LaunchTemplateData?.Placement?.Tenancy],
    ['ami-1', 'aGVsbG8=', 'default'],
  );
});

test('what EC2 refuses: taken and malformed names, user data that is too long, what is not there', async (t) => {
  const fixture = await startEc2(t);
  const { client } = fixture;
  await create(fixture, 'taken');
  assert.equal(await codeOf(create(fixture, 'taken')), 'InvalidLaunchTemplateName.AlreadyExistsException');
  assert.equal(await codeOf(create(fixture, 'a b c')), 'InvalidLaunchTemplateName.MalformedException');
  const sized = (bytes: number): Partial<CreateLaunchTemplateCommandInput> => ({
    LaunchTemplateData: { UserData: Buffer.alloc(bytes, 'x').toString('base64') },
  });
  await create(fixture, 'largest', sized(16_384));
  await assert.rejects(create(fixture, 'larger', sized(16_385)), {
    name: 'InvalidUserData.Malformed',
    message: /User data is limited to/,
  });
  assert.equal(await codeOf(create(fixture, 'dry', { DryRun: true })), 'DryRunOperation');
  const remove = (input: object): Promise<unknown> => client.send(new DeleteLaunchTemplateCommand(input));
  await remove({ LaunchTemplateName: 'taken' });
  const notFound = 'InvalidLaunchTemplateName.NotFoundException';
  assert.equal(await codeOf(remove({ LaunchTemplateName: 'taken' })), notFound);
  assert.equal(await codeOf(remove({ LaunchTemplateId: 'lt-0' })), 'InvalidLaunchTemplateId.NotFound');
  const describe = new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['taken'] });
  assert.equal(await codeOf(client.send(describe)), notFound);
});

test('a token makes a template once, and templates are listed in pages', async (t) => {
  const fixture = await startEc2(t);
  const { client } = fixture;
  const once = { ClientToken: 'token' };
  const first = await create(fixture, 'once', once);
  assert.deepEqual((await create(fixture, 'once', once)).LaunchTemplate, first.LaunchTemplate);
  assert.equal(await codeOf(create(fixture, 'twice', once)), 'IdempotentParameterMismatch');
  for (let i = 0; i < 6; i++) await create(fixture, `page-${i}`);
  let count = 0;
  for await (const { LaunchTemplates = [] } of paginateDescribeLaunchTemplates({ client, pageSize: 2 }, {})) {
    assert.ok(LaunchTemplates.length <= 2);
    count += LaunchTemplates.length;
  }
  assert.equal(count, 7);
});
