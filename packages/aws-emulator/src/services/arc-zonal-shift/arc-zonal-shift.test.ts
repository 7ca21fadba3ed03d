import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { VirtualClock } from '@karpenter-ts/runtime';
import { startEmulator } from '../../emulator.ts';
import { callerOf } from '../../testing/wire-call.ts';

const ARN = 'arn:aws:eks:us-east-1:111122223333:cluster/demo';
const HOUR = 3_600_000;

async function start(t: TestContext) {
  const clock = new VirtualClock();
  const emulator = await startEmulator({ clock, seed: 1 });
  t.after(() => emulator.stop());
  const ask = () => callerOf(emulator).get('arc-zonal-shift', `/managedresources/${encodeURIComponent(ARN)}`);
  const shifts = async () => (await ask()).body['zonalShifts'] as readonly Readonly<Record<string, unknown>>[];
  return { clock, levers: emulator.arcZonalShift, ask, shifts };
}

test('a resource that is not managed is not found', async (t) => {
  const { ask, levers } = await start(t);
  const { status, headers } = await ask();
  assert.deepEqual([status, headers['x-amzn-errortype']], [404, 'ResourceNotFoundException']);
  levers.manage(ARN);
  assert.deepEqual((await ask()).body['zonalShifts'], []);
  levers.unmanage(ARN);
  assert.equal((await ask()).status, 404);
});

test('a shift is told of until it expires, its times in seconds', async (t) => {
  const { clock, levers, ask, shifts } = await start(t);
  levers.manage(ARN);
  const id = levers.startShift({ resource: ARN, awayFrom: 'use1-az1', expiresIn: HOUR });
  const [shift] = await shifts();
  assert.deepEqual(
    [shift?.['zonalShiftId'], shift?.['awayFrom'], shift?.['appliedStatus'], shift?.['expiryTime']],
    [id, 'use1-az1', 'APPLIED', (clock.now() + HOUR) / 1000],
  );
  assert.deepEqual((await ask()).body['appliedWeights'], { 'use1-az1': 0 });
  await clock.advance(HOUR - 1);
  assert.equal((await shifts()).length, 1);
  await clock.advance(1);
  assert.deepEqual(await shifts(), []);
});

test('a shift that is cancelled is over, others go on', async (t) => {
  const { levers, shifts } = await start(t);
  levers.manage(ARN);
  const first = levers.startShift({ resource: ARN, awayFrom: 'use1-az1' });
  levers.startShift({ resource: ARN, awayFrom: 'use1-az2', appliedStatus: 'NOT_APPLIED' });
  levers.cancelShift(first);
  assert.deepEqual(
    (await shifts()).map(({ awayFrom, appliedStatus }) => [awayFrom, appliedStatus]),
    [['use1-az2', 'NOT_APPLIED']],
  );
});
