import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { COMPONENTS, type ComponentName, getVersion, moduleFolder } from './components.ts';
import { type GoToolchain, getGoToolchain, goEnvironment } from './go-toolchain.ts';
import { LabError } from './lab-error.ts';
import { withLock } from './lock.ts';
import { logTail } from './log-tail.ts';
import { type ProcessIdentity, startProgram, stopProcess } from './processes.ts';
import { writeWholeFile } from './whole-file.ts';

/** A component that is built: where it is and what it is. */
export interface Binary<Name extends ComponentName = ComponentName> {
  readonly name: Name;
  readonly version: string;
  readonly path: string;
  /** True if there was nothing to build. */
  readonly cached: boolean;
}

interface BuildOptions {
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const GO_GRACE_MS = 5_000;

/**
 * Builds a component unless the cache has it. A binary appears in the cache whole or not at all, so an interrupted
 * build is simply repeated, and Go's own cache keeps what was compiled. Throws a LabError when Go is missing or the
 * build fails.
 */
export async function buildComponent<Name extends ComponentName>(
  name: Name,
  { onProgress, signal }: BuildOptions = {},
): Promise<Binary<Name>> {
  const version = getVersion(name);
  const key = `${name}-${version}-${cacheKey(buildInputs(name, await getGoToolchain(moduleFolder(name))))}`;
  const folder = join(cacheFolder(), 'bin', key);
  const path = join(folder, name); // clients tell the API server the name of their program: it must be the real one
  if (existsSync(folder)) return { name, version, path, cached: true };
  const onWait = () => onProgress?.(`${name} ${version}: waiting for another process that builds it`);
  const lock = join(cacheFolder(), 'locks', `build-${key}`);
  await withLock(lock, () => compile({ name, key, folder }, { onProgress, signal }), { onWait, signal });
  return { name, version, path, cached: false };
}

interface Compilation {
  readonly name: ComponentName;
  readonly key: string;
  readonly folder: string;
}

async function compile({ name, key, folder }: Compilation, { onProgress, signal }: BuildOptions): Promise<void> {
  if (existsSync(folder)) return; // whoever had the lock before us has built it
  signal?.throwIfAborted();
  const scratch = join(cacheFolder(), 'build', key);
  await clearScratch(scratch);
  const title = `${name} ${getVersion(name)}`;
  onProgress?.(`${title}: building …`);
  const started = Date.now();
  await runGo(scratch, name, signal);
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(join(scratch, 'out'), folder);
  rmSync(scratch, { recursive: true });
  onProgress?.(`${title}: built in ${formatDuration(Date.now() - started)}`);
}

/** A killed predecessor may have left its compiler running, which would take half of the CPU. */
async function clearScratch(scratch: string): Promise<void> {
  const record = builderPath(scratch);
  if (existsSync(record)) {
    await stopProcess(JSON.parse(readFileSync(record, 'utf8')) as ProcessIdentity, GO_GRACE_MS);
  }
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(join(scratch, 'out'), { recursive: true });
}

async function runGo(scratch: string, name: ComponentName, signal?: AbortSignal): Promise<void> {
  const logPath = join(scratch, 'log');
  const { identity, exited } = startProgram({
    path: 'go',
    args: ['build', ...buildFlags(name), '-o', join(scratch, 'out', name), COMPONENTS[name].package],
    folder: moduleFolder(name),
    env: goEnvironment(),
    logPath,
    record: (go) => writeWholeFile(builderPath(scratch), JSON.stringify(go)),
  });
  let stopped = Promise.resolve();
  const stop = (): void => {
    stopped = stopProcess(identity, GO_GRACE_MS);
  };
  signal?.addEventListener('abort', stop);
  const exit = await exited;
  signal?.removeEventListener('abort', stop);
  await stopped;
  signal?.throwIfAborted();
  if (!exit.succeeded) throw new LabError(`building ${name} failed, go ${exit.how}:\n${logTail(logPath)}`);
}

const builderPath = (scratch: string): string => join(scratch, 'builder.json');

/** The build resolves no versions: what go.mod and go.sum do not pin is an error. */
function buildFlags(name: ComponentName): readonly string[] {
  const variables = Object.entries(COMPONENTS[name].linkVariables(getVersion(name)));
  const link = ['-s', '-w', ...variables.map(([variable, value]) => `-X ${variable}=${value}`)];
  return ['-mod=readonly', '-trimpath', `-ldflags=${link.join(' ')}`];
}

/** All that decides what comes out of a build. */
function buildInputs(name: ComponentName, go: GoToolchain): readonly string[] {
  const file = (base: string) => readFileSync(join(moduleFolder(name), base), 'utf8');
  return [file('go.mod'), file('go.sum'), COMPONENTS[name].package, ...buildFlags(name), go.version, go.platform];
}

/** Equal inputs have equal keys; where one input ends and the next begins counts too. */
export function cacheKey(inputs: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 16);
}

/** "42.3 s", "6 min 24 s". */
export function formatDuration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
