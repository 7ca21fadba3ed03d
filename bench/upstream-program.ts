import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { cacheFolder } from '../e2e/lab/cache.ts';
import { getGoToolchain, goEnvironment } from '../e2e/lab/go-toolchain.ts';

const MODULE = join(import.meta.dirname, 'upstream');

/** One of our programs over upstream's packages. */
export type UpstreamProgram<Input, Figures> = (input: Input, argument: number) => Promise<Figures>;

/** The compiled program, or why it cannot run on this host. */
export type FoundProgram<Input, Figures> =
  | { readonly kind: 'here'; readonly run: UpstreamProgram<Input, Figures> }
  | { readonly kind: 'missing'; readonly why: string };

/** Compiles bench/upstream/NAME if Go is installed, which takes minutes the first time. */
export async function findUpstreamProgram<Input, Figures>(
  name: 'consolidation' | 'planning',
  env: NodeJS.ProcessEnv = process.env,
): Promise<FoundProgram<Input, Figures>> {
  try {
    const goEnv = goEnvironment(env);
    await getGoToolchain(MODULE, goEnv);
    const path = join(cacheFolder(env), 'bench', `upstream-${name}-program`);
    mkdirSync(dirname(path), { recursive: true });
    const args = ['build', '-mod=readonly', '-trimpath', '-o', path, `./${name}`];
    await promisify(execFile)('go', args, { cwd: MODULE, env: goEnv });
    return {
      kind: 'here',
      run: async (input, argument) => JSON.parse(await outputOf(path, input, argument)) as Figures,
    };
  } catch (error) {
    const { message, stderr } = error as Error & { readonly stderr?: string };
    return { kind: 'missing', why: stderr?.trim() || message };
  }
}

async function outputOf(path: string, input: unknown, argument: number): Promise<string> {
  const child = spawn(path, [String(argument)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  child.stdin.end(JSON.stringify(input));
  const [output, [code]] = await Promise.all([text(child.stdout), exited]);
  if (code !== 0) throw new Error(`upstream's program ended with code ${code}`);
  return output;
}
