import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner can read. Readers see the old content or the new, even if we are killed meanwhile. */
export function writeWholeFile(path: string, content: string): void {
  writeFileSync(`${path}.next`, content, { mode: 0o600 });
  renameSync(`${path}.next`, path);
}
