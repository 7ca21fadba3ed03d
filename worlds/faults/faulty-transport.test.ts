import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConnectionError,
  SECOND,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  VirtualClock,
} from '@karpenter-ts/runtime';
import { ApiFaultInjector } from './api-fault-injector.ts';
import type { ApiFault } from './api-fault.ts';
import { FaultyTransport } from './faulty-transport.ts';

/** A server that answers 200 and keeps what it was asked. */
function start() {
  const clock = new VirtualClock();
  const served: string[] = [];
  const server: Transport = {
    send: async ({ method, path }) => {
      served.push(`${method} ${path}`);
      return { status: 200, headers: {}, body: (async function* () {})(), discard: () => undefined };
    },
    close: () => undefined,
  };
  const injector = new ApiFaultInjector(clock);
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const deaths: string[] = [];
  const die = (where: string, downFor: number): void => {
    deaths.push(`${where}, for ${downFor}`);
    transport.die();
  };
  const transport: FaultyTransport = new FaultyTransport({
    server,
    clock,
    injector,
    disturbed: () => undefined,
    watch: async () => undefined,
    tell,
    die,
  });
  const send = (method: TransportRequest['method'], path: string): Promise<TransportResponse> =>
    clock.runUntil(transport.send({ method, path, headers: {} }));
  return { clock, served, injector, deaths, told, send };
}

const OUTCOMES: readonly (readonly [ApiFault, answer: number | typeof ConnectionError, served: number])[] = [
  ['error', 500, 0],
  ['conflict', 409, 0],
  ['throttle', 429, 0],
  ['refuse', ConnectionError, 0],
  ['lose', ConnectionError, 1],
  ['delay', 200, 1],
  ['repeat', 200, 2],
];
for (const [fault, answer, count] of OUTCOMES) {
  test(`a request that meets "${fault}" reaches the server ${count} times`, async () => {
    const { injector, served, send, told } = start();
    injector.breakRequests({ nth: 1 }, fault, 1);
    const sending = send('PATCH', '/a');
    if (typeof answer === 'number') assert.equal((await sending).status, answer);
    else await assert.rejects(sending, answer);
    assert.equal(served.length, count);
    assert.deepEqual(told, [`PATCH /a meets ${fault}`]);
    assert.equal((await send('PATCH', '/a')).status, 200);
  });
}

test('only the requests that are meant are broken, from the nth on', async () => {
  const { injector, send } = start();
  injector.breakRequests({ method: 'POST', path: 'pods', nth: 2 }, 'error', 2);
  const codes: number[] = [];
  for (const [method, path] of [
    ['POST', '/pods'],
    ['GET', '/pods'],
    ['POST', '/nodes'],
    ['POST', '/pods'],
    ['POST', '/pods'],
    ['POST', '/pods'],
  ] as const) {
    codes.push((await send(method, path)).status);
  }
  assert.deepEqual(codes, [200, 200, 200, 500, 500, 200]);
  assert.equal(injector.injectedCount, 2);
});

test('an outage lasts as long as it should', async () => {
  const { clock, injector, send } = start();
  injector.beginOutage(10 * SECOND);
  await assert.rejects(send('GET', '/a'), ConnectionError);
  await clock.advance(10 * SECOND);
  assert.equal((await send('GET', '/a')).status, 200);
});

for (const [when, count] of [
  ['before', 1],
  ['after', 2],
] as const) {
  test(`who is killed ${when} a write gets no answer, and is never heard again`, async () => {
    const { injector, served, send, deaths } = start();
    injector.killAtWrite(2, when, 5);
    await send('POST', '/api/v1/namespaces/default/events');
    served.length = 0;
    await send('PUT', '/first');
    await assert.rejects(send('PUT', '/second'), ConnectionError);
    await assert.rejects(send('GET', '/third'), ConnectionError);
    assert.deepEqual(deaths, [`${when} PUT /second, for 5`]);
    assert.equal(served.length, count);
  });
}
