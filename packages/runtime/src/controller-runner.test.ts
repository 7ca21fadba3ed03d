import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from './client/status-error.ts';
import { MINUTE, SECOND } from './clock.ts';
import { type Controller, DONE, RETRY, type Result, TerminalError } from './controller.ts';
import { ControllerRunner } from './controller-runner.ts';
import { Metrics } from './metrics/registry.ts';
import type { Enqueuer } from './queue/work-queue.ts';
import { singleton } from './singleton.ts';
import { recordingLogger } from './testing/recording-logger.ts';
import { VirtualClock } from './virtual-clock.ts';

type Reconcile = Controller['reconcile'];

/** A running controller whose keys the test puts in by hand; stops with the test. */
async function run(
  t: { after(end: () => void): void },
  reconcile: Reconcile,
  settings: Partial<Controller> = {},
  clock = new VirtualClock(),
) {
  const metrics = new Metrics(clock);
  const logger = recordingLogger();
  const stop = new AbortController();
  let queue!: Enqueuer<string>;
  const source = { name: 'test', attach: (enqueuer: Enqueuer<string>) => void (queue = enqueuer) };
  const controller = { name: 'test', sources: [source], reconcile, ...settings };
  const deps = { clock, logger, metrics, random: () => 0, syncSource: async () => {} };
  const ended = new ControllerRunner(controller, deps).start(stop.signal);
  t.after(() => stop.abort());
  await clock.flush();
  const page = async (): Promise<string> => {
    let text = '';
    for await (const slice of metrics.render('text')) text += slice;
    return text;
  };
  return { clock, logger, queue, stop, ended, page };
}

test('a controller shows all its families at zero from the start', async (t) => {
  const { page } = await run(t, async () => DONE, { concurrency: 7 });
  const lines = (await page()).split('\n');
  for (const line of [
    'controller_runtime_reconcile_total{controller="test",result="error"} 0',
    'controller_runtime_reconcile_total{controller="test",result="requeue_after"} 0',
    'controller_runtime_reconcile_total{controller="test",result="requeue"} 0',
    'controller_runtime_reconcile_total{controller="test",result="success"} 0',
    'controller_runtime_reconcile_errors_total{controller="test"} 0',
    'controller_runtime_terminal_reconcile_errors_total{controller="test"} 0',
    'controller_runtime_reconcile_panics_total{controller="test"} 0',
    'controller_runtime_reconcile_timeouts_total{controller="test"} 0',
    'controller_runtime_max_concurrent_reconciles{controller="test"} 7',
    'controller_runtime_active_workers{controller="test"} 0',
  ]) {
    assert.ok(lines.includes(line), line);
  }
});

test('05/39 a reconciler that always fails is tried after 5 ms, 10 ms, 20 ms …, and anew after a success', async (t) => {
  const clock = new VirtualClock();
  const start = clock.now();
  const tries: number[] = [];
  const { queue, logger, page } = await run(
    t,
    async () => {
      tries.push(clock.now() - start);
      if (tries.length === 5) return DONE;
      throw new Error('out of capacity');
    },
    { kind: { group: 'karpenter.sh', kind: 'NodeClaim' } },
    clock,
  );
  queue.add('claim-1');
  await clock.advance(1 * MINUTE);
  assert.deepEqual(tries, [0, 5, 15, 35, 75]);
  queue.add('claim-1');
  await clock.advance(5);
  assert.equal(tries.at(-1)! - tries.at(-2)!, 5);

  const line = logger.lines.find(({ message }) => message === 'Reconciler error')!;
  assert.equal(line.level, 'error');
  assert.equal(line.error, 'out of capacity');
  const { reconcileID, ...fields } = line.fields;
  assert.match(String(reconcileID), /^[0-9a-f-]{36}$/);
  assert.deepEqual(Object.entries(fields), [
    ['controller', 'test'],
    ['controllerGroup', 'karpenter.sh'],
    ['controllerKind', 'NodeClaim'],
    ['NodeClaim', { name: 'claim-1' }],
    ['namespace', ''],
    ['name', 'claim-1'],
  ]);
  assert.match(await page(), /reconcile_total\{controller="test",result="success"\} 1\n/);
});

test('requeueAfter is kept to and forgets earlier failures', async (t) => {
  const clock = new VirtualClock();
  const start = clock.now();
  const results: (Result | Error)[] = [
    new Error('1'),
    new Error('2'),
    { requeueAfter: 10 * SECOND },
    new Error('3'),
    DONE,
  ];
  const tries: number[] = [];
  const { queue, page } = await run(
    t,
    async () => {
      tries.push(clock.now() - start);
      const result = results.shift()!;
      if (result instanceof Error) throw result;
      return result;
    },
    {},
    clock,
  );
  queue.add('key');
  await clock.advance(1 * MINUTE);
  assert.deepEqual(tries, [0, 5, 15, 10_015, 10_020]);
  assert.match(await page(), /reconcile_total\{controller="test",result="requeue_after"\} 1\n/);
});

