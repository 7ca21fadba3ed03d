import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProcessTransport, realClock as clock } from '@karpenter-ts/runtime';
import { ApiServer } from '@karpenter-ts/embedded';
import { fuzz, isSameCode, titleOf } from '../fuzz/fuzz-run.ts';
import { digestOf, runScript } from '../differential/comparison.ts';
import { DIFFERENTIAL_SCRIPTS } from '../differential/index.ts';
import { RECORDED_FUZZ, RECORDED_SCRIPTS } from './recorded-answers.ts';

function startServer() {
  const server = new ApiServer({ clock });
  return inProcessTransport((request, signal) => server.handle(request, signal), clock);
}

describe('the API server answers as a real one did', () => {
  const transport = startServer();
  for (const script of DIFFERENTIAL_SCRIPTS) {
    test(`${script.name}: ${script.requests.length} requests`, async () => {
      const recorded = RECORDED_SCRIPTS.get(script.name) ?? [];
      const answers = await runScript(script, transport);
      const differing = answers.filter(([, answer], index) => digestOf(answer) !== recorded[index]);
      assert.equal(recorded.length, answers.length, 'scripts have changed: record them anew');
      assert.deepEqual(differing, [], '`npm run test:e2e -- differential` shows how they differ');
    });
  }

  const { seed, codes } = RECORDED_FUZZ;
  test(`${codes.length} random requests get the same codes`, async () => {
    const differing: string[] = [];
    let sent = 0;
    for await (const { request, answer } of fuzz({ transport: startServer(), clock }, seed, codes.length)) {
      const recorded = codes[sent++]!;
      if (isSameCode(answer.status, recorded)) continue;
      differing.push(`${answer.status}, not ${recorded}: ${titleOf(request)}\n${answer.text}`);
    }
    assert.deepEqual(differing, [], '`npm run test:e2e -- api-fuzz` shows what a real server says');
  });
});
