// One process of a lease contest: it competes for the lease at the URL in argv and, while it leads, writes as fast
// as it can. After losing, it starts again under a new identity, like a restarted process. With `unfenced` in argv its
// writes are not checked, which shows why the fence is needed.
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from '../client/client.ts';
import { HttpsTransport } from '../client/https-transport.ts';
import { LeaderElector, type LeaseTimings, newIdentity } from '../leader-election.ts';
import { nullLogger } from '../logger.ts';
import { Metrics } from '../metrics/registry.ts';
import { realClock as clock } from '../real-clock.ts';
import { EVENTS } from '@karpenter-ts/kubernetes';

/**
 * Short timings, so that a stop of two seconds exceeds them by far. The lease duration is in whole seconds, as in the
 * API.
 */
const TIMINGS: LeaseTimings = { leaseDuration: 1000, renewDeadline: 600, retryPeriod: 150 };

const [server, mode] = process.argv.slice(2) as [string, 'fenced' | 'unfenced'];

/** Competes once. Returns when leadership is lost. */
async function compete(): Promise<void> {
  const identity = `${process.pid}_${newIdentity()}`;
  const connection = { server, insecureSkipTlsVerify: false, identity: { kind: 'none' }, impersonation: {} } as const;
  const transport = new HttpsTransport({ connection, clock, logger: nullLogger, env: {} });
  const client = new Client({ transport, clock, userAgent: identity });
  const metrics = new Metrics(clock);
  const lease = { namespace: 'default', name: 'contest' };
  const elector = new LeaderElector({ lease, identity, timings: TIMINGS, client, clock, logger: nullLogger, metrics });
  const forever = new AbortController().signal;
  await elector.acquire(forever);
  const beforeWrite = mode === 'fenced' ? elector.fence.check : undefined;
  const leading = new Client({ transport, clock, userAgent: identity, beforeWrite });
  const lost = elector.hold(forever).catch(() => 'lost');
  await Promise.all([lost, work(leading, lost)]);
  transport.close();
}

/** Writes without checking leadership, which is the fence's task. */
async function work(client: Client, lost: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  void lost.then(() => wait(500)).then(() => over.abort()); // continues for a while, like a hung reconcile
  for (let count = 0; !over.signal.aborted; count++) {
    const object = { metadata: { namespace: 'default', name: `write-${count}` } };
    await client.create(EVENTS, object, { retries: 0 }).catch(() => wait(1));
  }
}

for (;;) await compete();
