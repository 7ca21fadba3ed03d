import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DO_NOT_DISRUPT } from '../names/annotations.ts';
import { isNodeProtected, isProtecting, readDoNotDisrupt } from './do-not-disrupt.ts';

const START = '2024-01-01T00:00:00Z';
const HOUR = 3_600_000;
const after = (hours: number) => Date.parse(START) + hours * HOUR;

const pod = (value: string | undefined, startTime: string | undefined = START) => ({
  metadata: { annotations: value === undefined ? {} : { [DO_NOT_DISRUPT]: value } },
  status: { startTime },
});

test('01/95 04/146 a duration protects a pod from its start until it has passed', () => {
  const end = after(4);
  assert.deepEqual(readDoNotDisrupt(pod('4h'), after(3)), { kind: 'Until', end });
  assert.deepEqual(readDoNotDisrupt(pod('4h'), after(4)), { kind: 'Elapsed', end });
  assert.equal(isProtecting(readDoNotDisrupt(pod('4h'), after(3))), true);
  assert.equal(isProtecting(readDoNotDisrupt(pod('4h'), after(5))), false);
});

test('01/95 04/146 what is neither true nor a positive duration is ignored, with its reason', () => {
  for (const [value, why] of [
    ['-1h', 'duration "-1h" must be positive'],
    ['0', 'duration "0" must be positive'],
    ['0s', 'duration "0s" must be positive'],
    ['-5m', 'duration "-5m" must be positive'],
    ['1d', 'failed to parse "1d" as a duration: time: unknown unit "d" in duration "1d"'],
    ['30', 'failed to parse "30" as a duration: time: missing unit in duration "30"'],
    ['yes', 'failed to parse "yes" as a duration: time: invalid duration "yes"'],
    ['True', 'failed to parse "True" as a duration: time: invalid duration "True"'],
  ]) {
    const verdict = readDoNotDisrupt(pod(value), after(0));
    assert.deepEqual(verdict, { kind: 'Invalid', why });
    assert.equal(isProtecting(verdict), false);
  }
});

test('01/95 on a node only true counts', () => {
  assert.equal(isNodeProtected({ [DO_NOT_DISRUPT]: 'true' }), true);
  assert.equal(isNodeProtected({ [DO_NOT_DISRUPT]: '4h' }), false);
  assert.equal(isNodeProtected(undefined), false);
});

test('04/146 true protects always, and a pod whose start is unknown is protected', () => {
  assert.equal(isProtecting(readDoNotDisrupt(pod('true'), after(1000))), true);
  const waiting = readDoNotDisrupt({ ...pod('4h'), status: {} }, after(1000));
  assert.deepEqual(waiting, { kind: 'NotStarted' });
  assert.equal(isProtecting(waiting), true);
  assert.equal(isProtecting(readDoNotDisrupt(pod(undefined), after(0))), false);
});
