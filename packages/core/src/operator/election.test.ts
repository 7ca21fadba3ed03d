import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  defaultsOf,
  HttpsTransport,
  type LeaderElector,
  Metrics,
  SECOND,
  VirtualClock,
} from '@karpenter-ts/runtime';
import { operatorOptions } from '../options/operator-options.ts';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { recordingLogger } from '@karpenter-ts/runtime/testing';
import { createElector } from './election.ts';
import type { OperatorSettings } from './operator.ts';

/** How many connections there are for requests. */
const CONNECTIONS = 256;

/** A request that waits for its answer. */
interface Held {
  readonly isLease: boolean;
  answer(): void;
}

/** An API server over HTTP that knows one Lease and answers when it is told to. */
class SlowServer {
  /** Those that have arrived and are not answered, in order. */
  readonly held: Held[] = [];
  readonly #server = createServer((request, response) => void this.#take(request, response));
  #lease: object | undefined;
  #version = 0;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get heldLeases(): number {
    return this.held.filter(({ isLease }) => isLease).length;
  }

  answerAll(): void {
    for (const { answer } of this.held.splice(0)) answer();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const isLease = request.url?.includes('/leases') ?? false;
    this.held.push({
      isLease,
      answer: () => {
        if (isLease && request.method !== 'GET') this.#store(JSON.parse(body) as { metadata: object });
        const answered = isLease ? this.#lease : { metadata: { resourceVersion: '1' }, items: [] };
        response.writeHead(answered === undefined ? 404 : 200).end(JSON.stringify(answered ?? {}));
      },
    });
  }

  #store({ metadata, ...lease }: { metadata: object }): void {
    this.#lease = { ...lease, metadata: { ...metadata, resourceVersion: String(++this.#version) } };
  }
}

/** The network runs in real time, the elector in virtual time: it moves only when the network has done its part. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let waited = 0; !holds(); waited++) {
    assert.ok(waited < 2000, `not so within 20 s: ${what}`);
    await sleep(10);
  }
}

/** An elector that leads, with what else uses the same transport. */
async function startLeading(t: TestContext) {
  const server = new SlowServer();
  const clock = new VirtualClock();
  const connection = {
    server: await server.start(),
    insecureSkipTlsVerify: false,
    identity: { kind: 'none' },
    impersonation: {},
  } as const;
  const transport = new HttpsTransport({ connection, clock, logger: recordingLogger(), env: {} });
  const stop = new AbortController();
  t.after(() => {
    stop.abort();
    transport.close();
    server.stop();
  });
  const settings = {
    options: { ...defaultsOf(operatorOptions), leaderElectionNamespace: 'kube-system' },
    transport,
    clock,
    logger: recordingLogger(),
    metrics: new Metrics(clock),
    build: { version: 'test', commit: '' },
  } as unknown as OperatorSettings;
  const elector = await createElector(settings, () => undefined);
  let leads = false;
  const acquired = elector.acquire(stop.signal).then(() => {
    leads = true;
  });
  await until(() => {
    server.answerAll();
    return leads;
  }, 'the lease is acquired');
  await acquired;
  const outcome: { lost?: unknown } = {};
  void elector.hold(stop.signal).catch((error: unknown) => {
    outcome.lost = error;
  });
  const client = new Client({ transport, clock, userAgent: 'karpenter-test' });
  return { server, clock, client, elector, outcome, signal: stop.signal };
}

/** Waits for a renewal that was sent to be answered, and for the elector to know. */
async function untilRenewed(elector: LeaderElector, answer: () => void): Promise<void> {
  const before = elector.fence.remaining;
  answer();
  await until(() => elector.fence.remaining > before, 'the elector knows of its renewal');
}

test('the lease is kept while hundreds of slow creates hold every connection for requests', async (t) => {
  const { server, clock, client, elector, outcome, signal } = await startLeading(t);
  for (let i = 0; i < 300; i++) {
    client.create(NODE_CLAIMS, { metadata: { name: '', generateName: 'a-' } }, {}, signal).catch(() => undefined);
  }
  await until(() => server.held.length === CONNECTIONS, 'the creates are held by the server');
  for (let seconds = 0; seconds < 30; seconds += 2) {
    await clock.advance(2 * SECOND);
    await until(() => server.heldLeases === 1, `a renewal reaches the server after ${seconds} s`);
    await untilRenewed(elector, () => server.held.splice(CONNECTIONS).forEach(({ answer }) => answer()));
  }
  assert.equal(outcome.lost, undefined);
  assert.equal(server.held.length, CONNECTIONS);
});

test('the lease is kept with a latency of 2 s and 1,200 callers', async (t) => {
  const { server, clock, client, elector, outcome, signal } = await startLeading(t);
  const call = async (): Promise<void> => {
    while (!signal.aborted) await client.listAll(NODE_CLAIMS, {}, signal);
  };
  for (let i = 0; i < 1200; i++) call().catch(() => undefined);
  for (let seconds = 0; seconds < 24; seconds += 4) {
    await clock.advance(2 * SECOND); // the pause between two renewals
    await until(() => server.heldLeases === 1, `a renewal reaches the server after ${seconds} s`);
    await until(() => server.held.length > CONNECTIONS, 'the callers hold every other connection');
    await clock.advance(2 * SECOND); // the latency of all requests
    await untilRenewed(elector, () => server.answerAll());
  }
  assert.equal(outcome.lost, undefined);
});
