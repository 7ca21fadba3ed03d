// The manifests that public guides for Karpenter on EKS show, applied as they are: each must end in the nodes that it
// describes. All of those that can share a cluster do, one after the other.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { checkManifests } from '@karpenter-ts/apis/manifests';
import { checkOutcome } from './described-nodes.ts';
import { type ClusterSettings, EmbeddedCluster } from './embedded-cluster.ts';
import { EXPECTATIONS } from './expectations.ts';
import { guideNames, readGuide } from './guide.ts';

/** What a guide says of the controller's settings, where it is not the usual. */
const SETTINGS: Readonly<Record<string, ClusterSettings>> = {
  ipv6: { ipFamily: 'ipv6' },
  'private-cluster': { options: { isolatedVpc: true } },
};

test('there is an expectation for each guide', () => {
  assert.deepEqual(Object.keys(EXPECTATIONS).sort(), guideNames());
});

test('karpenter check has nothing against any of them', () => {
  const files = guideNames().map((name) => ({ name, text: readFileSync(readGuide(name).path, 'utf8') }));
  const known = checkManifests(files).filter(({ apiVersion }) => apiVersion.startsWith('karpenter.'));
  assert.ok(known.length >= 2 * files.length);
  assert.deepEqual(
    known.flatMap(({ file, errors, warnings }) => [...errors, ...warnings].map(({ message }) => `${file}: ${message}`)),
    [],
  );
});

describe('a guide ends in the nodes that it describes', () => {
  let cluster: EmbeddedCluster;

  before(async () => {
    cluster = await EmbeddedCluster.start();
  });
  after(() => cluster.stop());

  for (const name of guideNames().filter((each) => !(each in SETTINGS))) {
    test(name, async () => runGuide(cluster, name));
  }
});

for (const [name, settings] of Object.entries(SETTINGS)) {
  test(`a guide ends in the nodes that it describes, with its settings of the controller: ${name}`, async (t) => {
    const cluster = await EmbeddedCluster.start(settings);
    t.after(() => cluster.stop());
    await runGuide(cluster, name);
    if (name === 'private-cluster') {
      const services = new Set([...cluster.requests.keys()].map((call) => call.split(' ')[0]));
      assert.deepEqual([services.has('iam'), services.has('pricing')], [false, false]);
    }
  });
}

async function runGuide(cluster: EmbeddedCluster, name: string): Promise<void> {
  const guide = readGuide(name);
  try {
    const outcome = await cluster.run(guide);
    checkOutcome(outcome);
    EXPECTATIONS[name]?.(outcome);
  } finally {
    await cluster.undo(guide); // a guide that fails must not spoil the next
  }
}
