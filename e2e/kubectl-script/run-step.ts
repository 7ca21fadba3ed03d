import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { comparable, type Outcome } from './outcome.ts';
import type { Step } from './step.ts';

/** A cluster and the kubectl to ask it with. */
export interface KubectlTarget {
  readonly kubectlPath: string;
  readonly kubeconfigPath: string;
  /** A cache folder for each run, because kubectl caches a server's capabilities by its address. */
  readonly cacheFolder: string;
  readonly namespace: string;
}

/** For one call; longer than any of them may wait by itself. */
const TIMEOUT_MS = 300_000;
const ASK_AGAIN_MS = 200;

/** Runs a step and returns its comparable outcome; those of steps during it come behind. */
export async function runStep(step: Step, target: KubectlTarget): Promise<readonly Outcome[]> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const outcomes = await runOnce(step, target);
    const { until: shown = /^/ } = step;
    const isShown = outcomes.some(({ stdout, stderr }) => shown.test(stdout) || shown.test(stderr));
    if (isShown || Date.now() > deadline) return outcomes;
    await sleep(ASK_AGAIN_MS);
  }
}

async function runOnce(step: Step, target: KubectlTarget): Promise<readonly Outcome[]> {
  const child = start(step, target);
  const outcome = outcomeOf(child);
  const inner: Outcome[] = [];
  if (step.during) {
    const [begun, ended] = [shown(child, /./), shown(child, step.during.end)];
    await begun;
    for (const during of step.during.steps) inner.push(...(await runStep(during, target)));
    await ended;
    child.kill('SIGTERM');
  }
  return [comparable(await outcome, step), ...inner];
}

function start({ args, input = '', edit }: Step, target: KubectlTarget): ChildProcess {
  const child = spawn(target.kubectlPath, ['--namespace', target.namespace, ...args], {
    env: {
      ...process.env,
      KUBECONFIG: target.kubeconfigPath,
      KUBECACHEDIR: target.cacheFolder,
      KUBE_EDITOR: `sed -i -e '${edit}'`, // with quotes, kubectl asks a shell
    },
    timeout: TIMEOUT_MS,
  });
  child.stdin?.on('error', () => undefined); // it need not read its input
  child.stdin?.end(input);
  return child;
}

/** Resolves when the output printed since then matches, or when the child has exited. */
async function shown({ stdout }: ChildProcess, what: RegExp): Promise<void> {
  let seen = '';
  await new Promise<void>((resolve) => {
    const look = (chunk: Buffer): void => {
      seen += chunk.toString();
      if (!what.test(seen)) return;
      stdout!.off('data', look);
      resolve();
    };
    stdout!.on('data', look).once('end', resolve);
  });
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { exitCode, stdout, stderr };
}
