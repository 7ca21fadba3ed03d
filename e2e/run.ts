import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { interruptSignal } from './lab/interrupt.ts';
import { type Lab, startLab } from './lab/lab.ts';
import { LabError } from './lab/lab-error.ts';

// npm run test:e2e -- [part of a suite's name…]: the suites, all of them or those named, against one lab.

/** The suites whose path holds one of the words; all when there are none. */
function findSuites(words: readonly string[]): readonly string[] {
  const suites = globSync('**/*.e2e.ts', { cwd: import.meta.dirname }).sort();
  const chosen = suites.filter((suite) => words.length === 0 || words.some((word) => suite.includes(word)));
  if (chosen.length === 0) throw new LabError(`no suite matches ${words.join(' ')}; there are ${suites.join(', ')}`);
  return chosen.map((suite) => join(import.meta.dirname, suite));
}

/**
 * Runs the suites in processes that inherit ours, and returns the exit code. They find the lab with `openLab()`, and as
 * they share it, they run one after the other.
 */
async function runSuites(suites: readonly string[], lab: Lab, signal: AbortSignal): Promise<number> {
  const runner = spawn(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...suites], {
    stdio: 'inherit',
    env: { ...process.env, KARPENTER_LAB_NAME: lab.name },
  });
  const stop = () => runner.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  const [code] = await once(runner, 'exit');
  signal.removeEventListener('abort', stop);
  return (code as number | null) ?? 1;
}

async function main(words: readonly string[]): Promise<number> {
  const interrupt = interruptSignal();
  const onProgress = (line: string) => void process.stderr.write(`${line}\n`);
  try {
    const suites = findSuites(words);
    const lab = await startLab({ name: `e2e-${process.pid}`, onProgress }, interrupt);
    try {
      return await runSuites(suites, lab, interrupt);
    } finally {
      await lab.stop();
    }
  } catch (error) {
    if (interrupt.aborted) return 130;
    if (!(error instanceof LabError)) throw error;
    onProgress(`e2e: ${error.message}`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
