import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import type { MessageFault } from '../plan/aws-step.ts';
import { MessageCourier } from './message-courier.ts';

async function deliver(fault?: MessageFault): Promise<{ arrived: readonly string[]; onTime: readonly boolean[] }> {
  const clock = new VirtualClock();
  const arrived: string[] = [];
  const onTime: boolean[] = [];
  const courier = new MessageCourier({
    clock,
    send: (body) => arrived.push(body),
    onMessage: (message) => onTime.push(message.isOnTime),
  });
  const end = fault && courier.begin(fault);
  courier.take('a');
  courier.take('b');
  end?.();
  courier.take('c');
  await clock.advance(2 * MINUTE);
  return { arrived, onTime };
}

const CASES: readonly (readonly [fault: MessageFault | undefined, arrived: string, onTime: string])[] = [
  [undefined, 'abc', 'true,true,true'],
  ['lost', 'c', 'false,false,true'],
  ['repeated', 'abcab', 'true,true,true'],
  ['reordered', 'bca', 'false,true,true'],
];
for (const [fault = 'brought', arrived, onTime] of CASES) {
  test(`messages that are ${fault} arrive as ${arrived}`, async () => {
    const delivered = await deliver(fault === 'brought' ? undefined : fault);
    assert.equal(delivered.arrived.join(''), arrived);
    assert.equal(delivered.onTime.join(), onTime);
  });
}
