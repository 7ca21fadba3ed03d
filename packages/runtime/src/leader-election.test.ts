import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from './client/client.ts';
import { inProcessTransport } from './client/in-process-transport.ts';
import { HOUR, MINUTE, SECOND } from './clock.ts';
import { LeaderElectionLostError, LeaderElector, LEASE_TIMINGS, newIdentity } from './leader-election.ts';
import { NotLeaderError } from './leader-fence.ts';
import { leaseNamespace } from './lease.ts';
import { Metrics } from './metrics/registry.ts';
import { Stopwatch } from './stopwatch.ts';
import { LeaseApi } from './testing/lease-api.ts';
import { AdjustableClock } from './testing/adjustable-clock.ts';
import { recordingLogger } from './testing/recording-logger.ts';

const LEASE = { namespace: 'karpenter', name: 'karpenter-leader-election' };

/** A server and a way to put candidates before it; requests go in-process, time is virtual. */
function setUp() {
  const clock = new AdjustableClock();
  const api = new LeaseApi();
  const events: string[] = [];
  const candidate = (identity: string) => {
    const metrics = new Metrics(clock);
    const logger = recordingLogger();
    const transport = inProcessTransport(api.handle, clock);
    const elector = new LeaderElector({
      lease: LEASE,
      identity,
      client: new Client({ transport, clock, userAgent: identity }),
      clock,
      logger,
      metrics,
      random: () => 0,
      publish: (message) => events.push(message),
    });
    const stop = new AbortController();
    const status = async (): Promise<string | undefined> => {
      let page = '';
      for await (const slice of metrics.render('text')) page += slice;
      return /leader_election_master_status\{name="karpenter-leader-election"\} (\d)/.exec(page)?.[1];
    };
    return { elector, stop, logger, status };
  };
  return { clock, api, events, candidate };
}

const canWrite = (elector: LeaderElector): boolean => elector.fence.remaining > 0;

test('the first candidate creates the lease and leads; its record is upstream’s', async () => {
  const { clock, api, candidate, events } = setUp();
  const { elector, stop, logger, status } = candidate('host_1');
  assert.equal(await status(), '0');
  assert.throws(elector.fence.check, NotLeaderError);
  await elector.acquire(stop.signal);
  assert.deepEqual(api.lease?.spec, {
    holderIdentity: 'host_1',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  });
  elector.fence.check();
  assert.equal(await status(), '1');
  assert.deepEqual(events, ['host_1 became leader']);
  assert.deepEqual(
    logger.lines.map(({ message, fields }) => [message, fields['lock']]),
    [
      ['Attempting to acquire leader lease...', 'karpenter/karpenter-leader-election'],
      ['Successfully acquired lease', 'karpenter/karpenter-leader-election'],
    ],
  );
  assert.ok(clock.now() > 0);
});

test('a leader renews every two seconds with one request and keeps when it acquired', async () => {
  const { clock, api, candidate } = setUp();
  const { elector, stop } = candidate('a');
  await elector.acquire(stop.signal);
  const held = elector.hold(stop.signal);
  api.requests.length = 0;
  await clock.advance(1 * MINUTE);
  assert.deepEqual(
    api.requests,
    Array.from({ length: 30 }, () => 'PUT'),
  );
  assert.equal(api.lease?.spec?.acquireTime, '2026-01-01T00:00:00.000000Z');
  assert.equal(api.lease?.spec?.renewTime, '2026-01-01T00:01:00.000000Z');
  stop.abort();
  await held;
  assert.equal(canWrite(elector), true);
});

test('05/29 of two candidates one leads; the other takes over only after a whole lease without a renewal', async () => {
  const { clock, api, candidate } = setUp();
  const [a, b] = [candidate('a'), candidate('b')];
  await a.elector.acquire(a.stop.signal);
  const held = a.elector.hold(a.stop.signal);
  let isLedByB = false;
  void b.elector.acquire(b.stop.signal).then(() => (isLedByB = true));
  await clock.advance(10 * MINUTE);
  assert.equal(isLedByB, false);
  assert.equal(canWrite(b.elector), false);

  a.stop.abort(); // a ends without a release, as if killed
  await held;
  await clock.advance(14 * SECOND);
  assert.equal(isLedByB, false);
  assert.equal(canWrite(a.elector), false); // ten seconds were its deadline
  await clock.advance(6 * SECOND);
  assert.equal(isLedByB, true);
  assert.equal(api.lease?.spec?.leaseTransitions, 1);
});

