// Random requests, sent to our API server and to a real one: the status codes must be the same.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiServer, type FuzzOutcome, fuzz, titleOf } from '@karpenter-ts/embedded/contract';
import {
  findConnection,
  HttpsTransport,
  inProcessTransport,
  nullLogger,
  realClock as clock,
} from '@karpenter-ts/runtime';
import { type Lab, startLab } from './lab/lab.ts';

const REQUESTS = Number(process.env['KARPENTER_FUZZ_REQUESTS'] ?? 1000);
const SEED = Number(process.env['KARPENTER_SEED'] ?? 20261116);

/** Without controllers, which would change things between the requests. */
let lab: Lab;
before(async () => {
  lab = await startLab({ name: `fuzz-${process.pid}`, components: [] });
});
after(() => lab.stop());

test(`${REQUESTS} random requests get the same codes from both (seed ${SEED})`, async (t) => {
  const env = { KUBECONFIG: lab.kubeconfigPath };
  const real = new HttpsTransport({ connection: await findConnection({ env }), clock, logger: nullLogger, env });
  const server = new ApiServer({ clock });
  const ours = inProcessTransport((request, signal) => server.handle(request, signal), clock);
  const codes: Record<string, number> = {};
  const differences: string[] = [];
  const theirs = fuzz({ transport: real, clock }, SEED, REQUESTS);
  for await (const { request, answer } of fuzz({ transport: ours, clock }, SEED, REQUESTS)) {
    const { value } = (await theirs.next()) as { value?: FuzzOutcome };
    const expected = value?.answer.status ?? 0;
    codes[answer.status] = (codes[answer.status] ?? 0) + 1;
    // Where the real server blames itself for what the client sent, ours must blame the client.
    const isSame = expected >= 500 ? answer.status >= 400 && answer.status < 500 : answer.status === expected;
    if (!isSame) differences.push(describeDifference({ request, answer }, value));
  }
  real.close();
  t.diagnostic(`answers: ${JSON.stringify(codes)}`);
  assert.equal(differences.length, 0, `${differences.length} differ\n${differences.slice(0, 20).join('\n')}`);
});

function describeDifference(ours: FuzzOutcome, real: FuzzOutcome | undefined): string {
  const brief = (text = ''): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text.trim());
  return [
    `${ours.answer.status}, not ${real?.answer.status}: ${brief(titleOf(ours.request))}`,
    `  ours: ${brief(ours.answer.text)}`,
    `  real: ${brief(real?.answer.text)}`,
  ].join('\n');
}
