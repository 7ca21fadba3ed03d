import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../virtual-clock.ts';
import { defineGauge } from './definition.ts';
import { Metrics } from './registry.ts';
import { gaugeSample, SeriesSets } from './series-sets.ts';

const usage = defineGauge('usage', ['pool', 'resource'], 'What a pool uses.');
const limit = defineGauge('limit', ['pool', 'resource'], 'What a pool may use.');

function environment(): { readonly metrics: Metrics; readonly sets: SeriesSets } {
  const metrics = new Metrics(new VirtualClock());
  return { metrics, sets: new SeriesSets(metrics) };
}

test('05/55 writing fewer label sets for a key deletes those that are gone, of every gauge', () => {
  const { metrics, sets } = environment();
  const cpu = { pool: 'a', resource: 'cpu' };
  const memory = { pool: 'a', resource: 'memory' };
  sets.replace('a', [gaugeSample(usage, cpu, 1), gaugeSample(usage, memory, 2), gaugeSample(limit, cpu, 10)]);
  sets.replace('a', [gaugeSample(usage, cpu, 3)]);
  assert.equal(metrics.find(usage, cpu), 3);
  assert.equal(metrics.find(usage, memory), undefined);
  assert.equal(metrics.find(limit, cpu), undefined);
});

test('05/55 equal labels in different order are one series', () => {
  const { metrics, sets } = environment();
  sets.replace('a', [gaugeSample(usage, { pool: 'a', resource: 'cpu' }, 1)]);
  sets.replace('a', [gaugeSample(usage, { resource: 'cpu', pool: 'a' }, 2)]);
  assert.equal(metrics.find(usage, { pool: 'a', resource: 'cpu' }), 2);
});

test('05/55 replacing all keeps the keys named and clears the others; by nothing, everything', () => {
  const { metrics, sets } = environment();
  const a = { pool: 'a', resource: 'cpu' };
  const b = { pool: 'b', resource: 'cpu' };
  sets.replace('a', [gaugeSample(usage, a, 1)]);
  sets.replace('b', [gaugeSample(usage, b, 1)]);
  sets.replaceAll(new Map([['b', [gaugeSample(usage, b, 2)]]]));
  assert.deepEqual([metrics.find(usage, a), metrics.find(usage, b)], [undefined, 2]);
  sets.replaceAll(new Map());
  assert.equal(metrics.find(usage, b), undefined);
});

test('a series that moved to another key survives its former one', () => {
  const { metrics, sets } = environment();
  const labels = { pool: 'a', resource: 'cpu' };
  sets.replace('old', [gaugeSample(usage, labels, 1)]);
  sets.replaceAll(new Map([['new', [gaugeSample(usage, labels, 2)]]]));
  assert.equal(metrics.find(usage, labels), 2);
  sets.remove('new');
  assert.equal(metrics.find(usage, labels), undefined);
});
