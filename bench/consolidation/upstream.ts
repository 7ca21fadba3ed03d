import { execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../e2e/lab/cache.ts';
import { getGoToolchain, goEnvironment } from '../../e2e/lab/go-toolchain.ts';
import type { Cluster } from './cluster.ts';

const MODULE = join(import.meta.dirname, '../upstream');
const PACKAGE = './consolidation';

/** What our program over upstream's packages has measured: bench/upstream/consolidation. */
export interface UpstreamScan {
  readonly candidates: number;
  /** How many of the candidates were simulated; the time of the others is estimated from them. */
  readonly simulations: number;
  readonly candidateSeconds: number;
  readonly scanSeconds: number;
  /** Of the simulations: all pods fit on other nodes, or need one new node. */
  readonly removable: number;
  readonly replaceable: number;
}

/** Runs upstream's what-if for the candidates of a cluster until all are done or so many seconds have passed. */
export type UpstreamProgram = (cluster: Cluster, seconds: number) => Promise<UpstreamScan>;

/** The compiled program, or why it cannot run on this host. */
export type UpstreamScanner =
  | { readonly kind: 'here'; readonly scan: UpstreamProgram }
  | { readonly kind: 'missing'; readonly why: string };

/** Compiles the program if Go is installed, which takes minutes the first time. */
export async function findUpstreamScanner(env: NodeJS.ProcessEnv = process.env): Promise<UpstreamScanner> {
  try {
    const goEnv = goEnvironment(env);
    await getGoToolchain(MODULE, goEnv);
    const path = join(cacheFolder(env), 'bench', 'upstream-consolidation');
    mkdirSync(dirname(path), { recursive: true });
    const args = ['build', '-mod=readonly', '-trimpath', '-o', path, PACKAGE];
    await promisify(execFile)('go', args, { cwd: MODULE, env: goEnv });
    return { kind: 'here', scan: (cluster, seconds) => run(path, cluster, seconds) };
  } catch (error) {
    const { message, stderr } = error as Error & { readonly stderr?: string };
    return { kind: 'missing', why: stderr?.trim() || message };
  }
}

async function run(path: string, cluster: Cluster, seconds: number): Promise<UpstreamScan> {
  const child = spawn(path, [String(seconds)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  child.stdin.end(JSON.stringify(cluster));
  const [output, [code]] = await Promise.all([text(child.stdout), exited]);
  if (code !== 0) throw new Error(`upstream's scan ended with code ${code}`);
  return JSON.parse(output);
}
