// The end of EC2NodeClasses, on an API server and an AWS in the process.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { userDataBytes } from '../launch/launch-templates.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { EMULATED_CLUSTER } from '../testing/emulated-aws.ts';
import { NodeClassEnvironment } from '../testing/node-class-environment.ts';

async function start(t: TestContext) {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add();
  await classes.until('AMIsReady', 'True');
  const { env, aws } = classes;
  const waiting = () => env.eventTexts().filter((text) => text.includes('WaitingOnNodeClaimTermination'));
  const addTemplate = (name: string, tags: Readonly<Record<string, string>>) =>
    aws.settle(
      aws.apis.ec2.createLaunchTemplate(
        {
          LaunchTemplateName: name,
          LaunchTemplateData: { ImageId: aws.image },
          TagSpecifications: [
            { ResourceType: 'launch-template', Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
          ],
        },
        NEVER,
      ),
    );
  const templates = async () => {
    const { LaunchTemplates = [] } = await aws.settle(aws.apis.ec2.describeLaunchTemplates({}, NEVER));
    return LaunchTemplates.map(({ LaunchTemplateName = '' }) => LaunchTemplateName).toSorted((a, b) =>
      a < b ? -1 : 1,
    );
  };
  return { ...classes, classes, env, aws, waiting, addTemplate, templates };
}

const tagsOf = (nodeClass: string, cluster = EMULATED_CLUSTER) => ({
  'eks:eks-cluster-name': cluster,
  'karpenter.k8s.aws/ec2nodeclass': nodeClass,
});

test('01/85, 08/55 a NodeClass that is deleted waits for its NodeClaims and says so, then it goes', async (t) => {
  const { classes, env, waiting } = await start(t);
  for (const name of ['one', 'two']) await env.addNodeClaim(name);
  await env.addNodeClaim('other', {
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'other' } },
  });
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(2 * SECOND);
  const text = 'EC2NodeClass/default WaitingOnNodeClaimTermination: Waiting on NodeClaim termination for one, two';
  assert.deepEqual(waiting(), [text]);
  await env.clock.advance(10 * MINUTE);
  assert.deepEqual(waiting(), [text, text]);
  await env.delete(NODE_CLAIMS, 'one');
  await env.clock.advance(2 * SECOND);
  assert.ok((await classes.find()) !== undefined);
  await env.delete(NODE_CLAIMS, 'two');
  await env.clock.advance(5 * SECOND);
  assert.equal(await classes.find(), undefined);
  assert.deepEqual(classes.failures(), []);
});

test('of many NodeClaims five are named', async (t) => {
  const { env, waiting } = await start(t);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await env.addNodeClaim(name);
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(2 * SECOND);
  assert.match(waiting()[0]!, /: Waiting on NodeClaim termination for a, b, c, d, e and 2 other\(s\)$/);
});

test('08/57 with a NodeClass go its launch templates and its series, and nobody else’s', async (t) => {
  const { classes, env, addTemplate, templates } = await start(t);
  await addTemplate('mine-1', tagsOf('default'));
  await addTemplate('mine-2', tagsOf('default'));
  await addTemplate('of-another-class', tagsOf('other'));
  await addTemplate('of-another-cluster', tagsOf('default', 'other-cluster'));
  for (const nodeclass of ['default', 'other']) env.metrics.set(userDataBytes, { nodeclass }, 100);
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(10 * SECOND);
  assert.equal(await classes.find(), undefined);
  assert.deepEqual(await templates(), ['of-another-class', 'of-another-cluster']);
  const series = (await env.page()).match(/^karpenter_ec2nodeclasses_userdata_bytes\{.*$/gm);
  assert.deepEqual(series, ['karpenter_ec2nodeclasses_userdata_bytes{nodeclass="other"} 100']);
});

test('08/56 while a launch template cannot be deleted, the NodeClass stays', async (t) => {
  const { classes, env, aws, addTemplate, templates } = await start(t);
  await addTemplate('mine', tagsOf('default'));
  const refusal = { kind: 'refuse', code: 'UnauthorizedOperation', message: 'not you', status: 403 } as const;
  const lift = aws.emulator.faults.inject(refusal, { operation: 'DeleteLaunchTemplate' });
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(30 * SECOND);
  assert.deepEqual((await classes.find())?.metadata.finalizers, ['karpenter.k8s.aws/termination']);
  assert.match(classes.failures().at(-1)!, /^deleting launch templates, .*not you/);
  lift();
  await env.clock.advance(1 * MINUTE);
  assert.equal(await classes.find(), undefined);
  assert.deepEqual(await templates(), []);
});

test('a conflict at the end is tried again, and finalizers of others stay', async (t) => {
  const { classes, env } = await start(t);
  await env.change(EC2_NODE_CLASSES, 'default', {
    metadata: { finalizers: ['karpenter.k8s.aws/termination', 'example.com/x'] },
  });
  env.refusals.add({ method: 'PATCH', path: /ec2nodeclasses\/default$/, code: 409, times: 2 });
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(15 * SECOND);
  assert.deepEqual((await classes.find())?.metadata.finalizers, ['example.com/x']);
  assert.deepEqual(classes.failures(), []);
  env.writes.length = 0;
  await env.clock.advance(20 * MINUTE);
  assert.deepEqual(env.writes, []); // it is done with it
});
