// The contract of the embedded cluster, held against a real control plane: what passes there must be true here.
import { after, describe, test } from 'node:test';
import { CONTRACT, namespaceOf, runCase } from '@karpenter-ts/embedded/contract';
import { findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { openLab } from './lab/lab.ts';

/** Enough to keep a real control plane busy; more only makes its controllers late. */
const CONCURRENCY = 12;

const lab = openLab();
const env = { KUBECONFIG: lab.kubeconfigPath };
const connection = await findConnection({ env });
const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
const target = { transport, clock: realClock, prefix: `contract-${process.pid}` };

describe('a real control plane', () => {
  after(async () => {
    const namespaces = CONTRACT.map((_, index) => namespaceOf(index, target));
    await lab.kubectl(['delete', 'namespace', '--ignore-not-found', '--wait=false', ...namespaces]);
    transport.close();
  });

  // The last first: they wait for controllers, and those that only ask fill the gaps.
  const cases = [...CONTRACT.entries()].toReversed();
  const add = (needsCalm: boolean): void => {
    for (const [index, one] of cases) {
      if ((one.needsCalm ?? false) === needsCalm) test(one.name, () => runCase(one, index, target));
    }
  };
  describe('that is busy', { concurrency: CONCURRENCY }, () => add(false));
  describe('that is calm', () => add(true));
});
