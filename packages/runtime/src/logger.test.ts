import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from './clock.ts';
import { createLogger, type LoggerSettings, nullLogger, type RootLogger, withCommit } from './logger.ts';
import { StructuredError } from './logging/structured-error.ts';
import { durationText, LoggedRef } from './logging/value-text.ts';
import { Metrics } from './metrics/registry.ts';
import { VirtualClock } from './virtual-clock.ts';

interface Environment {
  readonly logger: RootLogger;
  readonly lines: string[];
  readonly clock: VirtualClock;
  readonly metrics: Metrics;
}

function environment(settings: Partial<LoggerSettings> = {}): Environment {
  const lines: string[] = [];
  const clock = new VirtualClock(Date.UTC(2026, 10, 16, 9, 5, 3, 7));
  const metrics = new Metrics(clock);
  const write = (line: string): void => void lines.push(line);
  return {
    logger: createLogger({ level: 'info', clock, write, format: 'json', metrics, ...settings }),
    lines,
    clock,
    metrics,
  };
}

test('a line has its keys in order: level, time, logger, message, context, call, error', () => {
  const { logger, lines } = environment();
  const reconcile = logger.with({ controller: 'nodeclaim.lifecycle', NodeClaim: new LoggedRef({ name: 'default-x' }) });
  reconcile.named('launch').error('failed launching nodeclaim', new Error('no capacity'), {
    duration: durationText(1500),
    pods: new LoggedRef({ namespace: 'web', name: 'a' }),
    absent: undefined,
  });
  assert.deepEqual(lines, [
    '{"level":"ERROR","time":"2026-11-16T09:05:03.007Z","logger":"controller.launch","message":"failed launching nodeclaim",' +
      '"controller":"nodeclaim.lifecycle","NodeClaim":{"name":"default-x"},"duration":"1.5s",' +
      '"pods":{"name":"a","namespace":"web"},"error":"no capacity"}\n',
  ]);
});

test('05/71 info shows neither DEBUG lines nor callers, debug both, error only ERROR', () => {
  const levelsAt = (level: LoggerSettings['level']): unknown[] => {
    const { logger, lines } = environment({ level });
    logger.debug('why not');
    logger.info('what changed');
    logger.error('what failed');
    return lines.map((line) => {
      const { level: shown, caller } = JSON.parse(line) as { level: string; caller?: string };
      return [shown, caller === undefined ? 'no caller' : caller.replace(/:\d+$/, '')];
    });
  };
  assert.deepEqual(levelsAt('error'), [['ERROR', 'no caller']]);
  assert.deepEqual(levelsAt('info'), [
    ['INFO', 'no caller'],
    ['ERROR', 'no caller'],
  ]);
  assert.deepEqual(levelsAt('debug'), [
    ['DEBUG', 'src/logger.test.ts'],
    ['INFO', 'src/logger.test.ts'],
    ['ERROR', 'src/logger.test.ts'],
  ]);
});

test('a change of level takes effect at once on all derived loggers', () => {
  const { logger, lines } = environment();
  const derived = logger.with({ a: 1 }).named('part');
  derived.debug('unseen');
  logger.setLevel('debug');
  assert.ok(derived.isEnabled('debug'));
  derived.debug('seen');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { message: string }).message),
    ['seen'],
  );
});

test('05/74 of 10,000 equal lines in one second 199 are written, and the others counted', async () => {
  const { logger, lines, clock, metrics } = environment();
  const dropped = async (): Promise<string> => {
    let page = '';
    for await (const slice of metrics.render('text')) page += slice;
    return page;
  };
  for (let i = 0; i < 10_000; i++) logger.info('waiting', { i });
  assert.equal(lines.length, 199);
  assert.match(await dropped(), /karpenter_log_lines_dropped_total\{level="info"\} 9801\n/);
  logger.error('waiting');
  logger.info('waiting for something else');
  assert.equal(lines.length, 201);
  await clock.advance(1 * SECOND);
  logger.info('waiting');
  assert.equal(lines.length, 202);
});

test('facts of an error become keys before it', () => {
  const { logger, lines } = environment();
  const denied = new StructuredError('denied', { 'aws-status-code': 403, 'aws-error-code': 'UnauthorizedOperation' });
  logger.error('failed', new Error('launching instance', { cause: denied }), { zone: 'a' });
  assert.equal(
    lines[0]!.slice(lines[0]!.indexOf('"zone"')),
    '"zone":"a","aws-error-code":"UnauthorizedOperation","aws-status-code":403,' +
      '"error":"launching instance, denied (aws-error-code=UnauthorizedOperation, aws-status-code=403)"}\n',
  );
});

test('a key of both the logger and the call appears once, with the value of the call', () => {
  const { logger, lines } = environment();
  logger.with({ name: 'outer', b: 1 }).info('m', { name: 'inner' });
  assert.match(lines[0]!, /"message":"m","name":"inner","b":1\}\n$/);
});

test('no value can make a line invalid or throw', () => {
  const { logger, lines } = environment();
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  logger.info('odd', { circle, big: 2n ** 63n, nan: NaN, fails: new Error('inner'), nested: [{ at: 5n }], none: null });
  logger.error('thrown', { code: 7 });
  logger.error('nothing', null);
  const [odd, thrown, nothing] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.match(String(odd!['circleError']), /circular/);
  assert.deepEqual(
    [odd!['big'], odd!['nan'], odd!['fails'], odd!['nested'], odd!['none']],
    ['9223372036854775808', 'NaN', 'inner', [{ at: '5' }], null],
  );
  assert.equal(thrown!['error'], '{ code: 7 }');
  assert.equal('error' in nothing!, false);
});

test('the commit is on every line, or its absence is told once', () => {
  const { logger, lines } = environment();
  withCommit(logger, 'abcdef0').info('started');
  withCommit(logger, undefined).info('started');
  assert.deepEqual(
    lines.map((line) => {
      const { message, commit } = JSON.parse(line) as { message: string; commit?: string };
      return [message, commit];
    }),
    [
      ['started', 'abcdef0'],
      ['Unable to read vcs.revision from binary', undefined],
      ['started', undefined],
    ],
  );
});

test('the null logger says nothing, derived or not', () => {
  assert.equal(nullLogger.with({ a: 1 }).named('x').isEnabled('error'), false);
});

test('the console format is made for people, with colours only if asked for', () => {
  const plain = environment({ format: 'console' });
  plain.logger.with({ controller: 'provisioner' }).error('failed', new Error('no "capacity"'), {
    pods: ['a', 'b'],
    node: new LoggedRef({ name: 'n' }),
    note: '',
  });
  assert.deepEqual(plain.lines, [
    '09:05:03.007 ERROR failed controller=provisioner pods="[a b]" node=n note="" error="no \\"capacity\\""\n',
  ]);
  const coloured = environment({ format: 'console', hasColors: true });
  coloured.logger.info('ready');
  assert.deepEqual(coloured.lines, ['\x1b[2m09:05:03.007\x1b[22m \x1b[32mINFO \x1b[39m \x1b[1mready\x1b[22m\n']);
});
