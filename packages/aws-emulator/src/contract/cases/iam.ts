import assert from 'node:assert/strict';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  CreateRoleCommand,
  DeleteInstanceProfileCommand,
  DeleteRoleCommand,
  GetInstanceProfileCommand,
  GetRoleCommand,
  type IAMClient,
  ListInstanceProfilesCommand,
  ListInstanceProfilesForRoleCommand,
  RemoveRoleFromInstanceProfileCommand,
  TagInstanceProfileCommand,
  UntagInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import type { ContractCase, ContractContext } from '../contract-case.ts';

const TRUST = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
});

export const IAM_CASES: readonly ContractCase[] = [
  {
    name: 'an instance profile is told of with its path, its tags and an ARN made of them',
    services: ['iam'],
    run: async (aws) => {
      const name = aws.unique('profile');
      const path = `/karpenter/us-east-1/${aws.unique('cluster')}/uid/`;
      const Tags = [{ Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' }];
      const { InstanceProfile: created } = await aws.iam.send(
        new CreateInstanceProfileCommand({ InstanceProfileName: name, Path: path, Tags }),
      );
      assert.deepEqual(created!.Roles, []);
      const found = await getProfile(aws, name);
      assert.equal(found.Path, path);
      assert.match(found.Arn!, new RegExp(`^arn:aws:iam::\\d{12}:instance-profile${path}${name}$`));
      assert.equal(found.InstanceProfileId, created!.InstanceProfileId);
      assert.ok(found.CreateDate instanceof Date);
      assert.deepEqual(found.Tags, Tags);
    },
  },
  {
    name: 'a second instance profile of a name is refused, in any path',
    services: ['iam'],
    run: async ({ iam, unique }) => {
      const create = { InstanceProfileName: unique('profile') };
      await iam.send(new CreateInstanceProfileCommand(create));
      await assert.rejects(iam.send(new CreateInstanceProfileCommand({ ...create, Path: '/other/' })), {
        name: 'EntityAlreadyExistsException',
        $fault: 'client',
      });
    },
  },
  {
    name: 'an instance profile that is not there is no such entity, whatever is asked of it',
    services: ['iam'],
    run: async ({ iam, unique }) => {
      const InstanceProfileName = unique('profile');
      const RoleName = await createRole(iam, unique('role'));
      const notThere = { name: 'NoSuchEntityException', message: /[Ii]nstance [Pp]rofile/ };
      await assert.rejects(iam.send(new GetInstanceProfileCommand({ InstanceProfileName })), notThere);
      await assert.rejects(iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName })), notThere);
      await assert.rejects(iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName })), notThere);
    },
  },
  {
    name: 'a role that is not there is no such entity, and the message names the role',
    services: ['iam'],
    run: async ({ iam, unique }) => {
      const InstanceProfileName = await createProfile(iam, unique('profile'));
      const RoleName = unique('role');
      const notThere = {
        name: 'NoSuchEntityException',
        message: new RegExp(`role.*${RoleName}|${RoleName}.*role`, 'i'),
      };
      await assert.rejects(iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName })), notThere);
      await assert.rejects(iam.send(new GetRoleCommand({ RoleName })), notThere);
    },
  },
  {
    name: 'an instance profile has one role: another is refused until the first is removed',
    services: ['iam'],
    run: async (aws) => {
      const { iam, unique, eventually } = aws;
      const InstanceProfileName = await createProfile(iam, unique('profile'));
      const first = await createRole(iam, unique('first'));
      const second = await createRole(iam, unique('second'));
      await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName: first }));
      await assert.rejects(iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName: second })), {
        name: 'LimitExceededException',
      });
      await iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName: first }));
      await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName: second }));
      await eventually('the second role', async () => {
        const { Roles } = await getProfile(aws, InstanceProfileName);
        return Roles?.length === 1 && Roles[0]?.RoleName === second;
      });
    },
  },
  {
    name: 'the role of another instance profile cannot be removed from one',
    services: ['iam'],
    notOn: { moto: 'fails with status 500' },
    run: async ({ iam, unique }) => {
      const InstanceProfileName = await createProfile(iam, unique('profile'));
      const RoleName = await createRole(iam, unique('role'));
      await assert.rejects(iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName })), {
        name: 'NoSuchEntityException',
      });
    },
  },
  {
    name: 'neither an instance profile with a role nor that role can be deleted; without it both can',
    services: ['iam'],
    run: async ({ iam, unique, eventually }) => {
      const InstanceProfileName = await createProfile(iam, unique('profile'));
      const RoleName = await createRole(iam, unique('role'));
      await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName }));
      const conflict = { name: 'DeleteConflictException', $fault: 'client' };
      await assert.rejects(iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName })), conflict);
      await assert.rejects(iam.send(new DeleteRoleCommand({ RoleName })), conflict);
      await iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName }));
      await iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName }));
      await iam.send(new DeleteRoleCommand({ RoleName }));
      await eventually('nothing is left', () =>
        iam.send(new GetInstanceProfileCommand({ InstanceProfileName })).then(
          () => false,
          ({ name }: Error) => name === 'NoSuchEntityException',
        ),
      );
    },
  },
  {
    name: 'instance profiles are listed by the beginning of their path, page by page',
    services: ['iam'],
    notOn: { moto: 'lists all of the account, on one page' },
    run: async ({ iam, unique, eventually }) => {
      const PathPrefix = `/karpenter/us-east-1/${unique('cluster')}/`;
      const names = [unique('a'), unique('b'), unique('c')];
      for (const [index, name] of names.entries()) await createProfile(iam, name, `${PathPrefix}uid-${index}/`);
      await createProfile(iam, unique('elsewhere'), '/elsewhere/');
      await eventually('all three', async () => {
        const { InstanceProfiles, IsTruncated } = await iam.send(new ListInstanceProfilesCommand({ PathPrefix }));
        return InstanceProfiles?.length === names.length && IsTruncated === false;
      });
      const first = await iam.send(new ListInstanceProfilesCommand({ PathPrefix, MaxItems: 2 }));
      assert.equal(first.IsTruncated, true);
      const rest = await iam.send(new ListInstanceProfilesCommand({ PathPrefix, Marker: first.Marker }));
      const listed = [...first.InstanceProfiles!, ...rest.InstanceProfiles!].map(
        (profile) => profile.InstanceProfileName,
      );
      assert.deepEqual(new Set(listed), new Set(names));
      assert.equal(listed.length, names.length);
      assert.deepEqual(
        (await iam.send(new ListInstanceProfilesCommand({ PathPrefix: '/nowhere/' }))).InstanceProfiles,
        [],
      );
    },
  },
  {
    name: 'the instance profiles of a role are told of with it',
    services: ['iam'],
    run: async ({ iam, unique, eventually }) => {
      const InstanceProfileName = await createProfile(iam, unique('profile'));
      const RoleName = await createRole(iam, unique('role'));
      await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName }));
      await eventually('the profile', async () => {
        const { InstanceProfiles } = await iam.send(new ListInstanceProfilesForRoleCommand({ RoleName }));
        return InstanceProfiles?.map((profile) => profile.InstanceProfileName).join() === InstanceProfileName;
      });
    },
  },
  {
    name: 'the tags of an instance profile are added, replaced and removed by key',
    services: ['iam'],
    run: async (aws) => {
      const { iam, unique, eventually } = aws;
      const InstanceProfileName = await createProfile(iam, unique('profile'));
      const tags = (entries: Record<string, string>) => Object.entries(entries).map(([Key, Value]) => ({ Key, Value }));
      await iam.send(new TagInstanceProfileCommand({ InstanceProfileName, Tags: tags({ a: '1', b: '1', c: '1' }) }));
      await iam.send(new TagInstanceProfileCommand({ InstanceProfileName, Tags: tags({ b: '2' }) }));
      await iam.send(new UntagInstanceProfileCommand({ InstanceProfileName, TagKeys: ['a'] }));
      await eventually('b and c', async () => {
        const { Tags = [] } = await getProfile(aws, InstanceProfileName);
        return (
          Tags.map(({ Key, Value }) => `${Key}=${Value}`)
            .sort()
            .join() === 'b=2,c=1'
        );
      });
    },
  },
  {
    name: 'a role is told of with its ARN and the policy of who may take it',
    services: ['iam'],
    run: async ({ iam, unique, eventually }) => {
      const RoleName = unique('role');
      await iam.send(new CreateRoleCommand({ RoleName, Path: '/nodes/', AssumeRolePolicyDocument: TRUST }));
      const role = await eventually('the role', async () => (await iam.send(new GetRoleCommand({ RoleName }))).Role);
      assert.match(role.Arn!, new RegExp(`^arn:aws:iam::\\d{12}:role/nodes/${RoleName}$`));
      assert.deepEqual(JSON.parse(decodeURIComponent(role.AssumeRolePolicyDocument!)), JSON.parse(TRUST));
      await assert.rejects(iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: TRUST })), {
        name: 'EntityAlreadyExistsException',
      });
    },
  },
  {
    name: 'names that IAM does not allow are refused',
    services: ['iam'],
    notOn: { moto: 'takes any name' },
    run: async ({ iam }) => {
      await assert.rejects(iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: 'a b' })), {
        name: 'ValidationError',
      });
      await assert.rejects(iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: 'a'.repeat(129) })), {
        name: 'ValidationError',
      });
    },
  },
];

async function createRole(iam: IAMClient, RoleName: string): Promise<string> {
  await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: TRUST }));
  return RoleName;
}

async function createProfile(iam: IAMClient, InstanceProfileName: string, Path = '/'): Promise<string> {
  await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName, Path }));
  return InstanceProfileName;
}

function getProfile({ iam, eventually }: ContractContext, InstanceProfileName: string) {
  return eventually('the instance profile', async () => {
    const { InstanceProfile } = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName }));
    return InstanceProfile;
  });
}
