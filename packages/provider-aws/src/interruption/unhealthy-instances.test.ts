import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescribeInstanceStatusCommandInput, InstanceStatus } from '@aws-sdk/client-ec2';
import { SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { listInstanceStatuses } from './list-instance-statuses.ts';
import { unhealthyInstances } from './unhealthy-instances.ts';

const NOW = Date.UTC(2026, 0, 2);
const check = (seconds: number | undefined, Status: 'failed' | 'initializing' | 'passed' = 'failed') => ({
  Details: [
    { Name: 'reachability', Status, ...(seconds !== undefined && { ImpairedSince: new Date(NOW - seconds * SECOND) }) },
  ] as NonNullable<NonNullable<InstanceStatus['InstanceStatus']>['Details']>,
});
const event = (Description: string) => ({ Code: 'instance-retirement', Description }) as const;

const STATUSES: readonly [string, InstanceStatus, readonly string[]][] = [
  ['a system check that fails for two minutes', { SystemStatus: check(120) }, ['SystemStatus']],
  ['an instance check that fails for two minutes', { InstanceStatus: check(120) }, ['InstanceStatus']],
  ['a check that fails for less', { SystemStatus: check(119), InstanceStatus: check(60) }, []],
  ['a check that fails since nobody knows when', { InstanceStatus: check(undefined) }, ['InstanceStatus']],
  ['checks that pass', { SystemStatus: check(600, 'passed') }, []],
  ['checks that are not complete', { InstanceStatus: check(600, 'initializing') }, []],
  [
    'an event ahead, with checks that pass',
    { Events: [event('retires')], SystemStatus: check(9, 'passed') },
    ['EventStatus'],
  ],
  ['an event that is over', { Events: [event('[Completed] retires'), event('[Canceled] reboots')] }, []],
  ['an event that is over and one ahead', { Events: [event('[Completed] x'), event('retires')] }, ['EventStatus']],
  ['volumes that fail', { AttachedEbsStatus: { Details: [{ Name: 'reachability', Status: 'failed' }] } }, []],
  [
    'all of them',
    { SystemStatus: check(600), InstanceStatus: check(600), Events: [event('retires')] },
    ['InstanceStatus', 'SystemStatus', 'EventStatus'],
  ],
  ['nothing', {}, []],
];
for (const [name, status, categories] of STATUSES) {
  test(`07/110, 07/111, 08/118, 08/153 an instance with ${name}: ${categories.join(', ') || 'healthy'}`, () => {
    const expected = categories.length === 0 ? [] : [{ id: 'i-1', categories }];
    assert.deepEqual(unhealthyInstances([{ InstanceId: 'i-1', ...status }], NOW), expected);
  });
}

test('three searches are made, of all pages, and the first answer for an instance counts', async () => {
  const inputs: DescribeInstanceStatusCommandInput[] = [];
  const describeInstanceStatus = async (input: DescribeInstanceStatusCommandInput) => {
    inputs.push(input);
    const isFirst = inputs.length === 1;
    const InstanceStatuses = [{ InstanceId: isFirst ? 'i-1' : 'i-2', AvailabilityZone: `page ${inputs.length}` }];
    return { $metadata: {}, InstanceStatuses, ...(isFirst && { NextToken: 'next' }) };
  };
  const found = await listInstanceStatuses({ describeInstanceStatus }, NEVER);
  assert.deepEqual(
    found.map(({ InstanceId, AvailabilityZone }) => [InstanceId, AvailabilityZone]),
    [
      ['i-1', 'page 1'],
      ['i-2', 'page 2'],
    ],
  );
  const codes = ['instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'];
  assert.deepEqual(
    inputs.map(({ Filters, NextToken }) => [Filters?.[0]?.Name, Filters?.[0]?.Values, NextToken]),
    [
      ['instance-status.status', ['impaired'], undefined],
      ['instance-status.status', ['impaired'], 'next'],
      ['system-status.status', ['impaired'], undefined],
      ['event.code', codes, undefined],
    ],
  );
});
