import { readFileSync } from 'node:fs';

/** Of this program, as `--version`, metrics and the user agent say it. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}
