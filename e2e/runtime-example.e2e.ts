// The example of docs/runtime.md, as written, against the lab.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLab } from './lab/lab.ts';

const ROOT = join(import.meta.dirname, '..');

test('the example controller of docs/runtime.md counts keys and stops in order', async () => {
  const lab = openLab();
  const [, source] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/runtime.md'), 'utf8'))!;
  const example = spawn(process.execPath, ['--input-type=module-typescript', '-e', source!], {
    cwd: ROOT,
    env: { ...process.env, KUBECONFIG: lab.kubeconfigPath },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(example, 'exit'); // from now on: it may end by itself
  const written: string[] = [];
  example.stdout.on('data', (chunk: Buffer) => written.push(String(chunk)));
  example.stderr.on('data', (chunk: Buffer) => written.push(String(chunk)));
  const name = `counted-${process.pid}`;
  try {
    await lab.kubectl(['create', 'configmap', name, '--from-literal=a=1', '--from-literal=b=2']);
    assert.equal(await untilCounted(name, '2'), '2', written.join(''));
    await lab.kubectl(['patch', 'configmap', name, '--type=merge', '-p', '{"data":{"c":"3"}}']);
    assert.equal(await untilCounted(name, '3'), '3', written.join(''));
  } finally {
    example.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    await lab.kubectl(['delete', 'configmap', name]);
    assert.equal(code, 0, written.join(''));
  }
  assert.match(written.join(''), /"message":"counted keys".*"controller":"configmap\.counter".*"keys":"2"/);

  async function untilCounted(object: string, keys: string): Promise<string> {
    let seen = '';
    for (let attempt = 0; attempt < 300 && seen !== keys; attempt++) {
      await sleep(200);
      seen = await lab.kubectl(['get', 'configmap', object, '-o', 'jsonpath={.metadata.annotations.keys}']);
    }
    return seen;
  }
});