test('05/40 a bug in a reconciler is counted, logged with its stack and retried; the process survives', async (t) => {
  const thrown: unknown[] = [new TypeError('x is not a function'), 'a string', { code: 7 }];
  const { queue, clock, logger, page } = await run(t, async () => {
    if (thrown.length === 0) return DONE;
    throw thrown.shift();
  });
  queue.add('key');
  await clock.advance(1 * SECOND);
  const errors = logger.lines.filter(({ message }) => message === 'Reconciler error').map(({ error }) => error);
  assert.deepEqual(errors, [
    'panic: TypeError: x is not a function [recovered]',
    'panic: a string [recovered]',
    'panic: { code: 7 } [recovered]',
  ]);
  const seen = logger.lines.find(({ message }) => message === 'Observed a panic');
  assert.match(String(seen?.fields['stacktrace']), /controller-runner\.test\.ts/);
  assert.match(await page(), /reconcile_panics_total\{controller="test"\} 3\n/);
  assert.match(await page(), /reconcile_errors_total\{controller="test"\} 3\n/);
  assert.match(await page(), /result="success"\} 1\n/);
});

test('a reconciler that throws before it returns a promise is caught, too', async (t) => {
  const { queue, clock, page } = await run(t, () => {
    throw new Error('at once');
  });
  queue.add('key');
  await clock.advance(1);
  assert.match(await page(), /reconcile_errors_total\{controller="test"\} 1\n/);
});

test('a write conflict, wrapped or not, is retried with back-off but without an error', async (t) => {
  const conflict = new StatusError({ code: 409, reason: 'Conflict', message: 'the object has been modified' });
  const thrown = [conflict, new Error('patching status', { cause: conflict })];
  const { queue, clock, logger, page } = await run(t, async () => {
    if (thrown.length === 0) return DONE;
    throw thrown.shift();
  });
  queue.add('key');
  await clock.advance(1 * SECOND);
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error'),
    [],
  );
  assert.match(await page(), /result="requeue"\} 2\n/);
  assert.match(await page(), /result="success"\} 1\n/);
  assert.match(await page(), /reconcile_errors_total\{controller="test"\} 0\n/);
});

test('a pass that asks to be tried again is, with growing delays and without an error', async (t) => {
  const clock = new VirtualClock();
  const start = clock.now();
  const tries: number[] = [];
  const { queue, page } = await run(
    t,
    async () => {
      tries.push(clock.now() - start);
      return tries.length < 4 ? RETRY : DONE;
    },
    {},
    clock,
  );
  queue.add('key');
  await clock.advance(1 * SECOND);
  assert.deepEqual(tries, [0, 5, 15, 35]);
  assert.match(await page(), /result="requeue"\} 3\n/);
  assert.match(await page(), /reconcile_errors_total\{controller="test"\} 0\n/);
});

test('a terminal error is logged and counted, and the key left alone until it changes', async (t) => {
  let tries = 0;
  const { queue, clock, logger, page } = await run(t, async () => {
    tries++;
    throw new Error('wrapped', { cause: new TerminalError(new Error('no such family')) });
  });
  queue.add('key');
  await clock.advance(1 * MINUTE);
  assert.equal(tries, 1);
  assert.match(await page(), /terminal_reconcile_errors_total\{controller="test"\} 1\n/);
  assert.match(await page(), /[^l]_reconcile_errors_total\{controller="test"\} 1\n/);
  assert.equal(logger.lines.filter(({ message }) => message === 'Reconciler error').length, 1);
  queue.add('key');
  await clock.flush();
  assert.equal(tries, 2);
});

test('a terminal error may ask for another look, which begins without a history of failures', async (t) => {
  const tries: number[] = [];
  const { queue, clock } = await run(t, async () => {
    tries.push(clock.elapsed());
    throw new TerminalError(new Error('not in this version'), { requeueAfter: 1 * MINUTE });
  });
  const start = clock.elapsed();
  queue.add('key');
  await clock.advance(2 * MINUTE);
  assert.deepEqual(
    tries.map((at) => at - start),
    [0, 1 * MINUTE, 2 * MINUTE],
  );
});

