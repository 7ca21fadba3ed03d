import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, Metrics, MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { FakeFleets } from '../testing/fake-fleets.ts';
import { CLUSTER, claim, readyNodeClass } from '../testing/launch-environment.ts';
import { LaunchTemplates, userDataBytes } from './launch-templates.ts';
import { launchTags } from './launch-tags.ts';
import { chooseTerms } from './launch-terms.ts';
import { groupByTemplate, type TemplateGroup } from './template-groups.ts';
import { filterInput, offering, typeOf } from './testing/types.ts';

function environment() {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const metrics = new Metrics(clock);
  const fleets = new FakeFleets();
  const clusterName = CLUSTER.name;
  const templates = new LaunchTemplates({ ec2: fleets, clock, logger, metrics, clusterName, stopping: NEVER });
  const ensure = async ({ name, spec }: TemplateGroup, signal = NEVER) => {
    const use = templates.startUse();
    await use.ensure(name, spec, signal).finally(() => use.end());
  };
  return {
    clock,
    logger,
    metrics,
    fleets,
    templates,
    ensure,
    messages: () => logger.lines.map(({ message }) => message),
  };
}

/** A template of a NodeClass with this user data. */
function template(userData = '', nodeClassName = 'default'): TemplateGroup {
  const nodeClass = readyNodeClass({
    name: nodeClassName,
    spec: { amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1' }], userData },
  });
  const types = [typeOf('m5.large', [offering('on-demand', 1)])];
  const [group] = groupByTemplate({
    nodeClass,
    nodeClaim: claim(),
    types,
    terms: chooseTerms(types, filterInput(types).demand.requirements, undefined),
    tags: launchTags(nodeClass, claim(), CLUSTER.name),
    placementGroup: undefined,
    cluster: CLUSTER,
    region: 'us-west-2',
    reservedCapacity: true,
  });
  return group!;
}

const refusal = new AwsError('UnauthorizedOperation', 'no');

test('a template is looked for, created, and then known for a minute after its last use', async () => {
  const { clock, fleets, templates, ensure, messages } = environment();
  const one = template();
  await ensure(one);
  assert.deepEqual(fleets.templateCalls, [`describeLaunchTemplates ${one.name}`, `createLaunchTemplate ${one.name}`]);
  await clock.advance(50 * SECOND);
  await ensure(one);
  await clock.advance(50 * SECOND);
  await templates.sweep(NEVER);
  assert.equal(fleets.templates.size, 1);
  await clock.advance(10 * SECOND);
  await templates.sweep(NEVER);
  assert.equal(fleets.templates.size, 0);
  assert.deepEqual(messages(), [
    'created launch template',
    'hydrated launch template cache',
    'deleted launch template',
  ]);
});

test('a template that another process has made is used', async () => {
  const { fleets, ensure, messages } = environment();
  const one = template();
  fleets.templates.set(one.name, { id: 'lt-9', input: { LaunchTemplateName: one.name, LaunchTemplateData: {} } });
  await ensure(one);
  assert.equal(fleets.createdTemplates.length, 0);
  assert.deepEqual(messages(), ['discovered launch template']);
});

test('launches that need the same template at once make it once, and different ones do not wait for each other', async () => {
  const { fleets, ensure } = environment();
  const [one, other] = [template('one'), template('other')];
  const gate = Promise.withResolvers<void>();
  const { describeLaunchTemplates } = fleets;
  Object.assign(fleets, {
    describeLaunchTemplates: async (...args: Parameters<typeof describeLaunchTemplates>) => {
      if (args[0].LaunchTemplateNames?.[0] === one.name) await gate.promise;
      return describeLaunchTemplates(...args);
    },
  });
  const waiting = Promise.all([ensure(one), ensure(one), ensure(one)]);
  await ensure(other);
  assert.deepEqual(
    fleets.createdTemplates.map(({ LaunchTemplateName }) => LaunchTemplateName),
    [other.name],
  );
  gate.resolve();
  await waiting;
  assert.equal(fleets.createdTemplates.length, 2);
});

test('a launch that is aborted leaves the work to those who still wait', async () => {
  const { fleets, ensure } = environment();
  const givenUp = new AbortController();
  const first = ensure(template(), givenUp.signal);
  const second = ensure(template());
  givenUp.abort(new Error('gone'));
  await assert.rejects(first, new Error('gone'));
  await second;
  assert.equal(fleets.createdTemplates.length, 1);
});

test('failures are told with what was being done, and the next launch tries again', async () => {
  const { fleets, ensure } = environment();
  fleets.templateFailures.push({ call: 'describeLaunchTemplates', error: refusal });
  await assert.rejects(
    ensure(template()),
    new Error('describing launch templates, api error UnauthorizedOperation: no'),
  );
  fleets.templateFailures.push({ call: 'createLaunchTemplate', error: refusal });
  await assert.rejects(ensure(template()), new Error('creating launch template, api error UnauthorizedOperation: no'));
  await ensure(template());
  assert.equal(fleets.createdTemplates.length, 1);
});

test('a template whose creation was not answered is found by its name', async () => {
  const { fleets, ensure } = environment();
  const one = template();
  const { createLaunchTemplate } = fleets;
  Object.assign(fleets, {
    createLaunchTemplate: async (...args: Parameters<typeof createLaunchTemplate>) => {
      await createLaunchTemplate(...args);
      throw new AwsError('InvalidLaunchTemplateName.AlreadyExistsException', one.name);
    },
  });
  await ensure(one);
  assert.equal(fleets.templates.size, 1);
});

test('a template that cannot be deleted is tried again at the next sweep', async () => {
  const { clock, logger, fleets, templates, ensure } = environment();
  await ensure(template());
  await clock.advance(1 * MINUTE);
  fleets.templateFailures.push({ call: 'deleteLaunchTemplate', error: new AwsError('RequestLimitExceeded', 'slow') });
  await templates.sweep(NEVER);
  assert.equal(logger.lines.at(-1)!.message, 'failed to delete launch template');
  assert.equal(fleets.templates.size, 1);
  await templates.sweep(NEVER);
  assert.equal(fleets.templates.size, 0);
});

test('a sweep that is aborted while deletions wait their turn is no failure of these', async () => {
  const { clock, fleets, templates, ensure, messages } = environment();
  await clock.runUntil(Promise.all(Array.from({ length: 60 }, (_, index) => ensure(template(`${index}`)))));
  await clock.advance(2 * MINUTE);
  const stopping = new AbortController();
  const sweep = templates.sweep(stopping.signal);
  await clock.flush();
  stopping.abort(new Error('stopping'));
  await sweep;
  assert.ok(!messages().includes('failed to delete launch template'));
  assert.equal(fleets.templates.size, 10);
});

test('a template that is gone already counts as deleted', async () => {
  const { clock, fleets, templates, ensure, messages } = environment();
  await ensure(template());
  fleets.templates.clear();
  await clock.advance(1 * MINUTE);
  await templates.sweep(NEVER);
  assert.ok(!messages().includes('failed to delete launch template'));
});

test('a launch that needs a template while it is being deleted makes it anew', async () => {
  const { clock, fleets, templates, ensure } = environment();
  const one = template();
  await ensure(one);
  await clock.advance(1 * MINUTE);
  await Promise.all([templates.sweep(NEVER), clock.flush().then(() => ensure(one))]);
  assert.equal(fleets.templates.has(one.name), true);
  assert.equal(fleets.createdTemplates.length, 2);
});

test('a template is not deleted while launches are under way with it, and is known for a minute after the last', async () => {
  const { clock, fleets, templates } = environment();
  const { name, spec } = template();
  const uses = [templates.startUse(), templates.startUse()];
  for (const use of uses) await use.ensure(name, spec, NEVER);
  for (const use of uses) {
    await clock.advance(2 * MINUTE);
    await templates.sweep(NEVER);
    assert.equal(fleets.templates.size, 1);
    use.end();
    use.end(); // to end it again changes nothing
  }
  await clock.advance(59 * SECOND);
  await templates.sweep(NEVER);
  assert.equal(fleets.templates.size, 1);
  await clock.advance(1 * SECOND);
  await templates.sweep(NEVER);
  assert.equal(fleets.templates.size, 0);
});

test('07/74 an invalidated template is forgotten without being deleted', async () => {
  const { clock, fleets, templates, ensure, messages } = environment();
  const one = template();
  await templates.sweep(NEVER);
  await ensure(one);
  templates.invalidate(one.name);
  assert.ok(messages().includes('invalidating launch template in the cache because it no longer exists'));
  fleets.templateCalls.splice(0);
  await clock.advance(1 * MINUTE);
  await templates.sweep(NEVER);
  await ensure(one);
  assert.deepEqual(fleets.templateCalls, [`describeLaunchTemplates ${one.name}`]);
});

test('what the leader before has left is taken over, page by page, and expires; what is not named as ours stays', async () => {
  const { clock, fleets, templates, messages } = environment();
  const tags = (cluster: string) => [
    { ResourceType: 'launch-template' as const, Tags: [{ Key: 'eks:eks-cluster-name', Value: cluster }] },
  ];
  const add = (name: string, cluster: string) =>
    fleets.templates.set(name, {
      id: `id-${name}`,
      input: { LaunchTemplateName: name, LaunchTemplateData: {}, TagSpecifications: tags(cluster) },
    });
  fleets.pageSize = 2;
  for (const index of [1, 2, 3, 4, 5]) add(`karpenter.k8s.aws/${index}`, CLUSTER.name);
  add('somebody-elses', CLUSTER.name);
  add('karpenter.k8s.aws/6', 'another-cluster');
  await templates.sweep(NEVER);
  assert.equal(fleets.templates.size, 7);
  assert.deepEqual(messages(), ['hydrated launch template cache']);
  await clock.advance(1 * MINUTE);
  await templates.sweep(NEVER);
  assert.deepEqual([...fleets.templates.keys()], ['somebody-elses', 'karpenter.k8s.aws/6']);
});

test('failing to look for templates is logged and tried again; after that they are looked for once an hour', async () => {
  const { clock, logger, fleets, templates } = environment();
  fleets.templateFailures.push({ call: 'describeLaunchTemplates', error: refusal });
  await templates.sweep(NEVER);
  assert.deepEqual(
    logger.lines.map(({ message, error }) => [message, error]),
    [['unable to hydrate the AWS launch template cache', 'api error UnauthorizedOperation: no']],
  );
  for (let minute = 0; minute < 120; minute++) {
    await clock.advance(1 * MINUTE);
    await templates.sweep(NEVER);
  }
  assert.equal(fleets.templateCalls.length, 1 + 2);
  assert.equal(120 * MINUTE, 2 * HOUR);
});

test('07/85 the size of user data is a gauge, and large ones are told of', async () => {
  const { metrics, logger, ensure } = environment();
  await ensure(template('x'.repeat(14744)));
  assert.equal(metrics.find(userDataBytes, { nodeclass: 'default' }), 14744);
  assert.ok(!logger.lines.some(({ level }) => level === 'info'));
  await ensure(template('x'.repeat(14745)));
  assert.equal(metrics.find(userDataBytes, { nodeclass: 'default' }), 14745);
  const { message, fields } = logger.lines.find(({ level }) => level === 'info')!;
  assert.equal(message, 'rendered user data is approaching the EC2 user data size limit');
  assert.deepEqual([fields['userdata-bytes'], fields['warn-threshold'], fields['limit']], [14745, 14745, 16384]);
});

test('07/85 the templates of a NodeClass that is deleted go, and its gauge with them', async () => {
  const { fleets, metrics, templates, ensure, messages } = environment();
  await ensure(template('one'));
  await ensure(template('two'));
  await ensure(template('one', 'other'));
  await templates.deleteFor('default', NEVER);
  assert.deepEqual([...fleets.templates.keys()], [template('one', 'other').name]);
  assert.equal(metrics.find(userDataBytes, { nodeclass: 'default' }), undefined);
  assert.ok(messages().includes('deleted launch templates'));
});

test('all templates of a NodeClass are tried, and what fails is told', async () => {
  const { fleets, templates, ensure } = environment();
  await ensure(template('one'));
  await ensure(template('two'));
  fleets.templateFailures.push({ call: 'deleteLaunchTemplate', error: refusal });
  await assert.rejects(
    templates.deleteFor('default', NEVER),
    new Error('deleting launch templates, api error UnauthorizedOperation: no'),
  );
  assert.equal(fleets.templates.size, 1);
  fleets.templateFailures.push({ call: 'describeLaunchTemplates', error: refusal });
  await assert.rejects(
    templates.deleteFor('default', NEVER),
    new Error('fetching launch templates, api error UnauthorizedOperation: no'),
  );
});

test('templates are made and deleted no faster than EC2 admits', async () => {
  const { clock, fleets, templates, ensure } = environment();
  const all = Promise.all(Array.from({ length: 60 }, (_, index) => ensure(template(`${index}`))));
  await clock.flush();
  assert.equal(fleets.createdTemplates.length, 50);
  await clock.advance(1 * SECOND);
  assert.equal(fleets.createdTemplates.length, 55);
  await clock.runUntil(all);
  assert.equal(fleets.createdTemplates.length, 60);
  const deletions = templates.deleteFor('default', NEVER);
  await clock.flush();
  assert.equal(fleets.templates.size, 10);
  await clock.runUntil(deletions);
  assert.equal(fleets.templates.size, 0);
});