for (const by of [-1 * HOUR, 1 * HOUR]) {
  test(`a dead leader is followed after its lease, though the wall clock is set by ${by / HOUR} h`, async () => {
    const { clock, candidate } = setUp();
    const [a, b] = [candidate('a'), candidate('b')];
    await a.elector.acquire(a.stop.signal); // and nothing holds it: a is dead
    let isLedByB = false;
    void b.elector.acquire(b.stop.signal).then(() => (isLedByB = true));
    await clock.advance(1 * SECOND);
    clock.setWallBy(by);
    await clock.advance(13 * SECOND);
    assert.equal(isLedByB, false);
    await clock.advance(6 * SECOND);
    assert.equal(isLedByB, true);
    b.stop.abort();
  });
}

test('05/30 a released lease is taken within a retry or two', async () => {
  const { clock, api, candidate, events } = setUp();
  const [a, b] = [candidate('a'), candidate('b')];
  await a.elector.acquire(a.stop.signal);
  const held = a.elector.hold(a.stop.signal);
  let isLedByB = false;
  void b.elector.acquire(b.stop.signal).then(() => (isLedByB = true));
  await clock.advance(20 * SECOND);

  a.stop.abort();
  await held;
  await a.elector.release();
  assert.equal(canWrite(a.elector), false);
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = api.lease?.spec ?? {};
  assert.deepEqual(
    { holderIdentity, leaseDurationSeconds, leaseTransitions },
    { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 },
  );
  await clock.advance(2 * SECOND);
  assert.equal(isLedByB, true);
  assert.deepEqual(events, ['a became leader', 'a stopped leading', 'b became leader']);
});

test('05/31 a leader whose renewals fail for ten seconds is one no more, and says why', async () => {
  const { clock, api, candidate, events } = setUp();
  const { elector, stop, logger, status } = candidate('a');
  await elector.acquire(stop.signal);
  const start = clock.now();
  const lost: { error?: unknown; at?: number } = {};
  void elector.hold(stop.signal).catch((error: unknown) => {
    lost.error = error;
    lost.at = clock.now() - start;
  });
  api.failWith = 500;
  await clock.advance(9 * SECOND);
  assert.equal('error' in lost, false);
  assert.equal(canWrite(elector), true);
  await clock.advance(1 * MINUTE);
  assert.ok(lost.error instanceof LeaderElectionLostError);
  assert.equal(lost.error.message, 'leader election lost');
  assert.match(String(lost.error.cause), /InternalError/);
  assert.equal(lost.at, 10 * SECOND);
  assert.equal(await status(), '0');
  assert.deepEqual(events, ['a became leader', 'a stopped leading']);
  assert.ok(logger.lines.some(({ message, level }) => message === 'Error retrieving lease lock' && level === 'error'));
});

test('a short outage does not cost the lease', async () => {
  const { clock, api, candidate } = setUp();
  const { elector, stop } = candidate('a');
  await elector.acquire(stop.signal);
  let isLost = false;
  void elector.hold(stop.signal).catch(() => (isLost = true));
  api.failWith = 503;
  await clock.advance(7 * SECOND);
  api.failWith = undefined;
  await clock.advance(1 * MINUTE);
  assert.equal(isLost, false);
  assert.equal(canWrite(elector), true);
});

