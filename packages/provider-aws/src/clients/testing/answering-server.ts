import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Metrics, nullLogger, realClock } from '@karpenter-ts/runtime';
import { type AwsClients, createAwsApis } from '../create-aws-apis.ts';

/** A request as the server got it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (request: Received, response: ServerResponse, count: number) => void;

/** A server that answers as told, and remembers what it was asked. Ends with the test. */
export async function startServer(t: TestContext, answer: Answer) {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      answer(one, response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export const KEYS = { AWS_REGION: 'us-west-2', AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

/** Clients of services that all are at `url`. Retries do not wait. */
export async function startClients(t: TestContext, url: string, env: NodeJS.ProcessEnv = {}) {
  const metrics = new Metrics(realClock);
  const clients: AwsClients = await createAwsApis({
    env: { ...KEYS, AWS_ENDPOINT_URL: url, ...env },
    clock: realClock,
    logger: nullLogger,
    metrics,
    version: '1.14.1',
    random: () => 0,
  });
  t.after(() => clients.close());
  return { ...clients, metrics };
}

export const NEVER: AbortSignal = new AbortController().signal;
