import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { customResourceDefinition, NODE_POOLS, RESOURCES } from '@karpenter-ts/apis';
import { simulatedNode, startCluster } from '@karpenter-ts/embedded';
import { PODS } from '@karpenter-ts/kubernetes';
import { realClock } from '@karpenter-ts/runtime';
import { loadCatalogue } from '@karpenter-ts/provider-kwok';
import { type ClusterContent, readCluster } from '../cluster/cluster-file.ts';
import { toCatalogue } from '../cluster/offline-objects.ts';
import { main } from '../main.ts';
import { recordingIo } from '../testing-io.ts';
import { catalogueEntries } from './catalogue-entries.ts';
import type { DumpedLists } from './dumped-objects.ts';
import { toClusterContent } from './dumped-objects.ts';
import { runDump } from './run-dump.ts';

const POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: [],
      },
    },
  },
};

const SECRET = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', annotations: { note: 'hunter2' } },
  spec: {
    nodeName: 'node-1',
    containers: [
      {
        name: 'c',
        image: 'x',
        env: [{ name: 'PASSWORD', value: 'hunter2' }],
        args: ['--password=hunter2'],
        resources: { requests: { cpu: '1' } },
      },
    ],
  },
};

test('a dump of a running cluster is read by plan --from, and holds no secrets', async (t) => {
  const kubeconfigPath = join(mkdtempSync(join(tmpdir(), 'karpenter-dump-')), 'kubeconfig');
  const cluster = await startCluster({
    clock: realClock,
    seed: 1,
    crds: RESOURCES.kwok.map(customResourceDefinition),
    nodes: [simulatedNode({ name: 'node-1', zone: 'zone-a' })],
    listen: { port: 0, kubeconfigPath },
  });
  t.after(() => cluster.stop());
  await cluster.client.create(NODE_POOLS, POOL);
  await cluster.client.create(PODS, SECRET);
  const io = recordingIo();
  await runDump(undefined, io, { KUBECONFIG: kubeconfigPath });
  assert.equal(io.err(), '');
  assert.doesNotMatch(io.out(), /hunter2/);
  const content = JSON.parse(io.out()) as ClusterContent;
  assert.deepEqual(
    [content.nodePools.length, content.nodes?.length, content.boundPods?.[0]?.metadata.name],
    [1, 1, 'web'],
  );
  assert.equal(content.catalogue.length, 144); // KWOK's own, because the pool refers to its NodeClass
  const planning = recordingIo(io.out());
  await main(['plan', 'all', '--from', '-'], planning);
  assert.equal(planning.exitCode, 0, planning.err());
  assert.match(planning.out(), /node-1: no NodeClaim: Karpenter does not manage it/);
});

test('a cluster that goes through a dump is the same cluster', () => {
  const path = join(import.meta.dirname, '../../../../anchors/clusters/mixed-60-1019.json.gz');
  const read = readCluster(gunzipSync(readFileSync(path)).toString());
  assert.ok('content' in read);
  const { content } = read;
  const { nodePools, nodes = [], nodeClaims = [], boundPods = [], pods = [], pdbs = [], now, catalogue } = content;
  const lists: DumpedLists = {
    nodePools,
    nodes,
    nodeClaims,
    pods: [...boundPods, ...pods],
    daemonSets: [],
    disruptionBudgets: pdbs,
  };
  const dumped = JSON.stringify(toClusterContent(lists, { now, catalogue }));
  const again = readCluster(dumped);
  assert.ok('content' in again, JSON.stringify(again));
  const counts = (one: ClusterContent) => [
    one.nodes?.length,
    one.nodeClaims?.length,
    one.boundPods?.length,
    one.pods?.length,
  ];
  assert.deepEqual(counts(again.content), counts(content));
});

test('a dump says which types a launch takes last, and a file may say so', () => {
  const { instanceTypes } = loadCatalogue({ instanceTypesFilePath: '', catalogue: 'ec2' });
  const marked = instanceTypes.filter(({ name }) => name === 'm5.metal' || name === 'm5.large');
  const entries = catalogueEntries(marked);
  assert.deepEqual(
    entries.map(({ name, lastResort }) => [name, lastResort]),
    [
      ['m5.large', undefined],
      ['m5.metal', true],
    ],
  );
  const read = readCluster(JSON.stringify({ now: '2026-01-01T00:00:00Z', nodePools: [], catalogue: entries }));
  assert.ok('content' in read, JSON.stringify(read));
  const catalogue = toCatalogue(read.content.catalogue);
  assert.deepEqual(
    catalogue.instanceTypes.map(({ lastResort }) => lastResort === true),
    [false, true],
  );
});
