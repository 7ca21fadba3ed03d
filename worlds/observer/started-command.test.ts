import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCommand, findStartedCommand } from './started-command.ts';

const LINE = `{"level":"INFO","time":"2026-01-01T00:00:00.000Z","logger":"controller","message":"disrupting node(s)","controller":"disruption","command":"Underutilized/5b9c: replace: nodepools=[pool-0]: [a, b] -> [1 replacement] (savings: $0.12)","decision":"replace","disrupted-node-count":2,"replacement-node-count":1,"pod-count":3,"disrupted-nodes":[{"Node":{"name":"a"},"NodeClaim":{"name":"claim-a"},"capacity-type":"spot","instance-type":"m5.large"},{"Node":{"name":"b"},"NodeClaim":{"name":"claim-b"},"capacity-type":"spot","instance-type":"m5.large"}]}\n`;

test('a command is read from the line that announces it', () => {
  const command = findStartedCommand(LINE)!;
  assert.deepEqual(command, {
    reason: 'Underutilized',
    candidates: [
      { node: 'a', nodeClaim: 'claim-a' },
      { node: 'b', nodeClaim: 'claim-b' },
    ],
    replacementCount: 1,
  });
  assert.equal(describeCommand(command), 'Underutilized: [a, b] -> [1]');
});

test('other lines announce none', () => {
  assert.equal(findStartedCommand('{"level":"INFO","message":"created nodeclaim"}'), undefined);
});
