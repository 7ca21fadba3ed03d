import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';

const SOURCES = 'packages/provider-aws/src/**/*.ts';

/** Reasons of conditions, failures and events. */
const REASON = /\breason: '([A-Za-z]+)'/g;
/** Reasons that are handed to a function. */
const FAILED = /'([A-Z][A-Za-z]+Failed)'|\brefusal\('([A-Za-z]+)'/g;
/** Log lines that people are meant to notice. */
const LOG_LINE = /\blogger\.(?:error|warn|info)\(\s*(?:'((?:\\'|[^'])*)'|`([^`]*)`)/g;
/** Messages of conditions and events, where they stand beside their reason or as constants. */
const MESSAGE = /\bmessage:\s*(?:'((?:\\'|[^'])*)'|"((?:\\"|[^"])*)"|`([^`]*)`)/g;

/** What users may look for, found in the sources of the AWS provider: constant text, by the file that has it. */
export async function awsMessages(root: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const file of glob(SOURCES, { cwd: root })) {
    if (/\.test\.ts$|\/testing\/|\/review\//.test(file)) continue;
    const source = readFileSync(join(root, file), 'utf8');
    for (const pattern of [REASON, FAILED, LOG_LINE, MESSAGE]) {
      for (const [, ...groups] of source.matchAll(pattern)) {
        const text = longestConstant(groups.find((group) => group !== undefined) ?? '');
        if (text !== '') found.set(text, file);
      }
    }
  }
  return found;
}

/** The part of a template that is the same in all messages; empty if too little is. */
function longestConstant(template: string): string {
  const parts = template.split(/\$\{[^}]*\}/).map((part) => part.trim().replaceAll("\\'", "'"));
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
  return longest.length >= 8 ? longest : '';
}
