import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SECOND } from '../clock.ts';
import { realClock } from '../real-clock.ts';
import { VirtualClock } from '../virtual-clock.ts';
import type { ExecPlugin } from './connection.ts';
import { ExecCredentials } from './exec-credentials.ts';
import { ConnectionError } from './transport.ts';

const V1 = 'client.authentication.k8s.io/v1';

/** A plugin made of a shell script, which finds its runs counted in the file `runs` beside it. */
async function plugin(t: TestContext, script: string, rest: Partial<ExecPlugin> = {}, isTerminal = false) {
  const folder = await mkdtemp(join(tmpdir(), 'exec-'));
  t.after(() => rm(folder, { recursive: true }));
  const command = join(folder, 'plugin');
  await writeFile(command, `#!/bin/sh\ncd "$(dirname "$0")"\necho run >> runs\n${script}\n`);
  await chmod(command, 0o755);
  const clock = new VirtualClock();
  const stale: string[] = [];
  const source = new ExecCredentials({
    plugin: { command, args: [], env: {}, apiVersion: V1, interactiveMode: 'IfAvailable', installHint: '', ...rest },
    clock,
    env: { PATH: process.env['PATH'] },
    isTerminal,
    onStale: (error) => stale.push(error.message),
  });
  const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length;
  return { source, clock, runs, stale, folder };
}

type Made = Awaited<ReturnType<typeof plugin>>;

async function untilExists(file: string): Promise<void> {
  while (!existsSync(file)) await realClock.sleep(5);
}

/** Whether it runs: one that has ended and that nobody has asked about is still listed, as a zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const print = (status: object, apiVersion = V1): string =>
  `cat <<'END'\n${JSON.stringify({ kind: 'ExecCredential', apiVersion, status })}\nEND`;

const inMinutes = (clock: VirtualClock, minutes: number): string =>
  new Date(clock.now() + minutes * 60 * SECOND).toISOString();

test('a token is kept until a minute before it expires', async (t) => {
  const expirationTimestamp = inMinutes(new VirtualClock(), 15);
  const { source, clock, runs } = await plugin(t, print({ token: 'abc', expirationTimestamp }));
  const [first, second] = await Promise.all([source.current(), source.current()]); // one run serves both
  assert.equal(first.authorization, 'Bearer abc');
  assert.equal(second, first);
  await clock.advance(13.9 * 60 * SECOND);
  assert.equal(await source.current(), first);
  assert.equal(await runs(), 1);
  await clock.advance(0.2 * 60 * SECOND);
  await source.current();
  assert.equal(await runs(), 2);
});

test('a refused credential is asked for afresh', async (t) => {
  const { source, runs } = await plugin(t, print({ token: 'abc' }));
  const first = await source.current();
  source.refuse(first);
  assert.notEqual(await source.current(), first);
  source.refuse(first); // no longer the one in use
  await source.current();
  assert.equal(await runs(), 2);
});

/** A plugin that fails from its second run on, and its credential shortly before that expires. */
async function agedPlugin(t: TestContext) {
  const expirationTimestamp = inMinutes(new VirtualClock(), 15);
  const started = await plugin(
    t,
    `[ "$(wc -l < runs)" -gt 1 ] && exit 3\n${print({ token: 'abc', expirationTimestamp })}`,
  );
  const first = await started.source.current();
  await started.clock.advance(14.5 * 60 * SECOND);
  return { ...started, first };
}

test('a refresh that fails leaves the credential that still is valid, for ten seconds at a time', async (t) => {
  const { first, source, clock, runs, stale } = await agedPlugin(t);
  assert.equal((await source.current()).authorization, first.authorization);
  await source.current();
  assert.equal(await runs(), 2);
  assert.match(stale[0] ?? '', /failed with exit code 3/);
  await clock.advance(30 * SECOND);
  await assert.rejects(source.current(), /failed with exit code 3/);
});

test('a refresh that fails leaves every request that waits for it the credential that still is valid', async (t) => {
  const { first, source, runs, stale } = await agedPlugin(t);
  const credentials = await Promise.all(Array.from({ length: 50 }, () => source.current()));
  assert.deepEqual(new Set(credentials), new Set([first]));
  assert.equal(await runs(), 2);
  assert.equal(stale.length, 1);
});

