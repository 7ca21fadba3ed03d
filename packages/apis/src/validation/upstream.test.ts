import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AWS_PROFILE } from '../names/provider-profile.ts';
import { validateNodeOverlay } from './node-overlay.ts';
import { validateNodePool } from './node-pool.ts';
import { findConditionMessage } from './problem.ts';

/** The recorded texts leave out the list of well-known labels and the examples of the syntax messages. */
function shorten(message: string): string {
  return message.replace(/well known label: \[[^\]]*\]/g, 'well known label: []').replace(/ \(e\.g\. .*?'\)/g, '');
}

test('arbitrary NodePools and NodeOverlays fail with the message of upstream 1.14.1', () => {
  const golden = readFileSync(new URL('upstream.golden.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  for (const line of golden) {
    const { nodePool, nodeOverlay, message } = JSON.parse(line);
    const problems = nodePool ? validateNodePool(nodePool, AWS_PROFILE) : validateNodeOverlay(nodeOverlay, AWS_PROFILE);
    assert.equal(shorten(findConditionMessage(problems) ?? ''), message, line);
  }
});
