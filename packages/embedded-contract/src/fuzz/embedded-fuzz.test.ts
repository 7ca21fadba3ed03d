import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inProcessTransport, realClock as clock } from '@karpenter-ts/runtime';
import { fuzz, titleOf } from './fuzz-run.ts';
import { findFlaw, wasUnderstood } from './fuzz-session.ts';
import { ApiServer } from '@karpenter-ts/embedded';

const REQUESTS = Number(process.env['KARPENTER_FUZZ_REQUESTS'] ?? 1500);
const SEED = Number(process.env['KARPENTER_SEED'] ?? 20261116);

test(`${REQUESTS} random requests are answered, refusals with a Status and a reason (seed ${SEED})`, async (t) => {
  const server = new ApiServer({ clock });
  const transport = inProcessTransport((request, signal) => server.handle(request, signal), clock);
  const codes: Record<string, number> = {};
  let understood = 0;
  for await (const { request, answer } of fuzz({ transport, clock }, SEED, REQUESTS)) {
    const flaw = findFlaw(answer);
    assert.equal(flaw, undefined, `${flaw}: ${titleOf(request)}\n${answer.text}`);
    codes[answer.status] = (codes[answer.status] ?? 0) + 1;
    if (wasUnderstood(answer)) understood++;
  }
  t.diagnostic(`answers: ${JSON.stringify(codes)}`);
  assert.ok(understood > REQUESTS / 2, `only ${understood} of ${REQUESTS} were understood`);
});
