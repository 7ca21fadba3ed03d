import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  GetRoleCommand,
  IAMClient,
} from '@aws-sdk/client-iam';
import { VirtualClock } from '@karpenter-ts/runtime';
import { startEmulator } from '../../emulator.ts';
import { sdkHandler } from '../../sdk-handler.ts';

async function start(t: TestContext) {
  const clock = new VirtualClock();
  const emulator = await startEmulator({ clock, seed: 1 });
  const iam = new IAMClient({
    region: 'us-east-1',
    endpoint: 'http://aws.invalid',
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
    maxAttempts: 1,
    requestHandler: sdkHandler(emulator) as never,
  });
  t.after(async () => {
    iam.destroy();
    await emulator.stop();
  });
  return { clock, levers: emulator.iam, iam };
}

const PROFILE = { InstanceProfileName: 'demo_1' };

test('an instance profile is there for its writer at once, and is told of after a while', async (t) => {
  const { clock, levers, iam } = await start(t);
  levers.setDelays({ reads: 2000 });
  await iam.send(new CreateInstanceProfileCommand(PROFILE));
  await assert.rejects(iam.send(new CreateInstanceProfileCommand(PROFILE)), { name: 'EntityAlreadyExistsException' });
  await assert.rejects(iam.send(new GetInstanceProfileCommand(PROFILE)), { name: 'NoSuchEntityException' });
  await clock.advance(2000);
  await iam.send(new GetInstanceProfileCommand(PROFILE));
  await iam.send(new DeleteInstanceProfileCommand(PROFILE));
  await iam.send(new GetInstanceProfileCommand(PROFILE));
  await clock.advance(2000);
  await assert.rejects(iam.send(new GetInstanceProfileCommand(PROFILE)), { name: 'NoSuchEntityException' });
});

test('an account has no more instance profiles than its quota', async (t) => {
  const { levers, iam } = await start(t);
  levers.setProfileQuota(1);
  await iam.send(new CreateInstanceProfileCommand(PROFILE));
  await assert.rejects(iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: 'demo_2' })), {
    name: 'LimitExceededException',
    message: 'Cannot exceed quota for InstanceProfilesPerAccount: 1',
  });
});

test('delays that are longer than IAM remembers are refused', async (t) => {
  const { levers } = await start(t);
  assert.throws(() => levers.setDelays({ ec2: 6 * 60_000 }), RangeError);
});

test('a role that is removed is in no instance profile any more', async (t) => {
  const { clock, levers, iam } = await start(t);
  levers.addRole('node');
  await iam.send(new CreateInstanceProfileCommand(PROFILE));
  await iam.send(new AddRoleToInstanceProfileCommand({ ...PROFILE, RoleName: 'node' }));
  await clock.advance(2000);
  const { Role } = await iam.send(new GetRoleCommand({ RoleName: 'node' }));
  assert.equal(Role?.Arn, 'arn:aws:iam::111122223333:role/node');
  levers.removeRole('node');
  await clock.advance(2000);
  await assert.rejects(iam.send(new GetRoleCommand({ RoleName: 'node' })), { name: 'NoSuchEntityException' });
  const { InstanceProfile } = await iam.send(new GetInstanceProfileCommand(PROFILE));
  assert.deepEqual(InstanceProfile?.Roles, []);
  await iam.send(new DeleteInstanceProfileCommand(PROFILE));
});
