import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, VirtualClock } from '@karpenter-ts/runtime';
import { recordingLogger } from '@karpenter-ts/runtime/testing';
import { POD_DELETION_COST } from '../../pods/eviction-cost.ts';
import { runningPod } from '../../testing/cluster-objects.ts';
import { InvalidCostLog } from './pass-reports.ts';
import { node, scan, stateOf } from '../testing/cluster-state.ts';

test('04/28 a deletion cost that is no number is logged, for each pod once an hour', async () => {
  const pod = (name: string, value: string) => runningPod(name, 'n', { annotations: { [POD_DELETION_COST]: value } });
  const found = await scan(stateOf({ nodes: [node('n', { pods: [pod('a', 'abc'), pod('b', '1')] })] }));
  const clock = new VirtualClock();
  const log = new InvalidCostLog(clock);
  const logger = recordingLogger();
  for (let i = 0; i < 3; i++) log.log({ scan: found }, logger);
  const [line, ...more] = logger.lines;
  assert.deepEqual([line?.level, line?.message, more.length], ['error', 'failed parsing pod deletion cost', 0]);
  assert.deepEqual(
    [line?.fields['annotation'], line?.fields['value'], String(line?.fields['pod'])],
    [POD_DELETION_COST, 'abc', 'default/a'],
  );
  await clock.advance(HOUR);
  log.log({ scan: found }, logger);
  assert.equal(logger.lines.length, 2);
});
