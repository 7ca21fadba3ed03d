import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import type { ZonalShiftInResource } from '../api/aws-apis.ts';
import { AwsError } from '../api/aws-error.ts';
import { NO_ZONAL_SHIFTS, ZonalShifts } from './zonal-shifts.ts';

function environment() {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const asked: string[] = [];
  const arc: { answer: readonly ZonalShiftInResource[] | Error } = { answer: [] };
  const arcZonalShift = {
    getManagedResource: async ({ resourceIdentifier }: { readonly resourceIdentifier: string }) => {
      asked.push(resourceIdentifier);
      if (arc.answer instanceof Error) throw arc.answer;
      return { zonalShifts: arc.answer };
    },
  };
  const shifts = new ZonalShifts({ arcZonalShift, clusterArn: 'arn:cluster', clock, logger });
  const shift = (awayFrom: string, parts: Partial<ZonalShiftInResource> = {}): ZonalShiftInResource => ({
    awayFrom,
    appliedStatus: 'APPLIED',
    expiryTime: new Date(clock.now() + HOUR),
    ...parts,
  });
  return { clock, logger, asked, arc, shifts, shift };
}

test('07/49 a zone is shifted while a shift away from it is applied, until that expires', async () => {
  const { clock, asked, arc, shifts, shift } = environment();
  arc.answer = [shift('usw2-az1'), shift('usw2-az2', { appliedStatus: 'NOT_APPLIED' })];
  await shifts.refresh(NEVER);
  assert.deepEqual(asked, ['arn:cluster']);
  assert.deepEqual(
    ['usw2-az1', 'usw2-az2', 'usw2-az3', ''].map((zone) => shifts.isShifted(zone)),
    [true, false, false, false],
  );
  assert.deepEqual([...shifts.shiftedZones()], ['usw2-az1']);
  await clock.advance(HOUR);
  assert.equal(shifts.isShifted('usw2-az1'), false);
  assert.deepEqual([...shifts.shiftedZones()], []);
});

test('a shift that is cancelled ends at once while another goes on', async () => {
  const { arc, shifts, shift } = environment();
  arc.answer = [shift('usw2-az1'), shift('usw2-az2')];
  await shifts.refresh(NEVER);
  arc.answer = [shift('usw2-az2')];
  await shifts.refresh(NEVER);
  assert.deepEqual([...shifts.shiftedZones()], ['usw2-az2']);
});

test('of two shifts away from one zone the one that is applied counts', async () => {
  const { arc, shifts, shift } = environment();
  arc.answer = [shift('usw2-az1'), shift('usw2-az1', { appliedStatus: 'NOT_APPLIED' })];
  await shifts.refresh(NEVER);
  assert.equal(shifts.isShifted('usw2-az1'), true);
});

test('an answer with missing parts shifts what it names', async () => {
  const { clock, arc, shifts } = environment();
  arc.answer = [{ appliedStatus: 'APPLIED' }, { awayFrom: 'usw2-az1', appliedStatus: 'APPLIED' }];
  await shifts.refresh(NEVER);
  await clock.advance(1000 * HOUR);
  assert.deepEqual([...shifts.shiftedZones()], ['usw2-az1']);
});

test('while ARC does not answer, what is known holds until it expires', async () => {
  const { clock, arc, shifts, shift } = environment();
  arc.answer = [shift('usw2-az1')];
  await shifts.refresh(NEVER);
  arc.answer = new AwsError('InternalServerException', 'out of order');
  await assert.rejects(shifts.refresh(NEVER), {
    message: 'getting zonal shifts: api error InternalServerException: out of order',
  });
  assert.equal(shifts.isShifted('usw2-az1'), true);
  await clock.advance(HOUR);
  assert.equal(shifts.isShifted('usw2-az1'), false);
});

test('the version rises when a zone is shifted or no longer is', async () => {
  const { clock, logger, arc, shifts, shift } = environment();
  const versions = [shifts.version];
  const refresh = async (...answer: readonly ZonalShiftInResource[]) => {
    arc.answer = answer;
    await shifts.refresh(NEVER);
    versions.push(shifts.version);
  };
  const first = shift('usw2-az1');
  await refresh(first);
  await refresh(first);
  await refresh(first, shift('usw2-az2', { expiryTime: new Date(clock.now() + MINUTE) }));
  await clock.advance(MINUTE);
  versions.push(shifts.version);
  await refresh();
  assert.deepEqual(versions, [0, 1, 1, 2, 3, 4]);
  assert.deepEqual(
    logger.lines.map(({ message, fields }) => [message, fields['zones']]),
    [['usw2-az1'], ['usw2-az1', 'usw2-az2'], []].map((zones) => ['successfully updated zonal shifts', zones]),
  );
});

test('where zonal shift is not enabled no zone is ever shifted', async () => {
  await NO_ZONAL_SHIFTS.refresh(NEVER);
  assert.equal(NO_ZONAL_SHIFTS.isShifted('usw2-az1'), false);
  assert.deepEqual([...NO_ZONAL_SHIFTS.shiftedZones()], []);
});
