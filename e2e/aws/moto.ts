import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../lab/cache.ts';
import { LabError } from '../lab/lab-error.ts';
import { withLock } from '../lab/lock.ts';
import { findFreePorts } from '../lab/ports.ts';
import { waitUntilReady } from '../lab/readiness.ts';

/** What the notes of the contract's cases are about. Another version may be able to do more. */
export const MOTO_VERSION = '5.2.5';

export interface Moto {
  readonly endpoint: string;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

interface Progress {
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The Python that has moto. Installs it from PyPI unless the cache has it; throws a LabError if that cannot be done. */
export async function installMoto({ onProgress, signal }: Progress): Promise<string> {
  const folder = join(cacheFolder(), 'moto', MOTO_VERSION);
  const python = join(folder, 'bin', 'python3');
  const isWhole = join(folder, 'installed'); // written last: an installation that was interrupted is begun anew
  await withLock(
    join(cacheFolder(), 'locks', `moto-${MOTO_VERSION}`),
    async () => {
      if (existsSync(isWhole)) return;
      onProgress(`installing moto ${MOTO_VERSION} from PyPI`);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      await run('python3', ['-m', 'venv', folder], 'Python 3 with its venv module is needed', signal);
      const install = [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        `moto[server]==${MOTO_VERSION}`,
      ];
      await run(python, install, `moto ${MOTO_VERSION} cannot be installed from PyPI`, signal);
      writeFileSync(isWhole, '');
    },
    { onWait: () => onProgress('another process installs moto'), signal },
  );
  return python;
}

/** The server, in a process that ends with ours, even if ours is killed: its standard input is a pipe from us. */
const SERVER = `
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
from moto.server import main
main(sys.argv[1:])
`;

const LOG_LINES = 20;

/** Starts moto on the loopback address. Resolves when it answers. */
export async function startMoto(python: string, signal: AbortSignal): Promise<Moto> {
  const [port] = await findFreePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn(python, ['-c', SERVER, '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let log: readonly string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = [...log, ...text.trimEnd().split('\n')].slice(-LOG_LINES);
  });
  const exited = once(child, 'exit').then(
    () => undefined,
    (error: Error) => void (log = [...log, error.message]),
  );
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL'); // it keeps nothing that would have to be saved
    await exited;
  };
  const failed = new AbortController();
  void exited.then(() => failed.abort(new LabError(`moto ended:\n${log.join('\n')}`)));
  try {
    await waitUntilReady([{ url: `${endpoint}/moto-api/data.json` }], AbortSignal.any([signal, failed.signal]));
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

async function run(program: string, args: readonly string[], need: string, signal: AbortSignal): Promise<void> {
  try {
    await promisify(execFile)(program, args, { signal, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    signal.throwIfAborted();
    const { stderr = '', stdout = '', message } = error as Error & { stderr?: string; stdout?: string };
    const said = `${stdout}${stderr}`.trim() || message;
    throw new LabError(`${need}: ${said.split('\n').slice(-LOG_LINES).join('\n')}`);
  }
}
