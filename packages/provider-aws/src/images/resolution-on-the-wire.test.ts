// What a NodeClass selects, asked of AWS in the process through AWS' own clients.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { MINUTE } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { Amis } from './amis.ts';
import { SsmParameters } from './ssm-parameters.ts';
import { SecurityGroups } from '../network/security-groups.ts';
import { Subnets } from '../network/subnets.ts';
import { EMULATED_CLUSTER, EmulatedAws } from '../testing/emulated-aws.ts';

const TAGS = { 'karpenter.sh/discovery': EMULATED_CLUSTER };

async function environment(t: TestContext) {
  const aws = await EmulatedAws.start(t);
  const { apis, clock, logger, stopping } = aws;
  const deps = { ec2: apis.ec2, clock, logger, stopping, refreshInterval: 1 * MINUTE };
  const parameters = new SsmParameters({ ...deps, ssm: apis.ssm });
  return {
    aws,
    amis: new Amis({ ...deps, parameters, kubernetes: { version: '1.34' } }),
    groups: new SecurityGroups(deps),
    subnets: new Subnets({ ...deps, addresses: { listed: () => undefined } }),
  };
}

function nodeClass(spec: object): EC2NodeClass {
  return { metadata: { name: 'default', uid: 'uid', generation: 1 }, spec } as unknown as EC2NodeClass;
}

test('subnets and security groups are found by the tags of the cluster', async (t) => {
  const { aws, subnets, groups } = await environment(t);
  const selected = nodeClass({
    subnetSelectorTerms: [{ tags: TAGS }],
    securityGroupSelectorTerms: [{ tags: TAGS }],
  });
  const found = await aws.settle(subnets.list(selected, NEVER));
  assert.deepEqual(Object.fromEntries(found.map(({ id, zone }) => [zone, id])), aws.network.subnetIds);
  assert.ok(found.every(({ zoneID }) => zoneID?.startsWith('use1-az')));
  const attached = await aws.settle(groups.list(selected, NEVER));
  assert.deepEqual(
    attached.map(({ id }) => id),
    [aws.network.securityGroupId],
  );
});

for (const [alias, entries] of [
  ['al2023@latest', 5],
  ['bottlerocket@latest', 5],
  ['windows2022@latest', 1],
] as const) {
  test(`the images of ${alias} are found by their parameters`, async (t) => {
    const { aws, amis } = await environment(t);
    aws.emulator.publishNodeImages({ kubernetes: '1.34' });
    const found = await aws.settle(amis.list(nodeClass({ amiSelectorTerms: [{ alias }] }), NEVER));
    assert.equal(found.length, entries);
  });
}

test('a parameter that does not exist is passed over, and an image is found by its id', async (t) => {
  const { aws, amis } = await environment(t);
  const amiSelectorTerms = [{ ssmParameter: '/absent' }, { id: aws.image }];
  const found = await aws.settle(amis.list(nodeClass({ amiSelectorTerms }), NEVER));
  assert.deepEqual(
    found.map(({ id }) => id),
    [aws.image],
  );
});
