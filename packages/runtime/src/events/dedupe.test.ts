import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '../clock.ts';
import { Dedupe } from './dedupe.ts';
import type { EventDraft, EventLimit } from './event.ts';

function evicted(uid: string, more: Partial<EventDraft> = {}): EventDraft {
  const on = { apiVersion: 'v1', kind: 'Pod', namespace: 'web', name: 'web-0', uid };
  return { on, type: 'Normal', reason: 'Evicted', message: 'Evicted pod', dedupe: ['web-0'], ...more };
}

const NOMINATIONS: EventLimit = { perSecond: 5, burst: 10 };
const nominated = (uid: string): EventDraft => evicted(uid, { reason: 'Nominated', dedupe: [uid], limit: NOMINATIONS });

const admitted = (dedupe: Dedupe, drafts: readonly EventDraft[], elapsed = 0): number =>
  drafts.filter((draft) => dedupe.admits(draft, elapsed)).length;

const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 100 }, (_, i) => make(i));

test('05/63 of 100 identical publications one goes, of 100 pods all, namesakes included', () => {
  const dedupe = new Dedupe();
  assert.equal(
    admitted(
      dedupe,
      many(() => evicted('same')),
    ),
    1,
  );
  assert.equal(
    admitted(
      dedupe,
      many((i) => evicted(`uid-${i}`)),
    ),
    100,
  );
});

test('05/64 after its own timeout of 2 s an event goes again', () => {
  const dedupe = new Dedupe();
  const draft = evicted('a', { dedupeTimeout: 2 * SECOND });
  assert.deepEqual(
    [0, 1, 3].map((second) => dedupe.admits(draft, second * SECOND)),
    [true, false, true],
  );
});

test('03/110 without a timeout of its own an event is held back for two minutes, counted from when it last went', () => {
  const dedupe = new Dedupe();
  const seconds = [0, 60, 119, 120, 239, 240];
  assert.deepEqual(
    seconds.map((second) => dedupe.admits(evicted('a'), second * SECOND)),
    [true, false, false, true, false, true],
  );
});

test('03/159 another reason or another value is another event; the message alone is not', () => {
  const dedupe = new Dedupe();
  assert.equal(dedupe.admits(evicted('a'), 0), true);
  assert.equal(dedupe.admits(evicted('a', { message: 'changed' }), 0), false);
  assert.equal(dedupe.admits(evicted('a', { reason: 'Disrupted' }), 0), true);
  assert.equal(dedupe.admits(evicted('a', { dedupe: ['other'] }), 0), true);
});

test('03/159 without values to compare every publication goes', () => {
  assert.equal(
    admitted(
      new Dedupe(),
      many(() => evicted('a', { dedupe: [] })),
    ),
    100,
  );
});

test('05/65 of 100 nominations at once 10 go; at 5 a second for 3 s, 15', () => {
  assert.equal(
    admitted(
      new Dedupe(),
      many((i) => nominated(`uid-${i}`)),
    ),
    10,
  );
  const dedupe = new Dedupe();
  let sent = 0;
  for (let second = 0; second < 3; second++) {
    for (let i = 0; i < 5; i++) if (dedupe.admits(nominated(`uid-${second}-${i}`), second * SECOND)) sent++;
  }
  assert.equal(sent, 15);
});

test('an event that the limit refused goes when it is published again', () => {
  const dedupe = new Dedupe();
  admitted(
    dedupe,
    many((i) => nominated(`uid-${i}`)),
  );
  assert.equal(dedupe.admits(nominated('late'), 0), false);
  assert.equal(dedupe.admits(nominated('late'), 200), true);
  assert.equal(dedupe.admits(nominated('late'), 1 * MINUTE), false);
});
