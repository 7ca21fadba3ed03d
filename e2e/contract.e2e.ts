// The contract cases of the embedded cluster, run against a real control plane: where they fail there, they are wrong.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { CONTRACT, type ContractCase, namespaceOf, runCase } from '@karpenter-ts/embedded-contract';
import { findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { openLab } from './lab/lab.ts';

/** Enough to keep a real control plane busy; more would only make its controllers lag. */
const CONCURRENCY = 12;
/** A few cases fail in several runs because controllers lag. If more than this fail, that is not the cause. */
const MOST_DOUBTED = 10;

const lab = openLab();
const env = { KUBECONFIG: lab.kubeconfigPath };
const connection = await findConnection({ env });
const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
const target = { transport, clock: realClock, prefix: `contract-${process.pid}` };
const calmTarget = { ...target, prefix: `calm-${process.pid}` };

describe('a real control plane', () => {
  const doubted: [number, ContractCase][] = [];

  after(async () => {
    const busy = CONTRACT.map((_, index) => namespaceOf(index, target));
    const namespaces = [...busy, ...doubted.map(([index]) => namespaceOf(index, calmTarget))];
    await lab.kubectl(['delete', 'namespace', '--ignore-not-found', '--wait=false', ...namespaces]);
    transport.close();
  });

  describe('that is busy', { concurrency: CONCURRENCY }, () => {
    // The last cases first: they wait for controllers, and those that only send requests run meanwhile.
    for (const [index, one] of [...CONTRACT.entries()].toReversed()) {
      test(one.name, async (t) => {
        try {
          await runCase(one, index, target);
        } catch (error) {
          doubted.push([index, one]);
          t.diagnostic(`busy: ${String(error)}`);
        }
      });
    }
  });

  // Controllers that lag act on outdated caches, for example delete a pod twice, and a busy scheduler delays pods.
  // Failed cases are therefore run once more, one at a time, and this outcome counts.
  test('that is calm', async (t) => {
    assert.ok(doubted.length <= MOST_DOUBTED, `${doubted.length} cases failed on a busy control plane`);
    for (const [index, one] of doubted) await t.test(one.name, () => runCase(one, index, calmTarget));
  });
});
