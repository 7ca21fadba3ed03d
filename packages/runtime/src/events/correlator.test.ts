import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE } from '../clock.ts';
import { Correlator } from './correlator.ts';
import { type CoreEvent, coreEvent } from './event.ts';

const START = Date.UTC(2026, 0, 1);
let nanos = 0n;

function event(message: string, at = 0, name = 'node-a'): CoreEvent {
  const on = { apiVersion: 'v1', kind: 'Node', name, uid: `uid-of-${name}` };
  const origin = { component: 'karpenter', now: START + at, nanos: ++nanos };
  return coreEvent({ on, type: 'Warning', reason: 'FailedDraining', message }, origin);
}

test('an event seen before raises the count of the first, under its name', () => {
  const correlator = new Correlator();
  const first = correlator.correlate(event('a'), 0, 1n);
  const second = correlator.correlate(event('a', MINUTE), MINUTE, 2n);
  assert.equal(first?.isUpdate, false);
  assert.equal(second?.isUpdate, true);
  assert.deepEqual(
    [second.event.metadata, second.event.count, second.event.firstTimestamp, second.event.lastTimestamp],
    [first.event.metadata, 2, '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
  );
});

test('from the tenth on, events that differ only in their message become one that counts', () => {
  const correlator = new Correlator();
  const sent = Array.from({ length: 12 }, (_, i) => correlator.correlate(event(`${i} pods`), i, BigInt(i))!);
  assert.deepEqual(
    sent.slice(8).map(({ event: { message, count }, isUpdate }) => [message, count, isUpdate]),
    [
      ['8 pods', 1, false],
      ['(combined from similar events): 9 pods', 1, false],
      ['(combined from similar events): 10 pods', 2, true],
      ['(combined from similar events): 11 pods', 3, true],
    ],
  );
  assert.equal(sent[11]!.event.metadata.name, sent[9]!.event.metadata.name);
});

test('ten minutes after the last, similar events are told apart again', () => {
  const correlator = new Correlator();
  for (let i = 0; i < 10; i++) correlator.correlate(event(`${i}`), 0, 1n);
  assert.match(correlator.correlate(event('x'), 10 * MINUTE, 1n)!.event.message, /^\(combined/);
  assert.equal(correlator.correlate(event('y'), 20 * MINUTE + 1, 1n)!.event.message, 'y');
});

test('25 events about one object may go, then one every five minutes; other objects have their own', () => {
  const correlator = new Correlator();
  const goes = (message: string, at: number, name?: string): boolean =>
    correlator.correlate(event(message, at, name), at, 1n) !== undefined;
  const sent = Array.from({ length: 100 }, () => goes('same', 0)).filter(Boolean);
  assert.equal(sent.length, 25);
  assert.equal(goes('same', 0, 'node-b'), true);
  assert.equal(goes('same', 4 * MINUTE), false);
  assert.equal(goes('same', 5 * MINUTE), true);
  assert.equal(goes('same', 6 * MINUTE), false);
});

test('what was held back is counted when the next goes', () => {
  const correlator = new Correlator();
  for (let i = 0; i < 100; i++) correlator.correlate(event('same'), 0, 1n);
  assert.equal(correlator.correlate(event('same'), 5 * MINUTE, 1n)?.event.count, 101);
});

test('memory is bounded: long unseen objects are forgotten', () => {
  const correlator = new Correlator();
  correlator.correlate(event('a', 0, 'first'), 0, 1n);
  for (let i = 0; i < 5000; i++) correlator.correlate(event('a', 0, `node-${i}`), 0, 1n);
  assert.equal(correlator.correlate(event('a', 0, 'first'), 0, 1n)?.isUpdate, false);
  assert.equal(correlator.correlate(event('a', 0, 'node-4999'), 0, 1n)?.isUpdate, true);
});
