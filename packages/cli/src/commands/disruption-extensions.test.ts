import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { main } from '../main.ts';
import { recordingIo } from '../testing-io.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/disruption-extensions.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = '']) => yaml);

const REST = `apiVersion: karpenter.sh/v1
kind: NodePool
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default }
      requirements: []
`;

/** An example of annotations alone as a whole NodePool. */
function manifestOf(example: string): string {
  return example.includes('kind: NodePool')
    ? example
    : `${REST}${example.replace('metadata:', 'metadata:\n  name: default')}`;
}

async function check(manifest: string) {
  const io = recordingIo(manifest);
  await main(['check', '-'], io);
  return { exitCode: io.exitCode, out: io.out() };
}

test('the examples of docs/disruption-extensions.md are valid', async () => {
  assert.ok(EXAMPLES.length >= 3);
  for (const example of EXAMPLES) {
    assert.ok(example.includes('karpenter-ts.dev/'), example);
    const { exitCode, out } = await check(manifestOf(example));
    assert.equal(exitCode, 0, out);
    assert.doesNotMatch(out, /warning|error/, out);
  }
});

test('09/115 check warns of annotations that are wrong or that no extension reads', async () => {
  const annotations = `metadata:
  annotations:
    karpenter-ts.dev/min-saving: 10%
    karpenter-ts.dev/consolidate-after: idle=1m
`;
  const { exitCode, out } = await check(manifestOf(annotations));
  assert.equal(exitCode, 0);
  assert.match(
    out,
    /warning: .*karpenter-ts\.dev\/min-saving: no extension reads it, did you mean karpenter-ts\.dev\/min-savings\?/,
  );
  assert.match(out, /warning: .*karpenter-ts\.dev\/consolidate-after: "idle" is none of empty, underutilized/);
});
