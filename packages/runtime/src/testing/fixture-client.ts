import type { CallerOptions } from '../client/caller.ts';
import { Client } from '../client/client.ts';
import type { Connection } from '../client/connection.ts';
import { HttpsTransport } from '../client/https-transport.ts';
import { nullLogger } from '../logger.ts';
import { realClock } from '../real-clock.ts';
import type { SteadyClock } from '../steady-clock.ts';

export { PODS } from '@karpenter-ts/kubernetes';

/** A connection to a server without credentials. `rest` overrides fields. */
export function testConnection(server: string, rest: Partial<Connection> = {}): Connection {
  return { server, insecureSkipTlsVerify: false, identity: { kind: 'none' }, impersonation: {}, ...rest };
}

export function testTransport(
  connection: Connection,
  clock: SteadyClock = realClock,
  env: NodeJS.ProcessEnv = {},
): HttpsTransport {
  return new HttpsTransport({ connection, clock, env, logger: nullLogger });
}

/** A client of a plain HTTP server, in real time, without rate limits. The caller must close it. */
export function testClient(server: string, rest: Partial<CallerOptions> = {}): { client: Client; close: () => void } {
  const transport = testTransport(testConnection(server));
  const client = new Client({ transport, clock: realClock, userAgent: 'karpenter/test', ...rest });
  return { client, close: () => transport.close() };
}
