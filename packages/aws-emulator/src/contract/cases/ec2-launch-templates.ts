import assert from 'node:assert/strict';
import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
} from '@aws-sdk/client-ec2';
import type { ContractCase } from '../contract-case.ts';
import { codeOf } from './ec2-set-up.ts';

const NOT_FOUND = 'InvalidLaunchTemplateName.NotFoundException';

export const EC2_LAUNCH_TEMPLATE_CASES: readonly ContractCase[] = [
  {
    name: 'a launch template is found by its name and by its tags',
    services: ['ec2'],
    run: async ({ ec2, unique }) => {
      const LaunchTemplateName = unique('karpenter.k8s.aws/1');
      const tag = { Key: 'eks:eks-cluster-name', Value: unique('cluster') };
      const { LaunchTemplate } = await ec2.send(
        new CreateLaunchTemplateCommand({
          LaunchTemplateName,
          LaunchTemplateData: { ImageId: 'ami-0123456789abcdef0', UserData: 'aGVsbG8=' },
          TagSpecifications: [{ ResourceType: 'launch-template', Tags: [tag] }],
        }),
      );
      assert.match(LaunchTemplate!.LaunchTemplateId!, /^lt-[0-9a-f]{17}$/);
      for (const input of [
        { LaunchTemplateNames: [LaunchTemplateName] },
        { Filters: [{ Name: `tag:${tag.Key}`, Values: [tag.Value] }] },
      ]) {
        const { LaunchTemplates = [] } = await ec2.send(new DescribeLaunchTemplatesCommand(input));
        assert.deepEqual(
          LaunchTemplates.map((one) => one.LaunchTemplateId),
          [LaunchTemplate!.LaunchTemplateId],
        );
      }
    },
  },
  {
    name: 'a launch template that is not there is refused by its name',
    services: ['ec2'],
    run: async ({ ec2, unique }) => {
      const describe = new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: [unique('none')] });
      assert.equal(await codeOf(ec2.send(describe)), NOT_FOUND);
    },
  },
  {
    name: 'a launch template that is not there cannot be deleted',
    services: ['ec2'],
    notOn: { moto: 'has another code for it: MissingParameter' },
    run: async ({ ec2, unique }) => {
      const remove = new DeleteLaunchTemplateCommand({ LaunchTemplateName: unique('none') });
      assert.equal(await codeOf(ec2.send(remove)), NOT_FOUND);
    },
  },
  {
    name: 'a launch template is deleted by its id or by its name',
    services: ['ec2'],
    run: async ({ ec2, unique }) => {
      const create = async (LaunchTemplateName: string): Promise<string> => {
        const input = { LaunchTemplateName, LaunchTemplateData: { ImageId: 'ami-0123456789abcdef0' } };
        const { LaunchTemplate } = await ec2.send(new CreateLaunchTemplateCommand(input));
        return LaunchTemplate!.LaunchTemplateId!;
      };
      const LaunchTemplateId = await create(unique('by-id'));
      await create(unique('by-name'));
      await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId }));
      await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: unique('by-name') }));
      for (const name of [unique('by-id'), unique('by-name')]) {
        const describe = new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: [name] });
        assert.equal(await codeOf(ec2.send(describe)), NOT_FOUND);
      }
    },
  },
  {
    name: 'a second launch template of a name is refused',
    services: ['ec2'],
    run: async ({ ec2, unique }) => {
      const create = { LaunchTemplateName: unique('taken'), LaunchTemplateData: { ImageId: 'ami-0123456789abcdef0' } };
      await ec2.send(new CreateLaunchTemplateCommand(create));
      const again = new CreateLaunchTemplateCommand(create);
      assert.equal(await codeOf(ec2.send(again)), 'InvalidLaunchTemplateName.AlreadyExistsException');
    },
  },
  {
    name: 'user data of more than 16 KiB is refused when the launch template is created',
    services: ['ec2'],
    notOn: { moto: 'takes user data of any length' },
    run: async ({ ec2, unique }) => {
      const UserData = Buffer.alloc(16_385, 'x').toString('base64');
      const create = new CreateLaunchTemplateCommand({
        LaunchTemplateName: unique('long'),
        LaunchTemplateData: { UserData },
      });
      await assert.rejects(ec2.send(create), { name: 'InvalidUserData.Malformed', message: /User data is limited to/ });
    },
  },
];
