import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./soak-process.ts', import.meta.url));

/** Runs so many days in a process of its own, so that nothing else is counted. Returns its exit code. */
export async function runSoak(days: number, bug = ''): Promise<number> {
  const env = { ...process.env, KARPENTER_FREEZE: '0' }; // freezing is for tests; production does not
  const args = ['--max-semi-space-size=256', SCRIPT, String(days), bug]; // most objects are short-lived
  const child = spawn(process.execPath, args, { env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
