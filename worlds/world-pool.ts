import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { WorldReport } from './world-process.ts';

const SCRIPT = fileURLToPath(new URL('./world-process.ts', import.meta.url));

/** Runs the worlds of these names, so many at a time, each in one of as many processes; tells of each when it is over. */
export async function runWorlds(
  names: Iterable<string>,
  { processes, bug = '' }: { readonly processes: number; readonly bug?: string | undefined },
  tell: (report: WorldReport) => void,
): Promise<void> {
  const queue = names[Symbol.iterator]();
  await Promise.all(Array.from({ length: processes }, () => runInOne(queue, bug, tell)));
}

async function runInOne(queue: Iterator<string>, bug: string, tell: (report: WorldReport) => void): Promise<void> {
  const env = { ...process.env, KARPENTER_FREEZE: '0' }; // freezing is for tests; production does not
  const child = spawn(process.execPath, [SCRIPT, bug], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of worlds ended with code ${code}`);
  });
  try {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const answer = new Promise<WorldReport>((resolve) =>
        child.once('message', (report) => resolve(report as WorldReport)),
      );
      child.send(next.value);
      tell(await Promise.race([answer, ended]));
    }
  } finally {
    ended.catch(() => undefined); // it ends because it is told to
    child.kill();
  }
}