test('05/42 a key added thrice while it runs is reconciled exactly once more, and never twice at a time', async (t) => {
  let running = 0;
  let most = 0;
  let passes = 0;
  const { queue, clock } = await run(
    t,
    async (_key, signal) => {
      passes++;
      most = Math.max(most, ++running);
      await clock.sleep(1 * SECOND, signal);
      running--;
      return DONE;
    },
    { concurrency: 10 },
  );
  queue.add('key');
  await clock.flush();
  for (let i = 0; i < 3; i++) queue.add('key');
  await clock.advance(1 * MINUTE);
  assert.deepEqual({ passes, most }, { passes: 2, most: 1 });
});

test('a key that hangs holds up neither other keys nor, in the end, the stop', async (t) => {
  const handled: string[] = [];
  const { queue, clock, stop, ended, page } = await run(
    t,
    async (key, signal) => {
      if (key === 'hangs')
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      handled.push(key);
      return DONE;
    },
    { concurrency: 2 },
  );
  for (const key of ['hangs', 'a', 'b', 'c']) queue.add(key);
  await clock.advance(1 * MINUTE);
  assert.deepEqual(handled, ['a', 'b', 'c']);
  assert.match(await page(), /active_workers\{controller="test"\} 1\n/);
  stop.abort();
  await ended;
});

test('at most as many keys run at once as the concurrency allows, and all get their turn', async (t) => {
  let running = 0;
  let most = 0;
  let passes = 0;
  const { queue, clock } = await run(
    t,
    async () => {
      passes++;
      most = Math.max(most, ++running);
      await clock.sleep(10);
      running--;
      return DONE;
    },
    { concurrency: 30 },
  );
  for (let i = 0; i < 100; i++) queue.add(`key-${i}`);
  await clock.advance(40);
  assert.deepEqual({ passes, most }, { passes: 100, most: 30 });
});

test('a full queue of quick keys lets the event loop turn in between', async (t) => {
  let passes = 0;
  const seen: number[] = [];
  const { queue, clock } = await run(
    t,
    async () => {
      passes++;
      return DONE;
    },
    { concurrency: 1000 },
  );
  for (let i = 0; i < 200; i++) queue.add(`key-${i}`);
  const watch = (): void => {
    seen.push(passes);
    if (passes < 200) setImmediate(watch);
  };
  setImmediate(watch);
  await clock.flush();
  assert.equal(passes, 200);
  assert.ok(seen.length >= 20, `others ran ${seen.length} times`);
});

test('stopping takes no new key, lets passes under way end, and says so', async (t) => {
  let ended = 0;
  let passes = 0;
  const controller = await run(t, async () => {
    passes++;
    await controller.clock.sleep(5 * SECOND); // deaf to the signal, as a write should be
    ended++;
    return { requeueAfter: 1 };
  });
  const { queue, clock, stop, logger } = controller;
  queue.add('under way');
  queue.add('waiting');
  await clock.flush();
  stop.abort();
  await clock.advance(4 * SECOND);
  assert.equal(ended, 0);
  await clock.advance(1 * MINUTE);
  await controller.ended;
  assert.deepEqual({ passes, ended }, { passes: 1, ended: 1 });
  assert.deepEqual(
    logger.lines.map(({ message }) => message),
    [
      'Starting EventSource',
      'Starting Controller',
      'Starting workers',
      'Shutdown signal received, waiting for all workers to finish',
      'All workers finished',
    ],
  );
});

test('what a pass throws because it was told to stop is no error', async (t) => {
  const { queue, clock, stop, ended, logger } = await run(t, async (_key, signal) => {
    await clock.sleep(1 * MINUTE, signal);
    return DONE;
  });
  queue.add('key');
  await clock.flush();
  stop.abort();
  await ended;
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

test('a singleton runs at the start, then as its results ask, and stops for ever on DONE', async (t) => {
  const clock = new VirtualClock();
  const start = clock.now();
  const results: Result[] = [{ requeueAfter: 0 }, { requeueAfter: 10 * SECOND }, DONE];
  const passes: number[] = [];
  const controller = singleton('disruption', async (_signal, logger) => {
    passes.push(clock.now() - start);
    logger.info('in a pass');
    return results.shift()!;
  });
  const { logger } = await run(t, controller.reconcile.bind(controller), controller, clock);
  await clock.advance(1 * MINUTE);
  assert.deepEqual(passes, [0, 0, 10_000]);
  const { fields } = logger.lines.find(({ message }) => message === 'in a pass')!;
  assert.deepEqual(
    { ...fields, reconcileID: '' },
    { controller: 'disruption', namespace: '', name: '', reconcileID: '' },
  );
});
