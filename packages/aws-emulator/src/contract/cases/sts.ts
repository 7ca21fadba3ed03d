import assert from 'node:assert/strict';
import {
  AssumeRoleCommand,
  AssumeRoleWithWebIdentityCommand,
  GetCallerIdentityCommand,
  type STSClient,
} from '@aws-sdk/client-sts';
import type { ContractCase } from '../contract-case.ts';

const HOUR = 3_600_000;

export const STS_CASES: readonly ContractCase[] = [
  {
    name: 'STS tells whose credentials it is called with',
    services: ['sts'],
    run: async ({ sts }) => {
      const { Account, Arn, UserId } = await sts.send(new GetCallerIdentityCommand({}));
      assert.match(Account!, /^\d{12}$/);
      assert.match(Arn!, new RegExp(`^arn:aws:(iam|sts)::${Account}:`));
      assert.ok(UserId);
    },
  },
  {
    name: 'a role gives credentials for an hour unless told otherwise',
    services: ['sts'],
    run: async ({ sts, unique }) => {
      const role = { RoleArn: await roleArn(sts, unique('role')), RoleSessionName: 'contract' };
      const { Credentials, AssumedRoleUser } = await sts.send(new AssumeRoleCommand(role));
      assert.match(AssumedRoleUser!.Arn!, new RegExp(`:assumed-role/${unique('role')}/contract$`));
      assert.match(AssumedRoleUser!.AssumedRoleId!, /^AROA[A-Z0-9]+:contract$/);
      assert.match(Credentials!.AccessKeyId!, /^ASIA/);
      assert.ok(Credentials!.SecretAccessKey && Credentials!.SessionToken);
      const short = await sts.send(new AssumeRoleCommand({ ...role, DurationSeconds: 900 }));
      const difference = Credentials!.Expiration!.getTime() - short.Credentials!.Expiration!.getTime();
      assert.ok(Math.abs(difference - HOUR * 0.75) < 60_000, `${difference} ms`);
    },
  },
  {
    name: 'a token of a service account gives credentials without a signature',
    services: ['sts'],
    run: async ({ sts, unique }) => {
      const { Credentials, AssumedRoleUser } = await sts.send(
        new AssumeRoleWithWebIdentityCommand({
          RoleArn: await roleArn(sts, unique('role')),
          RoleSessionName: 'contract',
          WebIdentityToken: webIdentityToken(unique('subject')),
        }),
      );
      assert.ok(Credentials?.Expiration instanceof Date);
      assert.match(AssumedRoleUser!.Arn!, new RegExp(`:assumed-role/${unique('role')}/contract$`));
    },
  },
  {
    name: 'what is no token of a service account is refused',
    services: ['sts'],
    notOn: { moto: 'takes any text for a token' },
    run: async ({ sts, unique }) => {
      const request = { RoleArn: await roleArn(sts, unique('role')), RoleSessionName: 'contract' };
      await assert.rejects(
        sts.send(new AssumeRoleWithWebIdentityCommand({ ...request, WebIdentityToken: 'nonsense' })),
        {
          name: 'InvalidIdentityTokenException',
        },
      );
    },
  },
  {
    name: 'a token of a service account that has expired is refused as such',
    services: ['sts'],
    notOn: { moto: 'takes any text for a token' },
    run: async ({ sts, unique }) => {
      const request = {
        RoleArn: await roleArn(sts, unique('role')),
        RoleSessionName: 'contract',
        WebIdentityToken: webIdentityToken(unique('subject'), 1_500_000_000),
      };
      await assert.rejects(sts.send(new AssumeRoleWithWebIdentityCommand(request)), { name: 'ExpiredTokenException' });
    },
  },
  {
    name: 'a session lasts a quarter of an hour at least',
    services: ['sts'],
    notOn: { moto: 'gives sessions of any length' },
    run: async ({ sts, unique }) => {
      const role = { RoleArn: await roleArn(sts, unique('role')), RoleSessionName: 'contract', DurationSeconds: 899 };
      await assert.rejects(sts.send(new AssumeRoleCommand(role)), { name: 'ValidationError' });
    },
  },
];

/** Of the caller's account. */
async function roleArn(sts: STSClient, name: string): Promise<string> {
  const { Account } = await sts.send(new GetCallerIdentityCommand({}));
  return `arn:aws:iam::${Account}:role/${name}`;
}

function webIdentityToken(sub: string, exp = 4_102_444_800): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { sub, aud: 'sts.amazonaws.com', iss: 'https://oidc.example', exp };
  return `${encode({ alg: 'RS256' })}.${encode(claims)}.signature`;
}
