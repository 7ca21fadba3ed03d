import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { LeaderElectionLostError } from './leader-election.ts';
import { runToExit } from './run-to-exit.ts';
import { recordingLogger } from './testing/recording-logger.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

for (const name of ['SIGTERM', 'SIGINT']) {
  test(`${name} ends the run in good order, with exit code 0 and no error line`, async () => {
    const logger = recordingLogger();
    const fake = new FakeProcess();
    const run = runToExit({ start: untilAborted }, logger, fake);
    fake.emit(name, name);
    assert.equal(await run, 0);
    assert.deepEqual(logger.lines, []);
    assert.deepEqual(fake.exits, []);
    assert.deepEqual(fake.eventNames(), []);
  });
}

test('a second signal does not wait for anything', async () => {
  const fake = new FakeProcess();
  const hangs = Promise.withResolvers<void>();
  const run = runToExit({ start: () => hangs.promise }, recordingLogger(), fake);
  fake.emit('SIGTERM', 'SIGTERM');
  assert.deepEqual(fake.exits, []);
  fake.emit('SIGINT', 'SIGINT');
  assert.deepEqual(fake.exits, [1]);
  hangs.resolve();
  await run;
});

test('a failure is one ERROR line and exit code 1', async () => {
  const logger = recordingLogger();
  const start = () => Promise.reject(new Error('port taken'));
  assert.equal(await runToExit({ start }, logger, new FakeProcess()), 1);
  assert.deepEqual(
    logger.lines.map(({ level, message, error }) => [level, message, error]),
    [['error', 'problem running manager', 'port taken']],
  );
});

test('05/31 a lost lease is one ERROR line with the failure to renew, and exit code 1', async () => {
  const logger = recordingLogger();
  const start = () =>
    Promise.reject(new LeaderElectionLostError({ cause: new Error('no answer from the API server') }));
  assert.equal(await runToExit({ start }, logger, new FakeProcess()), 1);
  assert.deepEqual(
    logger.lines.map(({ level, message, error }) => [level, message, error]),
    [['error', 'leader election lost', 'no answer from the API server']],
  );
});

test('a promise that someone forgot is logged with its stack, and the process lives on', async () => {
  const logger = recordingLogger();
  const fake = new FakeProcess();
  const run = runToExit({ start: untilAborted }, logger, fake);
  fake.emit('unhandledRejection', new Error('forgotten'));
  assert.equal(logger.lines[0]?.message, 'Observed a panic');
  assert.equal(logger.lines[0]?.fields['panic'], 'Error: forgotten');
  assert.match(String(logger.lines[0]?.fields['stacktrace']), /run-to-exit\.test\.ts/);
  fake.emit('SIGTERM', 'SIGTERM');
  assert.equal(await run, 0);
});
