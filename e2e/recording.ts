import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the suites write down what the real server says, for the tests that run without one. */
export const isRecording = process.env['KARPENTER_RECORD'] === '1';

const FOLDER = join(import.meta.dirname, '../packages/embedded-contract/src/recorded');

/** Writes what the real server said. */
export function record(name: 'fuzz' | 'differential', said: Readonly<Record<string, string | number>>): void {
  writeFileSync(join(FOLDER, `${name}.golden.json`), `${JSON.stringify(said, null, 2)}\n`);
}
