// The seven fleets that upstream 1.14.1 planned too, with the controller's defaults.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readFleet } from './fleet-file.ts';
import type { PlanFile } from './plan-file.ts';
import { finish, planSnapshot } from '@karpenter-ts/scheduling';
import { checkPlan, DEFAULT_PACKING, placedPods } from '@karpenter-ts/scheduling/testing';

const FOLDER = join(import.meta.dirname, '../../../../bench/fleets');

for (const name of [
  'plain-300-101',
  'plain-300-102',
  'plain-2000-103',
  'mixed-500-201',
  'mixed-500-202',
  'mixed-2000-203',
  'mixed-2000-204',
]) {
  test(`fleet ${name} costs no more than upstream’s plan of it, and the plan is sound`, (t) => {
    const { snapshot, options } = load(name);
    const theirs = JSON.parse(read(`${name}.upstream.json.gz`)) as PlanFile;
    const before = finish(planSnapshot(snapshot, options));
    const after = finish(planSnapshot(snapshot, { ...options, packing: DEFAULT_PACKING }));
    t.diagnostic(`$${after.pricePerHour.toFixed(3)}/h, upstream $${theirs.pricePerHour.toFixed(3)}/h`);
    assert.ok(after.pricePerHour <= before.pricePerHour);
    assert.ok(after.pricePerHour <= theirs.pricePerHour * 1.01);
    assert.ok(after.newNodes.length <= 2 * before.newNodes.length);
    assert.deepEqual(placedPods(after), placedPods(before));
    if (snapshot.pods.length <= 500) assert.deepEqual(checkPlan(snapshot, after, options), []); // a minute for 2,000
  });
}

for (const { name, cpu } of [
  { name: 'plain-2000-103', cpu: '4000' },
  { name: 'mixed-500-202', cpu: '1258' },
]) {
  test(`fleet ${name} is as cheap where pools may not have much more than it needs`, (t) => {
    const { snapshot, options } = load(name);
    const pools = snapshot.pools.map(({ nodePool, ...pool }) => {
      return { ...pool, nodePool: { ...nodePool, spec: { ...nodePool.spec, limits: { cpu } } } };
    });
    const limited = { ...snapshot, pools };
    const upstream = finish(planSnapshot(limited, options));
    const free = finish(planSnapshot(snapshot, { ...options, packing: DEFAULT_PACKING }));
    const plan = finish(planSnapshot(limited, { ...options, packing: DEFAULT_PACKING }));
    t.diagnostic(`$${plan.pricePerHour.toFixed(3)}/h, without limits $${free.pricePerHour.toFixed(3)}/h`);
    assert.ok(plan.pricePerHour <= free.pricePerHour * 1.001);
    assert.deepEqual(placedPods(plan), placedPods(upstream));
    if (snapshot.pods.length <= 500) assert.deepEqual(checkPlan(limited, plan, options), []);
  });
}

function load(name: string) {
  const result = readFleet(read(`${name}.json.gz`));
  if ('fleet' in result) return result.fleet;
  throw new Error(JSON.stringify(result.problems));
}

function read(file: string): string {
  return gunzipSync(readFileSync(join(FOLDER, file))).toString();
}
