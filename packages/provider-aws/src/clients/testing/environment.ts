import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/**
 * Sets variables of this process until the test ends, because the SDK's chain of credentials reads no other. All that
 * AWS' SDKs read and that is not given is taken away.
 */
export function setEnvironment(t: TestContext, variables: NodeJS.ProcessEnv): void {
  const before = { ...process.env };
  t.after(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(process.env, variables);
}

/** A folder of files with this content, and how to find and rewrite them. It ends with the test. */
export function writeFiles(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'karpenter-aws-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): void => writeFileSync(path(name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { path, write };
}
