import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { MINUTE, type Patch, StatusError, VirtualClock } from '@karpenter-ts/runtime';
import type { ObjectRef, ResourceType } from '@karpenter-ts/kubernetes';
import { failedScheduling, SchedulingEvents, scheduled } from './events.ts';
import { podObject } from './testing/cluster.ts';

interface Sent {
  readonly verb: 'create' | 'patch';
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let clock: VirtualClock;
let sent: Sent[];
let events: SchedulingEvents;
let refuse: 'nothing' | 'patch' | 'everything';

beforeEach(() => {
  clock = new VirtualClock();
  sent = [];
  refuse = 'nothing';
  const send = async (entry: Sent) => {
    if (refuse === 'everything' || refuse === entry.verb) throw new StatusError({ code: 404, reason: 'NotFound' });
    sent.push(entry);
  };
  events = new SchedulingEvents(
    {
      create: async (_type: ResourceType, body: { metadata: { name: string } }) =>
        send({ verb: 'create', name: body.metadata.name, body }),
      patch: async (_type: ResourceType, { name }: ObjectRef, { body }: Patch) =>
        send({ verb: 'patch', name, body: body as never }),
    } as never,
    clock,
  );
});

test('an event has the form kube-scheduler gives it', async () => {
  events.publish(podObject('web'), scheduled(podObject('web'), 'n1'));
  await clock.flush();
  const [{ body }] = sent as [Sent];
  assert.deepEqual(body, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `web.${(BigInt(clock.now()) * 1_000_000n).toString(16)}`, namespace: 'default' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'default-scheduler',
    reportingInstance: 'default-scheduler-embedded',
    regarding: {
      kind: 'Pod',
      apiVersion: 'v1',
      namespace: 'default',
      name: 'web',
      uid: 'uid-web',
      resourceVersion: '1',
    },
    type: 'Normal',
    reason: 'Scheduled',
    action: 'Binding',
    note: 'Successfully assigned default/web to n1',
  });
});

test('the same about an unchanged pod makes a series the second time, and nothing after that', async () => {
  for (let i = 0; i < 4; i++) events.publish(podObject('web'), failedScheduling('full'));
  await clock.flush();
  assert.deepEqual(
    sent.map(({ verb }) => verb),
    ['create', 'patch'],
  );
  assert.equal(sent[1]!.name, sent[0]!.name);
  assert.deepEqual(sent[1]!.body, { series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' } });
});

test('about a pod that has changed, and after six minutes, it is said anew', async () => {
  const pod = podObject('web');
  events.publish(pod, failedScheduling('full'));
  events.publish({ ...pod, metadata: { ...pod.metadata, resourceVersion: '2' } }, failedScheduling('full'));
  await clock.advance(6 * MINUTE + 1);
  events.publish(pod, failedScheduling('full'));
  await clock.flush();
  assert.deepEqual(
    sent.map(({ verb }) => verb),
    ['create', 'create', 'create'],
  );
  assert.equal(new Set(sent.map(({ name }) => name)).size, 3);
});

test('an event that is gone when it is to become a series is made again', async () => {
  refuse = 'patch';
  for (let i = 0; i < 2; i++) events.publish(podObject('web'), failedScheduling('full'));
  await clock.flush();
  assert.deepEqual(
    sent.map(({ verb }) => verb),
    ['create', 'create'],
  );
  assert.ok('series' in sent[1]!.body);
});

test('a refused event holds up nobody', async () => {
  refuse = 'everything';
  events.publish(podObject('one'), failedScheduling('full'));
  await clock.flush();
  refuse = 'nothing';
  events.publish(podObject('two'), failedScheduling('full'));
  await clock.flush();
  assert.equal(sent.length, 1);
});

test('a long message is cut to what an event can hold', () => {
  assert.equal(failedScheduling('x'.repeat(1024)).note, 'x'.repeat(1024));
  assert.equal(failedScheduling('x'.repeat(1025)).note, `${'x'.repeat(1020)} ...`);
});
