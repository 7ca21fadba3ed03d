import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescribeImagesCommandInput, Image } from '@aws-sdk/client-ec2';
import { nullLogger, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { type SsmParameter, SsmParameters } from './ssm-parameters.ts';
import { invalidateWithdrawnImages } from './withdrawn-images.ts';

const PARAMETERS: Readonly<Record<string, string>> = {
  '/fine': 'ami-fine',
  '/deprecated': 'ami-deprecated',
  '/deprecated-too': 'ami-deprecated',
  '/gone': 'ami-gone',
};
const PINNED: SsmParameter = { name: '/deprecated', from: 'alias', mutable: false };

async function invalidate(parameters: readonly SsmParameter[]) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const described: DescribeImagesCommandInput[] = [];
  const getParameter = async ({ Name = '' }: { Name: string | undefined }) => {
    asked.push(Name);
    return { Parameter: { Value: PARAMETERS[Name] }, $metadata: {} };
  };
  const describeImages = async (input: DescribeImagesCommandInput) => {
    described.push(input);
    const Images: Image[] = [
      { ImageId: 'ami-fine', DeprecationTime: '2036-01-01T00:00:00Z' },
      { ImageId: 'ami-deprecated', DeprecationTime: '2016-01-01T00:00:00Z' },
    ];
    return { Images, $metadata: {} };
  };
  const source = new SsmParameters({ ssm: { getParameter }, clock, logger: nullLogger, stopping: NEVER });
  for (const one of parameters) await source.get(one, NEVER);
  asked.length = 0;
  await invalidateWithdrawnImages({ parameters: source, ec2: { describeImages }, clock }, NEVER);
  for (const one of parameters) await source.get(one, NEVER);
  return { asked, described };
}

test('08/30 parameters of deprecated and of vanished images are read again, all of them', async () => {
  const names = Object.keys(PARAMETERS);
  const { asked, described } = await invalidate(names.map((name) => ({ name, from: 'alias', mutable: true })));
  assert.deepEqual(asked, ['/deprecated', '/deprecated-too', '/gone']);
  const ids = ['ami-fine', 'ami-deprecated', 'ami-gone'];
  assert.deepEqual(described, [
    {
      Filters: [
        { Name: 'image-id', Values: ids },
        { Name: 'state', Values: ['available'] },
      ],
      IncludeDeprecated: true,
      MaxResults: 1000,
    },
  ]);
});

test('08/30 a parameter of a fixed release stays, and without others nothing is asked', async () => {
  const { asked, described } = await invalidate([PINNED, { ...PINNED, name: '/gone', from: 'term' }]);
  assert.deepEqual(asked, []);
  assert.deepEqual(described, []);
});
