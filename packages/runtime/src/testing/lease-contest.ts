import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TransportRequest } from '../client/transport.ts';
import { LeaseApi, type LoggedWrite } from './lease-api.ts';

/** The result of a contest. */
export interface ContestReport {
  /** All writes that the server accepted, in order. */
  readonly writes: readonly LoggedWrite[];
  /** How often a process was suspended. */
  readonly stops: number;
}

const CONTENDER = fileURLToPath(new URL('./lease-contender.ts', import.meta.url));

/**
 * Lets two operating-system processes compete for one lease, and suspends one of them, usually the leader, `stops`
 * times, at random moments, briefly or for longer than the lease.
 */
export async function runContest(stops: number, mode: 'fenced' | 'unfenced'): Promise<ContestReport> {
  const api = new LeaseApi();
  const server = await serve(api);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const contenders = [0, 1].map(() => spawn(process.execPath, [CONTENDER, url, mode], { stdio: 'inherit' }));
  try {
    while (api.writes.length === 0) await wait(10);
    for (let stop = 0; stop < stops; stop++) await disturb(chooseVictim(contenders, api));
    await wait(300);
    return { writes: [...api.writes], stops };
  } finally {
    for (const contender of contenders) contender.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
}

async function serve(api: LeaseApi): Promise<Server> {
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const answer = await api.handle(
        {
          method: request.method as TransportRequest['method'],
          path: request.url!.split('?')[0]!,
          headers: { 'user-agent': request.headers['user-agent'] ?? '' },
          ...(body.length > 0 && { body }),
        },
        new AbortController().signal,
      );
      response.writeHead(answer.status, answer.headers);
      for await (const chunk of answer.body) response.write(chunk);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function chooseVictim(contenders: readonly ChildProcess[], api: LeaseApi): ChildProcess {
  const leader = contenders.find(({ pid }) => api.lease?.spec?.holderIdentity?.startsWith(`${pid}_`));
  return leader !== undefined && Math.random() < 0.8 ? leader : contenders[Math.random() < 0.5 ? 0 : 1]!;
}

async function disturb(contender: ChildProcess): Promise<void> {
  await wait(250 * Math.random());
  contender.kill('SIGSTOP');
  await wait(Math.random() < 0.4 ? 400 * Math.random() : 1050 + 400 * Math.random());
  contender.kill('SIGCONT');
}

/** The number of writes per process and identity that arrived while another held the lease. */
export function lateWrites({ writes }: ContestReport): ReadonlyMap<string, number> {
  const late = new Map<string, number>();
  for (const { writer, holder } of writes) if (writer !== holder) late.set(writer, (late.get(writer) ?? 0) + 1);
  return late;
}

/** The number of identities that have written. */
export function writers({ writes }: ContestReport): number {
  return new Set(writes.map(({ writer }) => writer)).size;
}
