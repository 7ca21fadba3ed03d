import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createLogger } from '../logger.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { hasColors } from './console-line.ts';
import { type OutputStream, openSinks, type Sinks } from './sinks.ts';

class FakeStream implements OutputStream {
  text = '';
  isBroken = false;
  fail: (error: Error) => void = () => undefined;

  write(text: string): void {
    if (this.isBroken) this.fail(new Error('EPIPE'));
    else this.text += text;
  }

  on(_event: 'error', listener: (error: Error) => void): void {
    this.fail = listener;
  }
}

interface Environment {
  readonly stdout: FakeStream;
  readonly stderr: FakeStream;
  readonly folder: string;
  readonly open: (...paths: readonly string[]) => Sinks;
}

function environment(t: TestContext): Environment {
  const folder = mkdtempSync(join(tmpdir(), 'sinks-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [stdout, stderr] = [new FakeStream(), new FakeStream()];
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const open = (...paths: readonly string[]): Sinks => {
    const sinks = openSinks({ paths, errorPaths: ['stderr'], stdout, stderr, clock });
    t.after(sinks.close);
    return sinks;
  };
  return { stdout, stderr, folder, open };
}

test('05/75 with two output paths both sinks receive lines', (t) => {
  const { stdout, folder, open } = environment(t);
  const file = join(folder, 'karpenter.log');
  const { write } = open('stdout', file);
  const logger = createLogger({ level: 'info', clock: new VirtualClock(), write, format: 'json' });
  logger.info('one');
  logger.info('two');
  assert.equal(stdout.text.split('\n').length, 3);
  assert.equal(readFileSync(file, 'utf8'), stdout.text);
});

test('files are appended to, by path or by URL', (t) => {
  const { folder, open } = environment(t);
  const file = join(folder, 'a.log');
  writeFileSync(file, 'old\n');
  open(pathToFileURL(file).href).write('new\n');
  assert.equal(readFileSync(file, 'utf8'), 'old\nnew\n');
});

test('a sink that cannot be opened is a failure to start', (t) => {
  const { folder, open } = environment(t);
  assert.throws(() => open(join(folder, 'no', 'such')), /couldn't open sink ".*such"/);
  assert.throws(
    () => open('http://example.com'),
    (error: Error) => (error.cause as Error).message === 'no sink found for scheme "http"',
  );
});

test('a broken stream is reported to the error sink and keeps no other from its lines', (t) => {
  const { stdout, stderr, folder, open } = environment(t);
  const file = join(folder, 'a.log');
  const sinks = open('stdout', file);
  stdout.isBroken = true;
  sinks.write('line\n');
  assert.equal(readFileSync(file, 'utf8'), 'line\n');
  assert.equal(stderr.text, '2026-01-01T00:00:00.000Z write error: EPIPE\n');
});

test('colours are for terminals whose user has not said otherwise', () => {
  const terminal = { isTTY: true };
  assert.equal(hasColors(terminal, {}), true);
  assert.equal(hasColors(terminal, { NO_COLOR: '1' }), false);
  assert.equal(hasColors(terminal, { NO_COLOR: '' }), true);
  assert.equal(hasColors(terminal, { TERM: 'dumb' }), false);
  assert.equal(hasColors({}, {}), false);
  assert.equal(hasColors({}, { FORCE_COLOR: '1' }), true);
  assert.equal(hasColors(terminal, { FORCE_COLOR: '0' }), false);
});
