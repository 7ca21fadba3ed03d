import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { goEnvironment } from '../../e2e/lab/go-toolchain.ts';

const MODULE = join(import.meta.dirname, '../upstream');
const PACKAGE = 'sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling';

/**
 * Compiles upstream's own benchmark (minutes, the first time) and runs each of the named ones once. Returns pods per
 * second by name. Throws if there is no Go or the build fails.
 */
export async function measureUpstream(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'karpenter-bench-'));
  try {
    const binary = join(folder, 'scheduling.test');
    const env = goEnvironment();
    const build = ['test', '-c', '-mod=readonly', '-trimpath', '-tags', 'test_performance', '-o', binary, PACKAGE];
    await promisify(execFile)('go', build, { cwd: MODULE, env });
    return readFigures(await runBenchmarks(binary, folder, names));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runBenchmarks(binary: string, folder: string, names: readonly string[]): Promise<string> {
  const pattern = `^(${names.join('|')})$`;
  const args = ['-test.run', '^$', '-test.bench', pattern, '-test.benchtime', '1x', '-test.timeout', '60m'];
  const child = spawn(binary, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Of lines such as `BenchmarkScheduling50-2  1  120999 ns/op  10.00 nodes  50.00 pods  413.0 pods/sec`. */
function readFigures(output: string): ReadonlyMap<string, number> {
  const figures = output.matchAll(/^(Benchmark\w+?)(?:-\d+)?\s.*?\s([\d.e+]+) pods\/sec/gm);
  return new Map([...figures].map(([, name, podsPerSecond]) => [name!, Number(podsPerSecond)]));
}
