import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SdkHandler } from '@karpenter-ts/aws-emulator';
import { AwsCallInjector } from './aws-call-injector.ts';
import { awsConnection } from './aws-connection.ts';

const CREATE = { method: 'POST', path: '/', headers: {}, body: 'Action=CreateFleet&ClientToken=a' };
const READ = { method: 'POST', path: '/', headers: {}, body: 'Action=DescribeInstances' };
const DELETE = {
  method: 'POST',
  path: '/',
  headers: { 'x-amz-target': 'AmazonSQS.DeleteMessage' },
  body: '{"ReceiptHandle":"r"}',
};

/** An AWS that keeps what it was asked, and breaks the connection where it is told to. */
function start(fails = false) {
  const served: string[] = [];
  const seen: string[] = [];
  const end = new AbortController();
  const aws: SdkHandler = {
    handle: async ({ body }) => {
      served.push(String(body));
      if (fails) throw new Error('reset');
      return { response: { statusCode: 200, headers: {}, body: Buffer.from('done') } };
    },
  };
  const injector = new AwsCallInjector();
  const connection = awsConnection({
    aws,
    injector,
    checker: {
      asking: async ({ operation, parameters }) =>
        void seen.push(`asks ${operation} ${[...parameters.values()].at(-1)}`),
      told: ({ operation }, body) => void seen.push(`told ${operation} ${body}`),
      untold: ({ operation }) => void seen.push(`untold ${operation}`),
    },
    die: (where) => end.abort(new Error(where)),
    dead: end.signal,
  });
  return { connection, injector, served, seen, end };
}

test('what an operator asks of AWS and is told is seen, whatever the protocol', async () => {
  const { connection, seen } = start();
  await connection.handle(CREATE);
  await connection.handle(DELETE);
  assert.deepEqual(seen, [
    'asks CreateFleet a',
    'told CreateFleet done',
    'asks DeleteMessage r',
    'told DeleteMessage done',
  ]);
});

test('a broken connection tells nothing', async () => {
  const { connection, seen } = start(true);
  await assert.rejects(connection.handle(CREATE));
  assert.deepEqual(seen, ['asks CreateFleet a', 'untold CreateFleet']);
});

for (const [when, count] of [
  ['before', 1],
  ['after', 2],
] as const) {
  test(`who is killed ${when} a call that changes something is never heard again`, async () => {
    const { connection, injector, served, end } = start();
    injector.killAtWrite(2, when, 0);
    await connection.handle(CREATE);
    await connection.handle(READ);
    served.splice(0, 1, 'first');
    served.splice(1);
    await assert.rejects(connection.handle(CREATE));
    await assert.rejects(connection.handle(READ));
    assert.equal(served.length, count);
    assert.equal(end.signal.reason.message, `${when} CreateFleet`);
    assert.equal(injector.injectedCount, 1);
  });
}
