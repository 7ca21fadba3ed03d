// Sends the same requests to a real API server and to the embedded one: the answers must be equal, character by
// character.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiServer } from '@karpenter-ts/embedded';
import { DIFFERENTIAL_SCRIPTS, digestOf, RECORDED_SCRIPTS, runScript } from '@karpenter-ts/embedded-contract';
import {
  findConnection,
  HttpsTransport,
  inProcessTransport,
  nullLogger,
  realClock,
  type Transport,
} from '@karpenter-ts/runtime';
import { type Lab, startLab } from './lab/lab.ts';
import { isRecording, record } from './recording.ts';

describe('the embedded API server answers like a real one', () => {
  let lab: Lab;
  let real: Transport;
  const server = new ApiServer();
  const own = inProcessTransport((request, signal) => server.handle(request, signal), realClock);
  const digests: Record<string, string> = {};

  before(async () => {
    lab = await startLab({ name: `differential-${process.pid}`, components: [] }); // nobody else may touch what is written
    const env = { KUBECONFIG: lab.kubeconfigPath };
    real = new HttpsTransport({ connection: await findConnection({ env }), clock: realClock, logger: nullLogger, env });
  });
  after(async () => {
    if (isRecording && Object.keys(digests).length === DIFFERENTIAL_SCRIPTS.length) record('differential', digests);
    await lab.stop();
  });

  for (const script of DIFFERENTIAL_SCRIPTS) {
    test(`${script.name}: ${script.requests.length} requests`, async () => {
      const theirs = await runScript(script, real);
      const said = theirs.map(([, answer]) => digestOf(answer));
      digests[script.name] = said.join(' ');
      const ours = await runScript(script, own);
      const differences = ours.flatMap(([title, answer], index) => difference(title, answer, theirs[index]?.[1]));
      if (differences.length > 0) throw new AggregateError(differences.slice(0, 10), `${differences.length} differ`);
      if (!isRecording)
        assert.deepEqual(RECORDED_SCRIPTS.get(script.name), said, 'record them anew: KARPENTER_RECORD=1');
    });
  }
});

function difference(title: string, ours: unknown, theirs: unknown): readonly Error[] {
  try {
    assert.deepEqual(ours, theirs, title);
    return [];
  } catch (error) {
    return [error as Error];
  }
}