test('a request gives up on a plugin that hangs when its signal says so, and the run goes on for the others', async (t) => {
  const { source, folder } = await plugin(t, `mkfifo go; : > ready; read _ < go\n${print({ token: 'abc' })}`);
  const deadline = new AbortController();
  const impatient = source.current(deadline.signal);
  const patient = source.current();
  deadline.abort(new Error('no answer within 5s'));
  await assert.rejects(impatient, { message: 'no answer within 5s' });
  await assert.rejects(source.current(deadline.signal), { message: 'no answer within 5s' });
  await untilExists(join(folder, 'ready'));
  await writeFile(join(folder, 'go'), '\n');
  assert.equal((await patient).authorization, 'Bearer abc');
});

test('while the credential is valid, a plugin that hangs holds requests for two seconds and is heard when it answers', async (t) => {
  const [old, fresh] = [15, 30].map((minutes) => inMinutes(new VirtualClock(), minutes));
  const { source, clock, runs, stale, folder } = await plugin(
    t,
    `if [ "$(wc -l < runs)" -gt 1 ]; then
       mkfifo go; : > ready; read _ < go
       ${print({ token: 'new', expirationTimestamp: fresh })}
     else
       ${print({ token: 'old', expirationTimestamp: old })}
     fi`.replace(/^ +/gm, ''),
  );
  await source.current();
  await clock.advance(14.5 * 60 * SECOND);
  const waiting = [source.current(), source.current()];
  await untilExists(join(folder, 'ready'));
  await clock.advance(2 * SECOND);
  for (const credential of await Promise.all(waiting)) assert.equal(credential.authorization, 'Bearer old');
  assert.equal((await source.current()).authorization, 'Bearer old'); // without waiting
  assert.match(stale[0] ?? '', /takes longer than 2s/);
  await writeFile(join(folder, 'go'), '\n');
  while ((await source.current()).authorization !== 'Bearer new') await realClock.sleep(5);
  assert.equal(await runs(), 2);
});

test('a credential that is refused while its successor takes long is not handed out again', async (t) => {
  const [old, fresh] = [15, 30].map((minutes) => inMinutes(new VirtualClock(), minutes));
  const { source, clock, folder } = await plugin(
    t,
    `if [ "$(wc -l < runs)" -gt 1 ]; then
       mkfifo go; : > ready; read _ < go
       ${print({ token: 'new', expirationTimestamp: fresh })}
     else
       ${print({ token: 'old', expirationTimestamp: old })}
     fi`.replace(/^ +/gm, ''),
  );
  const first = await source.current();
  await clock.advance(14.5 * 60 * SECOND);
  const waiting = source.current();
  source.refuse(first);
  await untilExists(join(folder, 'ready'));
  await clock.advance(2 * SECOND);
  await writeFile(join(folder, 'go'), '\n');
  assert.equal((await waiting).authorization, 'Bearer new');
});

for (const [how, end, message] of [
  ['after a minute', ({ clock }) => clock.advance(60 * SECOND), /printed nothing within 60s/],
  ['with the transport', async ({ source }) => source.close(), /transport is closed/],
] as const satisfies readonly [string, (made: Made) => Promise<void>, RegExp][]) {
  test(`a plugin that hangs is ended ${how}, with all it has started`, async (t) => {
    // The shell waits for a child that holds standard output, too: to end the shell alone would change nothing.
    const made = await plugin(t, 'sleep 1000 & echo $! > pids; echo $$ >> pids; : > ready; wait');
    const waiting = assert.rejects(made.source.current(), { name: 'ConnectionError', message });
    await untilExists(join(made.folder, 'ready'));
    const pids = (await readFile(join(made.folder, 'pids'), 'utf8')).trim().split('\n').map(Number);
    await end(made);
    await waiting;
    for (const pid of pids) while (isAlive(pid)) await realClock.sleep(5);
  });
}