test('a leader that finds another’s name on the lease stops at once, and for good', async () => {
  const { clock, api, candidate } = setUp();
  const { elector, stop } = candidate('a');
  await elector.acquire(stop.signal);
  let lost: unknown;
  void elector.hold(stop.signal).catch((error: unknown) => (lost = error));
  api.lease = {
    metadata: { ...LEASE, resourceVersion: 'other' },
    spec: { ...api.lease!.spec, holderIdentity: 'b' },
  };
  await clock.advance(2 * SECOND);
  assert.ok(lost instanceof LeaderElectionLostError);
  assert.match(String(lost.cause), /held by "b"/);
  assert.equal(canWrite(elector), false);
});

test('a leader that slept through its deadline may not write, and leads on only if nobody else has led', async () => {
  const { clock, api, candidate } = setUp();
  const { elector, stop } = candidate('a');
  await elector.acquire(stop.signal);
  await clock.advance(11 * SECOND); // nothing holds it: the process was stopped
  assert.throws(elector.fence.check, NotLeaderError);
  const held = elector.hold(stop.signal);
  await clock.advance(2 * SECOND);
  elector.fence.check();
  assert.equal(api.lease?.spec?.leaseTransitions, 0);
  stop.abort();
  await held;
});

test('neither a wall clock set back nor a host that slept keeps the fence open', async () => {
  const { clock, candidate } = setUp();
  const { elector, stop } = candidate('a');
  await elector.acquire(stop.signal);
  const { now, elapsed } = { now: clock.now(), elapsed: clock.elapsed() };
  clock.now = () => now - 3600 * SECOND;
  clock.elapsed = () => elapsed + 11 * SECOND;
  assert.equal(canWrite(elector), false);
  clock.now = () => now + 11 * SECOND;
  clock.elapsed = () => elapsed;
  assert.equal(canWrite(elector), false);
  clock.now = () => now + 9 * SECOND;
  assert.equal(canWrite(elector), true);
});

test('after its term an elector does not lead again, whatever is answered late', async () => {
  const { clock, candidate } = setUp();
  const { elector, stop } = candidate('a');
  await elector.acquire(stop.signal);
  await elector.release();
  elector.fence.open(new Stopwatch(clock));
  assert.throws(elector.fence.check, NotLeaderError);
  await assert.rejects(elector.acquire(stop.signal), /one term/);
});

test('a stop while waiting for the lease ends the wait quietly', async () => {
  const { clock, candidate, events } = setUp();
  const [a, b] = [candidate('a'), candidate('b')];
  await a.elector.acquire(a.stop.signal);
  const waiting = b.elector.acquire(b.stop.signal);
  await clock.advance(5 * SECOND);
  b.stop.abort(new Error('told to stop'));
  await assert.rejects(waiting, /told to stop/);
  await b.elector.release();
  assert.deepEqual(events, ['a became leader']);
  assert.deepEqual(
    b.logger.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

test('settings that leave no room for safety are refused', () => {
  const { clock } = setUp();
  const build = (timings: Partial<typeof LEASE_TIMINGS>, name = 'x') =>
    new LeaderElector({
      lease: { namespace: 'n', name },
      identity: newIdentity(),
      timings: { ...LEASE_TIMINGS, ...timings },
      client: new Client({ transport: inProcessTransport(new LeaseApi().handle, clock), clock, userAgent: '' }),
      clock,
      logger: recordingLogger(),
      metrics: new Metrics(clock),
    });
  assert.throws(() => build({ renewDeadline: 15 * SECOND }), /leaseDuration must be greater than renewDeadline/);
  assert.throws(
    () => build({ retryPeriod: 9 * SECOND }),
    /renewDeadline must be greater than retryPeriod\*JitterFactor/,
  );
  assert.throws(() => build({ retryPeriod: 0 }), /retryPeriod must be greater than zero/);
  assert.throws(() => build({}, ''), /LeaderElectionID must be configured/);
  assert.match(newIdentity(), /^.+_[0-9a-f-]{36}$/);
});

test('outside a cluster the lease’s namespace must be given', async () => {
  assert.equal(await leaseNamespace('kube-system'), 'kube-system');
  await assert.rejects(
    leaseNamespace('', '/nonexistent'),
    new Error(
      'unable to find leader election namespace: not running in-cluster, please specify LeaderElectionNamespace',
    ),
  );
});
