// One of the processes of a lease contest: competes for the lease at the URL in argv and, while it leads, writes as
// fast as it can. Having lost, it starts over under a new name, as a restarted process would. With `unfenced` in argv
// nothing checks its writes, to show what would happen then.
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from '../client/client.ts';
import { HttpsTransport } from '../client/https-transport.ts';
import { LeaderElector, type LeaseTimings, newIdentity } from '../leader-election.ts';
import { nullLogger } from '../logger.ts';
import { Metrics } from '../metrics/registry.ts';
import { realClock as clock } from '../real-clock.ts';
import { EVENTS } from '@karpenter-ts/kubernetes';

/** So short that a stop of two seconds is an age; whole seconds for the lease, as the API has it. */
const TIMINGS: LeaseTimings = { leaseDuration: 1000, renewDeadline: 600, retryPeriod: 150 };

const [server, mode] = process.argv.slice(2) as [string, 'fenced' | 'unfenced'];

/** Competes once: returns when leadership is lost. */
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

/** Writes without asking whether it may: that is the fence's business. */
async function work(client: Client, lost: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  void lost.then(() => wait(500)).then(() => over.abort()); // goes on for a while, as a hung reconcile would
  for (let count = 0; !over.signal.aborted; count++) {
    const object = { metadata: { namespace: 'default', name: `write-${count}` } };
    await client.create(EVENTS, object, { retries: 0 }).catch(() => wait(1));
  }
}

for (;;) await compete();
