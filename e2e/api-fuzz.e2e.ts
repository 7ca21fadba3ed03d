// Random requests, sent to our API server and to a real one: the status codes must be the same.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiServer } from '@karpenter-ts/embedded';
import { fuzz, type FuzzOutcome, isSameCode, RECORDED_FUZZ, titleOf } from '@karpenter-ts/embedded-contract';
import {
  ConnectionError,
  findConnection,
  HttpsTransport,
  inProcessTransport,
  nullLogger,
  realClock as clock,
  type Transport,
  type TransportResponse,
} from '@karpenter-ts/runtime';
import { type Lab, startLab } from './lab/lab.ts';
import { isRecording, record } from './recording.ts';

const REQUESTS = Number(process.env['KARPENTER_FUZZ_REQUESTS'] ?? (isRecording ? 4000 : 1000));
const SEED = Number(process.env['KARPENTER_SEED'] ?? RECORDED_FUZZ.seed);

/** Without controllers, which would change objects between the requests. */
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
  const codes: number[] = [];
  const differences: string[] = [];
  const theirs = fuzz({ transport: withHangUps(real), clock }, SEED, REQUESTS);
  for await (const outcome of fuzz({ transport: ours, clock }, SEED, REQUESTS)) {
    const { value: expected } = (await theirs.next()) as { value: FuzzOutcome };
    codes.push(expected.answer.status);
    const isSame = isSameCode(outcome.answer.status, expected.answer.status);
    if (!isSame) differences.push(describeDifference(outcome, expected));
  }
  real.close();
  t.diagnostic(`faults of the real server itself: ${codes.filter((code) => code >= 500).length}`);
  assert.equal(differences.length, 0, `${differences.length} differ\n${differences.slice(0, 20).join('\n')}`);
  if (isRecording) record('fuzz', { seed: SEED, codes: codes.join(' ') });
  else if (SEED === RECORDED_FUZZ.seed) checkRecorded(codes);
});

function checkRecorded(codes: readonly number[]): void {
  const recorded = RECORDED_FUZZ.codes.slice(0, codes.length);
  assert.deepEqual(recorded, codes.slice(0, recorded.length), 'record them anew: KARPENTER_RECORD=1');
}

const HUNG_UP = 599;

/** A panic in a handler of the real server sends no response; it counts as a server error. */
function withHangUps(transport: Transport): Transport {
  const noAnswer: TransportResponse = { status: HUNG_UP, headers: {}, body: nothing(), discard: () => undefined };
  return {
    send: (request, signal) =>
      transport.send(request, signal).catch((error: unknown) => {
        if (error instanceof ConnectionError && error.code === 'ECONNRESET') return noAnswer;
        throw error;
      }),
    close: () => transport.close(),
  };
}

async function* nothing(): AsyncGenerator<Buffer> {}

function describeDifference({ request, answer }: FuzzOutcome, { answer: real }: FuzzOutcome): string {
  const brief = (text = ''): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text.trim());
  return [
    `${answer.status}, not ${real.status}: ${brief(titleOf(request))}`,
    `  ours: ${brief(answer.text)}`,
    `  real: ${brief(real.text)}`,
  ].join('\n');
}
