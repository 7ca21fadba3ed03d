import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheKey } from '../../e2e/lab/build.ts';
import { cacheFolder } from '../../e2e/lab/cache.ts';
import { getGoToolchain, goEnvironment } from '../../e2e/lab/go-toolchain.ts';

const MODULE = join(import.meta.dirname, '../upstream');
const PACKAGE = 'sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling';
const FLAGS = ['-mod=readonly', '-trimpath', '-tags', 'test_performance'];

/** Whether upstream's own benchmark can run on this host, and if not, why. */
export type Upstream =
  | { readonly kind: 'here'; readonly benchmark: UpstreamBenchmark }
  | { readonly kind: 'missing'; readonly why: string };

/** Upstream's own benchmark of its planner, compiled. */
export interface UpstreamBenchmark {
  /** Pods per second of one of its benchmarks: the median of so many runs. */
  measure(name: string, runs: number): Promise<number>;
}

/** Finds the compiled benchmark, or compiles it if Go is installed, which takes minutes once. */
export async function findUpstream(
  onProgress: (line: string) => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Upstream> {
  try {
    const binary = await build(onProgress, goEnvironment(env));
    return { kind: 'here', benchmark: { measure: (name, runs) => measure(binary, name, runs) } };
  } catch (error) {
    const { message, stderr } = error as Error & { readonly stderr?: string };
    return { kind: 'missing', why: stderr?.trim() || message };
  }
}

async function build(onProgress: (line: string) => void, env: NodeJS.ProcessEnv): Promise<string> {
  const go = await getGoToolchain(MODULE, env);
  const pins = ['go.mod', 'go.sum'].map((file) => readFileSync(join(MODULE, file), 'utf8'));
  const key = cacheKey([...pins, PACKAGE, ...FLAGS, go.version, go.platform]);
  const binary = join(cacheFolder(env), 'bench', `upstream-planning-${key}`);
  if (existsSync(binary)) return binary;
  onProgress("compiling upstream's benchmark, which takes minutes the first time …");
  mkdirSync(dirname(binary), { recursive: true });
  const unfinished = `${binary}.${process.pid}`; // it appears in the cache whole or not at all
  await promisify(execFile)('go', ['test', '-c', ...FLAGS, '-o', unfinished, PACKAGE], { cwd: MODULE, env });
  renameSync(unfinished, binary);
  return binary;
}

async function measure(binary: string, name: string, runs: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'karpenter-bench-')); // it writes profiles where it is
  try {
    const args = ['-test.run', '^$', '-test.bench', `^${name}$`, '-test.benchtime', '1x', '-test.count', String(runs)];
    const { stdout } = await promisify(execFile)(binary, [...args, '-test.timeout', '60m'], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    });
    const paces = readPaces(stdout).toSorted((a, b) => a - b);
    const pace = paces[paces.length >> 1];
    if (pace === undefined) throw new Error(`upstream's ${name} has printed no figure:\n${stdout}`);
    return pace;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Of lines such as `BenchmarkScheduling50-2  1  120999 ns/op  10.00 nodes  50.00 pods  413.0 pods/sec`. */
export function readPaces(output: string): readonly number[] {
  return Array.from(output.matchAll(/^Benchmark\S*\s.*?\s([\d.e+]+) pods\/sec/gm), ([, pace]) => Number(pace));
}
