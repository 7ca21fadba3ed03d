import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from './client/client.ts';
import { inProcessTransport } from './client/in-process-transport.ts';
import { MINUTE, SECOND } from './clock.ts';
import { type Cache, type Controller, DONE } from './controller.ts';
import { LeaderElectionLostError, LeaderElector } from './leader-election.ts';
import { Manager, type ManagerOptions } from './manager.ts';
import { Metrics } from './metrics/registry.ts';
import type { Runnable } from './runnable-group.ts';
import { singleton } from './singleton.ts';
import { LeaseApi } from './testing/lease-api.ts';
import { recordingLogger } from './testing/recording-logger.ts';
import { PODS } from './testing/fixture-client.ts';
import { SilenceableTransport } from './testing/silent-server.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A clock and a server that several managers share, and a diary of what happened. */
function setUp() {
  const clock = new VirtualClock();
  const api = new LeaseApi();
  const transport = new SilenceableTransport(inProcessTransport(api.handle, clock));
  const timeline: string[] = [];

  const runnable = (name: string, endsAfter = 0): Runnable => ({
    async start(signal) {
      timeline.push(`+${name}`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      if (endsAfter > 0) await clock.sleep(endsAfter);
      timeline.push(`-${name}`);
    },
  });
  const cache = (name: string, syncsAfter = 0): Cache & { hasSynced: boolean } => ({
    hasSynced: false,
    async start(signal) {
      clock.after(syncsAfter, () => {
        this.hasSynced = true;
      });
      await runnable(name).start(signal);
    },
  });
  const controller = (name: string, watched?: Cache): Controller => ({
    ...singleton(name, async (signal) => {
      timeline.push(`+${name}`);
      await clock.sleep(1000 * MINUTE, signal).catch(() => undefined);
      timeline.push(`-${name}`);
      return DONE;
    }),
    ...(watched && {
      sources: [
        {
          name: 'kind source: *v1.Pod',
          watched: { kind: '*v1.Pod', cache: watched },
          attach: (queue) => queue.add(''),
        },
      ],
    }),
  });
  const manage = (parts: Partial<ManagerOptions>) => {
    const logger = recordingLogger();
    const manager = new Manager({ clock, logger, metrics: new Metrics(clock), random: () => 0, ...parts });
    const stop = new AbortController();
    const outcome: { error?: unknown; at?: number } = {};
    const ended = manager.start(stop.signal).then(
      () => {
        outcome.at = clock.now();
      },
      (error: unknown) => {
        outcome.error = error;
        outcome.at = clock.now();
      },
    );
    return { manager, logger, stop, ended, outcome };
  };
  const election = (identity: string): LeaderElector =>
    new LeaderElector({
      lease: { namespace: 'karpenter', name: 'karpenter-leader-election' },
      identity,
      client: new Client({ transport, clock, userAgent: identity }),
      clock,
      logger: recordingLogger(),
      metrics: new Metrics(clock),
      random: () => 0,
    });
  return { clock, api, transport, timeline, runnable, cache, controller, manage, election };
}

test('parts start in order, each stage once the one before is ready, and stop in reverse, the lease before what does not write', async () => {
  const { clock, api, timeline, runnable, cache, controller, manage, election } = setUp();
  const { manager, stop, ended, outcome, logger } = manage({
    servers: [runnable('server', 3 * SECOND)],
    caches: [cache('cache', 5 * SECOND)],
    background: [runnable('background')],
    controllers: [controller('controller')],
    election: election('a'),
  });
  await clock.advance(4 * SECOND);
  assert.deepEqual(timeline, ['+server', '+cache']);
  assert.equal(manager.hasSynced, false);
  await clock.advance(2 * SECOND);
  assert.deepEqual(timeline, ['+server', '+cache', '+background', '+controller']);
  assert.equal(manager.hasSynced, true);

  timeline.length = 0;
  stop.abort();
  await clock.flush();
  assert.deepEqual(timeline, ['-background', '-controller', '-cache']);
  assert.equal(api.lease?.spec?.holderIdentity, '', 'the server still runs, and another may lead');
  await clock.advance(3 * SECOND);
  await ended;
  assert.deepEqual(timeline, ['-background', '-controller', '-cache', '-server']);
  assert.equal('error' in outcome, false);
  assert.deepEqual(
    logger.lines.map(({ message }) => message).filter((message) => /^(Stopping|Wait)/.test(message)),
    [
      'Stopping and waiting for non leader election runnables',
      'Stopping and waiting for leader election runnables',
      'Stopping and waiting for caches',
      'Stopping and waiting for HTTP servers',
      'Wait completed, proceeding to shutdown the manager',
    ],
  );
});

test('05/29 05/30 of two replicas both serve and keep caches, one runs controllers; on its stop the other takes over in seconds', async () => {
  const { clock, timeline, runnable, cache, controller, manage, election } = setUp();
  const replica = (name: string) =>
    manage({
      servers: [runnable(`server ${name}`)],
      caches: [cache(`cache ${name}`)],
      controllers: [controller(`controller ${name}`)],
      election: election(name),
    });
  const a = replica('a');
  await clock.advance(1 * SECOND);
  const b = replica('b');
  await clock.advance(10 * MINUTE);
  assert.deepEqual(timeline, ['+server a', '+cache a', '+controller a', '+server b', '+cache b']);
  assert.equal(b.manager.hasSynced, true);

  a.stop.abort();
  await a.ended;
  await clock.advance(5 * SECOND);
  assert.ok(timeline.indexOf('-controller a') < timeline.indexOf('+controller b'));
  b.stop.abort();
  await b.ended;
});

test('05/31 a lost lease ends the process without waiting for anything', async () => {
  const { clock, api, controller, runnable, manage, election } = setUp();
  const { ended, outcome } = manage({
    background: [runnable('never ends', 1000 * MINUTE)],
    controllers: [controller('controller')],
    election: election('a'),
  });
  await clock.advance(1 * SECOND);
  const start = clock.now();
  api.failWith = 500;
  await clock.advance(15 * SECOND);
  await ended;
  assert.ok(outcome.error instanceof LeaderElectionLostError);
  assert.ok(outcome.at! - start <= 10 * SECOND);
});

test('05/32 with warm-up the standby’s caches are synced before it wins; without, they start with the controllers', async () => {
  const { clock, timeline, cache, controller, manage, election } = setUp();
  const leader = manage({ election: election('leader') });
  await clock.advance(1 * SECOND);
  const [warm, cold] = [cache('warm'), cache('cold')];
  const standbys = [
    manage({ controllers: [controller('controller 1', warm)], election: election('b'), warmUp: true }),
    manage({ controllers: [controller('controller 2', cold)], election: election('c') }),
  ];
  await clock.advance(1 * MINUTE);
  assert.deepEqual([warm.hasSynced, cold.hasSynced], [true, false]);
  assert.deepEqual(timeline, ['+warm']);
  for (const { stop, ended } of [leader, ...standbys]) {
    stop.abort();
    await ended;
  }
  assert.deepEqual(timeline, ['+warm', '-warm']);
});

test('05/32 without an election warm-up means nothing and controllers start at once', async () => {
  const { clock, timeline, cache, controller, manage } = setUp();
  const { stop, ended } = manage({ controllers: [controller('controller', cache('cache'))], warmUp: true });
  await clock.advance(1 * SECOND);
  assert.deepEqual(timeline, ['+cache', '+controller']);
  stop.abort();
  await ended;
});

test('05/89 a controller whose cache does not sync within two minutes ends the process, naming the kind', async () => {
  const { clock, timeline, cache, controller, manage } = setUp();
  const { outcome, ended, logger } = manage({ controllers: [controller('state.pod', cache('cache', 1000 * MINUTE))] });
  await clock.advance(2 * MINUTE - 1);
  assert.equal('error' in outcome, false);
  await clock.advance(1);
  await ended;
  const text =
    'failed to wait for state.pod caches to sync kind source: *v1.Pod: timed out waiting for cache to be synced for Kind *v1.Pod';
  assert.equal((outcome.error as Error).message, text);
  const line = logger.lines.find(({ message }) => message === 'Could not wait for Cache to sync');
  assert.equal(line?.error, text);
  assert.equal(line?.fields['source'], 'kind source: *v1.Pod');
  assert.deepEqual(timeline, ['+cache', '-cache']);
});

test('caches of the manager that do not sync within two minutes end the process, naming each and why', async () => {
  const { clock, timeline, cache, controller, manage } = setUp();
  const never = { ...cache('never', 1000 * MINUTE), kind: '*v1.NodePool', lastFailure: new Error('not found') };
  const silent = { ...cache('silent', 1000 * MINUTE), kind: '*v1.Node' };
  const { outcome, ended } = manage({
    caches: [cache('early'), never, silent],
    controllers: [controller('controller')],
  });
  await clock.advance(2 * MINUTE - 1);
  assert.equal('error' in outcome, false);
  await clock.advance(1);
  await ended;
  assert.equal(
    (outcome.error as Error).message,
    'failed to wait for caches to sync: timed out waiting for cache to be synced for Kind *v1.NodePool: not found; ' +
      'timed out waiting for cache to be synced for Kind *v1.Node',
  );
  assert.deepEqual(timeline, ['+early', '+never', '+silent', '-early', '-never', '-silent']);
});

test('a cache shared by sources and the manager is started once', async () => {
  const { clock, timeline, cache, controller, manage } = setUp();
  const shared = cache('cache');
  const { stop, ended } = manage({ caches: [shared], controllers: [controller('a', shared), controller('b', shared)] });
  await clock.advance(1 * SECOND);
  assert.deepEqual(timeline, ['+cache', '+a', '+b']);
  stop.abort();
  await ended;
});

test('what does not stop within thirty seconds fails the stop, and the lease is kept until it expires', async () => {
  const { clock, api, controller, runnable, manage, election } = setUp();
  const { stop, ended, outcome } = manage({
    background: [runnable('slow', 31 * SECOND)],
    controllers: [controller('controller')],
    election: election('a'),
  });
  await clock.advance(1 * SECOND);
  stop.abort();
  await clock.advance(30 * SECOND - 1);
  assert.equal('error' in outcome, false);
  await clock.advance(1);
  await ended;
  assert.equal((outcome.error as Error).message, 'failed waiting for all runnables to end within grace period of 30s');
  assert.equal(api.lease?.spec?.holderIdentity, 'a');
});

test('servers that do not stop within thirty seconds fail the stop, but not the hand-over', async () => {
  const { clock, api, timeline, controller, runnable, manage, election } = setUp();
  const parts = (name: string, slow: number): Partial<ManagerOptions> => ({
    servers: [runnable(`server ${name}`, slow)],
    controllers: [controller(`controller ${name}`)],
    election: election(name),
  });
  const a = manage(parts('a', 1000 * MINUTE));
  await clock.advance(1 * SECOND);
  const b = manage(parts('b', 0));
  await clock.advance(10 * SECOND);
  a.stop.abort();
  await clock.advance(5 * SECOND);
  assert.equal(api.lease?.spec?.holderIdentity, 'b');
  assert.ok(timeline.includes('+controller b'));
  assert.equal('at' in a.outcome, false);
  await clock.advance(25 * SECOND);
  await a.ended;
  assert.match(String(a.outcome.error), /within grace period of 30s/);
  b.stop.abort();
  await b.ended;
});

test('a stop does not wait for an API server that says nothing, whatever it was asked', async () => {
  const { clock, transport, cache, controller, manage, election } = setUp();
  const replicas = ['leader', 'standby'].map((name) =>
    manage({ caches: [cache(name)], controllers: [controller(name)], election: election(name) }),
  );
  await clock.advance(20 * SECOND);
  transport.isSilent = true;
  await clock.advance(4.5 * SECOND);
  assert.deepEqual(new Set(transport.unanswered.map((request) => request.split(' ')[0])), new Set(['PUT', 'GET']));
  const start = clock.now();
  for (const { stop } of replicas) stop.abort();
  await clock.advance(10 * SECOND);
  for (const { ended, outcome } of replicas) {
    await ended;
    assert.equal('error' in outcome, false);
    assert.ok(outcome.at! - start <= 2 * SECOND, `${outcome.at! - start} ms`);
  }
});

for (const [answer, after, holder] of [
  ['an answer that comes in time', 500, ''],
  ['no answer', undefined, 'a'],
] as const) {
  test(`a write under way at the stop is waited for; with ${answer} the lease is held by "${holder}" then`, async () => {
    const { clock, api, transport, manage, election } = setUp();
    const elector = election('a');
    const slow = new SilenceableTransport(transport);
    const client = new Client({
      transport: slow,
      clock,
      userAgent: 'controller',
      beforeWrite: elector.fence.enter,
      writeGrace: 1 * SECOND,
    });
    const writer = singleton('writer', async (signal) => {
      await client.create(PODS, { metadata: { name: 'a' } }, {}, signal);
      return DONE;
    });
    slow.isSilent = true;
    const { stop, ended, outcome } = manage({ controllers: [writer], election: elector });
    await clock.advance(1 * SECOND);
    assert.equal(slow.unanswered.length, 1);
    const start = clock.now();
    stop.abort();
    if (after !== undefined) {
      await clock.advance(after);
      slow.answer();
    }
    await clock.advance(5 * SECOND);
    await ended;
    assert.equal('error' in outcome, false);
    assert.equal(outcome.at! - start, after ?? 1 * SECOND);
    assert.equal(api.lease?.spec?.holderIdentity, holder);
  });
}

test('a part that fails stops all others in order and is the outcome', async () => {
  const { clock, timeline, runnable, controller, manage } = setUp();
  const { ended, outcome } = manage({
    servers: [
      runnable('server'),
      { start: () => clock.sleep(3 * SECOND).then(() => Promise.reject(new Error('port taken'))) },
    ],
    controllers: [controller('controller')],
  });
  await clock.advance(5 * SECOND);
  await ended;
  assert.match(String(outcome.error), /port taken/);
  assert.deepEqual(timeline, ['+server', '+controller', '-controller', '-server']);
});

test('a stop in the middle of the start starts nothing more', async () => {
  const { clock, timeline, runnable, cache, controller, manage, election } = setUp();
  const { stop, ended, outcome } = manage({
    caches: [cache('cache', 10 * SECOND)],
    background: [runnable('background')],
    controllers: [controller('controller')],
    election: election('a'),
  });
  await clock.advance(5 * SECOND);
  stop.abort();
  await clock.advance(1 * MINUTE);
  await ended;
  assert.equal('error' in outcome, false);
  assert.deepEqual(timeline, ['+cache', '-cache']);
});

test('events are sent from first to last and flushed after the lease is given up', async () => {
  const { clock, api, timeline, runnable, manage, election } = setUp();
  const events = {
    ...runnable('events'),
    async flush(timeout: number) {
      timeline.push(`flush ${timeout}, holder "${api.lease?.spec?.holderIdentity}"`);
    },
  };
  const { stop, ended } = manage({ events, servers: [runnable('server')], election: election('a') });
  await clock.advance(1 * SECOND);
  stop.abort();
  await ended;
  await clock.flush();
  assert.deepEqual(timeline, ['+events', '+server', '-server', 'flush 5000, holder ""', '-events']);
});
