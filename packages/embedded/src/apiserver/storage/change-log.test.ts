import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, ChangeLog } from './change-log.ts';
import { Entry } from './entry.ts';

const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };
const CONTENT = { key: 'a', object, labels: undefined, fields: undefined };

const change = (revision: number, at: number): Change => ({
  revision,
  at,
  before: undefined,
  after: undefined,
  state: new Entry('MODIFIED', CONTENT, { revision, at }, () => {}),
});

test('a place found for a revision leads to the first later change', () => {
  const log = new ChangeLog(10);
  for (const revision of [12, 15, 20]) log.append(change(revision, 0));
  const after = (revision: number) => log.at(log.placeAfter(revision))?.revision;
  assert.deepEqual([10, 12, 14, 15, 20].map(after), [12, 15, 15, 20, undefined]);
});

test('old changes are forgotten, but never the last hundred, and places stay valid', () => {
  const log = new ChangeLog(0);
  for (let revision = 1; revision <= 300; revision++) log.append(change(revision, 0));
  const place = log.placeAfter(250);
  assert.equal(log.horizon, 0);

  log.append(change(301, 80_000));
  assert.equal(log.horizon, 201);
  assert.equal(log.reaches(log.placeAfter(201)), true);
  assert.equal(log.reaches(0), false);
  assert.equal(log.at(place)?.revision, 251);
});

test('a storm of writes is bounded whatever its pace', () => {
  const log = new ChangeLog(0);
  for (let revision = 1; revision <= 60_000; revision++) log.append(change(revision, 0));
  assert.equal(log.horizon, 10_000);
  assert.equal(log.at(log.placeAfter(10_000))?.revision, 10_001);
});
