// Random plans on a real control plane: kube-scheduler must agree with the planner.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { openLab } from './lab/lab.ts';
import { tryFreely, trialSeeds, tryNominated } from './plans/trial.ts';

const lab = openLab();
const env = { KUBECONFIG: lab.kubeconfigPath };
const connection = await findConnection({ env });
const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
const seeds = trialSeeds();

describe('kube-scheduler', () => {
  after(() => transport.close());

  test('gives all pods the nodes a plan told them, in its order', async (t) => {
    const { placed, misplaced } = await tryNominated(seeds, {
      transport,
      clock: realClock,
      prefix: `told-${process.pid}`,
    });
    t.diagnostic(`${seeds.length} fleets from seed ${seeds[0]}: ${placed} pods, ${misplaced.length} elsewhere`);
    assert.ok(placed > seeds.length);
    assert.deepEqual(misplaced, []);
  });

  test('gives 97 % of the pods a node at once, the rest within two more passes', async (t) => {
    const target = { transport, clock: realClock, prefix: `free-${process.pid}` };
    const { placed, atOnce, waiting } = await tryFreely(seeds, target);
    t.diagnostic(`${seeds.length} fleets from seed ${seeds[0]}: ${atOnce} of ${placed} pods at once`);
    assert.ok(atOnce >= 0.97 * placed, `only ${atOnce} of ${placed}`);
    assert.deepEqual(waiting, []);
  });
});
