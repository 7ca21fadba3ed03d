// Seven fleets that upstream 1.14.1 planned too: the same pods get a place, on as many nodes, for the same money, and
// the others are refused in the same words.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { finish, planSnapshot } from '@karpenter-ts/scheduling';
import { checkPlan } from '@karpenter-ts/scheduling/testing';
import { type PlanFile, toPlanFile } from './plan-file.ts';
import { loadFleet, loadUpstreamPlan, RECORDED_FLEETS } from './testing/recorded-fleets.ts';

/** What a tie decided the other way may change. */
const TOLERANCE = 0.03;

for (const name of RECORDED_FLEETS) {
  test(`fleet ${name} is planned as upstream plans it`, (t) => {
    const ours = planFleet(name);
    const upstream = loadUpstreamPlan(name);
    report(t, ours, upstream);
    assert.deepEqual(refusals(ours), refusals(upstream));
    assert.ok(Math.abs(ours.nodes.length - upstream.nodes.length) <= Math.max(1, upstream.nodes.length * TOLERANCE));
    const oneNode = Math.max(...upstream.nodes.map(({ pricePerHour }) => pricePerHour));
    const difference = Math.abs(ours.pricePerHour - upstream.pricePerHour);
    assert.ok(difference <= Math.max(oneNode, upstream.pricePerHour * TOLERANCE));
  });
}

test('the plan of a fleet passes the checker', () => {
  const { snapshot, options } = loadFleet('mixed-500-202');
  assert.deepEqual(checkPlan(snapshot, finish(planSnapshot(snapshot, options)), options), []);
});

function planFleet(name: string): PlanFile {
  const { snapshot, options } = loadFleet(name);
  return toPlanFile(finish(planSnapshot(snapshot, options)), 0);
}

function refusals({ unschedulable }: PlanFile): readonly string[] {
  return unschedulable.map(({ pod, reason }) => `${pod}: ${reason}`).sort();
}

function report(t: TestContext, ours: PlanFile, upstream: PlanFile): void {
  const text = ({ nodes, pricePerHour, unschedulable }: PlanFile) =>
    `${nodes.length} nodes, $${pricePerHour.toFixed(3)}/h, ${unschedulable.length} pods unplaced`;
  t.diagnostic(`ours ${text(ours)}; upstream ${text(upstream)}`);
}
