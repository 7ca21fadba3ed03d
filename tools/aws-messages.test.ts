import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { awsMessages } from './aws-messages.ts';

const ROOT = join(import.meta.dirname, '..');

test('every reason, event and log line of the AWS provider is on the page for troubleshooting', async () => {
  const page = readFileSync(join(ROOT, 'docs/aws-troubleshooting.md'), 'utf8').replaceAll(/\s+/g, ' ');
  const messages = await awsMessages(ROOT);
  assert.ok(messages.size > 60, `only ${messages.size} were found`);
  const missing = [...messages].filter(([text]) => !page.includes(text));
  assert.deepEqual(missing, []);
});
