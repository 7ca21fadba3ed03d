// The same kubectl commands on `karpenter up` and on a real control plane: exit codes and output must be the same.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { SUITE } from './kubectl-script/manifests.ts';
import type { Outcome } from './kubectl-script/outcome.ts';
import { type KubectlTarget, runStep } from './kubectl-script/run-step.ts';
import { LEFTOVERS, SCRIPT } from './kubectl-script/script.ts';
import { titleOf } from './kubectl-script/step.ts';
import { buildComponent } from './lab/build.ts';
import { openLab } from './lab/lab.ts';

const LAUNCHER = join(import.meta.dirname, '../packages/cli/bin/karpenter.js');
const folder = mkdtempSync(join(tmpdir(), 'kubectl-script-'));
const kubeconfigPath = join(folder, 'kubeconfig');

async function startUp(): Promise<ChildProcess> {
  const up = spawn(
    process.execPath,
    [LAUNCHER, 'up', '--nodes', '0', '--no-samples', '--no-controller', '--kubeconfig', kubeconfigPath],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface(up.stdout)) if (line.startsWith('Ctrl-C')) return up;
  throw new Error('karpenter up ended before it was up');
}

async function runScript(target: KubectlTarget): Promise<readonly (readonly Outcome[])[]> {
  const outcomes: (readonly Outcome[])[] = [];
  for (const step of LEFTOVERS) await runStep(step, target);
  for (const step of SCRIPT) outcomes.push(await runStep(step, target));
  return outcomes;
}

describe(`${SCRIPT.length} kubectl commands`, () => {
  let up: ChildProcess;
  let ours: readonly (readonly Outcome[])[] = [];
  let real: readonly (readonly Outcome[])[] = [];

  before(async () => {
    up = await startUp();
    const { path: kubectlPath } = await buildComponent('kubectl');
    const target = (name: string, kubeconfig: string): KubectlTarget => {
      return { kubectlPath, kubeconfigPath: kubeconfig, cacheFolder: join(folder, name), namespace: SUITE };
    };
    const lab = target('lab', openLab().kubeconfigPath);
    [ours, real] = await Promise.all([runScript(target('up', kubeconfigPath)), runScript(lab)]);
  });

  after(() => {
    up.kill('SIGKILL'); // in case the last test did not run
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [index, step] of SCRIPT.entries()) {
    test(`${index + 1} ${titleOf(step)}`, () => assert.deepEqual(ours[index], real[index]));
  }

  test('Ctrl-C ends karpenter up in order, and its kubeconfig is gone', async () => {
    up.kill('SIGINT');
    assert.deepEqual(await once(up, 'exit'), [0, null]);
    assert.equal(existsSync(kubeconfigPath), false);
  });
});