test('a plugin that may not be killed, as one that became another user, is given up and ends nothing else', async (t) => {
  const made = await plugin(t, 'echo $$ > pid; : > ready; exec sleep 20');
  const waiting = assert.rejects(made.source.current(), { message: /printed nothing within 60s/ });
  await untilExists(join(made.folder, 'ready'));
  const pid = Number(await readFile(join(made.folder, 'pid'), 'utf8'));
  t.after(() => process.kill(pid, 'SIGKILL'));
  t.mock.method(process, 'kill', () => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  await made.clock.advance(60 * SECOND); // rejects with what a timer throws
  await waiting;
  t.mock.restoreAll();
});

test('certificates are taken as well as tokens', async (t) => {
  const { source } = await plugin(t, print({ clientCertificateData: 'C', clientKeyData: 'K' }));
  assert.deepEqual(await source.current(), { authorization: undefined, certificate: { cert: 'C', key: 'K' } });
});

test('a plugin gets its arguments, variables and the request in KUBERNETES_EXEC_INFO', async (t) => {
  const { source, folder } = await plugin(
    t,
    `echo "$1 $WHO" > seen; echo "$KUBERNETES_EXEC_INFO" > info\n${print({ token: 'x' })}`,
    { args: ['get-token'], env: { WHO: 'me' }, clusterInfo: { server: 'https://a' } },
  );
  await source.current();
  assert.equal(await readFile(join(folder, 'seen'), 'utf8'), 'get-token me\n');
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'info'), 'utf8')), {
    kind: 'ExecCredential',
    apiVersion: V1,
    spec: { interactive: false, cluster: { server: 'https://a' } },
  });
});

test('interactiveMode Always needs a terminal', async (t) => {
  const { source } = await plugin(t, print({ token: 'x' }), { interactiveMode: 'Always' });
  await assert.rejects(source.current(), {
    message: 'exec plugin cannot support interactive mode: standard input is not a terminal',
  });
});

for (const [what, script, message] of [
  ['no status', `echo '{"apiVersion":"${V1}"}'`, `exec plugin didn't return a status field`],
  ['a status of null', `echo '{"apiVersion":"${V1}","status":null}'`, `exec plugin didn't return a status field`],
  ['null for all', print({ token: null, clientKeyData: null }), `exec plugin didn't return a token or cert/key pair`],
  ['nothing of use', print({}), `exec plugin didn't return a token or cert/key pair`],
  ['half a pair', print({ clientKeyData: 'K' }), 'exec plugin returned only certificate or key, not both'],
  [
    'another version',
    print({ token: 'x' }, 'client.authentication.k8s.io/v1beta1'),
    `exec plugin is configured to use API version ${V1}, plugin returned version client.authentication.k8s.io/v1beta1`,
  ],
] as const) {
  test(`a plugin that prints ${what} is told so in client-go’s words`, async (t) => {
    const { source } = await plugin(t, script);
    await assert.rejects(source.current(), { name: 'ConnectionError', message });
  });
}

for (const [output, message] of [
  ['s3cret', 'decoding stdout: not valid JSON'],
  ['{"status":{"token":"s3cret"}', 'decoding stdout: not valid JSON'],
  ['null', 'decoding stdout: not an object'],
  [`{"apiVersion":"${V1}","status":"s3cret"}`, 'decoding stdout: status is not an object'],
  [`{"apiVersion":"${V1}","status":{"token":53}}`, 'decoding stdout: status.token is not a string'],
  [
    `{"apiVersion":"${V1}","status":{"token":"s3cret","expirationTimestamp":"s3cret"}}`,
    'decoding stdout: status.expirationTimestamp is not a time',
  ],
  [
    `{"apiVersion":"${V1}","status":{"token":"s3cret→"}}`,
    'exec plugin returned a token with characters that no header may hold',
  ],
] as const) {
  test(`a plugin that prints ${output} is told so without its output`, async (t) => {
    const { source } = await plugin(t, `echo '${output}'`);
    await assert.rejects(
      source.current(),
      (error: Error) => error.message === message && error.cause === undefined && error instanceof ConnectionError,
    );
  });
}

test('a plugin that prints without end is ended', async (t) => {
  const { source } = await plugin(t, 'exec cat /dev/zero');
  await assert.rejects(source.current(), /^ConnectionError: exec: executable \S+ printed more than 1 MiB$/);
});

test('a plugin that no process can be given is refused without its texts', async (t) => {
  const { source } = await plugin(t, '', { args: ['s3cret\0'] });
  await assert.rejects(source.current(), {
    name: 'ConnectionError',
    message: 'exec: command, args or env of the plugin hold a null byte',
  });
});

test('a plugin that is not installed is told with its hint', async (t) => {
  const { source } = await plugin(t, '', { command: 'no-such-plugin', installHint: 'run: brew install it' });
  await assert.rejects(source.current(), {
    message: 'exec: executable no-such-plugin not found\n\nrun: brew install it',
  });
});
