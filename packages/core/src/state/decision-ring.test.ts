import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import { AdjustableClock } from '@karpenter-ts/runtime/testing';
import { pendingPod } from '../testing/cluster-objects.ts';
import { type DecisionDraft, DecisionRing } from './decision-ring.ts';

const DRAFT: DecisionDraft = {
  kind: 'provision',
  objects: [{ kind: 'NodePool', name: 'default' }],
  pods: [],
  pricePerHour: { before: 0, after: 0.5 },
  extensions: [],
  plannerMs: 3,
};

function start(size?: number) {
  const clock = new AdjustableClock(1000);
  const ring = new DecisionRing({ clock, random: () => 0.5, ...(size !== undefined && { size }) });
  return { clock, ring };
}

test('a decision is kept from its start with what was known, and gets its outcome with the time', async () => {
  const { clock, ring } = start();
  const [first, second] = [ring.record(DRAFT), ring.record(DRAFT)];
  assert.deepEqual(
    ring.list().map(({ madeAt, kind, outcome }) => [madeAt, kind, outcome.state]),
    [
      [1000, 'provision', 'started'],
      [1000, 'provision', 'started'],
    ],
  );
  await clock.advance(2 * SECOND);
  second.fail('refused');
  first.succeed({ kind: 'NodeClaim', name: 'default-abc' });
  const [succeeded, failed] = ring.list();
  assert.deepEqual(succeeded?.outcome, { state: 'succeeded', at: 3000 });
  assert.deepEqual(
    succeeded?.objects.map(({ name }) => name),
    ['default', 'default-abc'],
  );
  assert.deepEqual(failed?.outcome, { state: 'failed', at: 3000, error: 'refused' });
  assert.deepEqual([succeeded?.id, failed?.id], [first.id, second.id]);
  assert.ok(first.id < second.id);
});

test('of many pods a hundred are named and all are counted', () => {
  const { ring } = start();
  ring.record({ ...DRAFT, pods: Array.from({ length: 250 }, (_, i) => pendingPod(`p${i}`)) });
  const [{ pods, podCount } = assert.fail()] = ring.list();
  assert.deepEqual([pods.length, pods[0], podCount], [100, 'default/p0', 250]);
});

test('a ring that is full forgets its oldest decision for each new one, whose outcome is then of no interest', () => {
  const { ring } = start(3);
  const open = Array.from({ length: 10 }, () => ring.record(DRAFT));
  open[0]!.succeed();
  open[8]!.succeed();
  assert.deepEqual(
    ring.list().map(({ id, outcome }) => [id, outcome.state]),
    [
      [open[7]!.id, 'started'],
      [open[8]!.id, 'succeeded'],
      [open[9]!.id, 'started'],
    ],
  );
});
