import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { main } from '../main.ts';
import type { ClusterDocument } from '../plan/cluster-document.ts';
import { type RecordedIo, recordingIo } from '../testing-io.ts';

const CLUSTERS = join(import.meta.dirname, '../../../../anchors/clusters');

function clusterText(name: string): string {
  return gunzipSync(readFileSync(join(CLUSTERS, `${name}.json.gz`))).toString();
}

async function plan(text: string, ...args: readonly string[]): Promise<RecordedIo> {
  const io = recordingIo(text);
  await main(['plan', ...args, '--from', '-'], io);
  return io;
}

async function planJson(text: string, ...args: readonly string[]): Promise<ClusterDocument> {
  return JSON.parse((await plan(text, ...args, '-o', 'json')).out()) as ClusterDocument;
}

const DRIFTED = clusterText('drift-10-1038');

/** The cluster with one value, named by its path, put in, or taken out if it is undefined. */
function changed(path: readonly (string | number)[], value: unknown): string {
  const cluster = JSON.parse(DRIFTED) as Record<string, unknown>;
  let at: Record<string | number, unknown> = cluster;
  for (const segment of path.slice(0, -1)) at = (at[segment] ??= {}) as Record<string | number, unknown>;
  at[path.at(-1)!] = value;
  return JSON.stringify(cluster, undefined, 1);
}

test('the plan for a cluster tells commands, why nodes stay, budgets and what is left in the end', async () => {
  const io = await plan(DRIFTED, '--until-stable');
  const out = io.out();
  assert.equal(io.exitCode, 0);
  assert.match(out, /^1\. Drift \(Drifted\), starts first: replace ip-10-0-0-13: costs \$0\.0743 an hour more$/m);
  assert.match(out, /^ {3}for default c6i\.4xlarge or 7 other types from \$0\.1982 an hour with 6 pods$/m);
  assert.match(out, /^ {2}ip-10-0-0-19: .*Can't replace with a cheaper node$/m);
  assert.match(out, /^ {2}default, Drifted: 3 allowed, 1 disrupting, 2 left$/m);
  assert.match(out, /^10 nodes at \$1\.2466 an hour before, 10 nodes at \$1\.1106 an hour after, 10\.9 % less$/m);
});

test('each question prints only what it asks for', async () => {
  const methods = async (what: string) => Object.keys((await planJson(DRIFTED, what)).methods);
  assert.deepEqual(await methods('empty'), ['Emptiness']);
  assert.deepEqual(await methods('drift'), ['Drift']);
  assert.deepEqual(await methods('consolidate'), ['MultiNodeConsolidation', 'SingleNodeConsolidation']);
  assert.deepEqual(await methods('provision'), []);
  const all = await planJson(DRIFTED);
  assert.deepEqual(Object.keys(all.methods).length, 4);
  assert.equal(all.fixedPoint, undefined);
  assert.equal(all.loop?.method, 'Drift');
});

test('provision plans pending pods and the pods of deleting nodes, expire tells when NodeClaims go', async () => {
  const { provision } = await planJson(DRIFTED, 'provision');
  assert.equal(provision?.nodes.length, 1);
  assert.equal(provision?.nodes[0]?.pods.length, 4);
  const { expirations = [] } = await planJson(DRIFTED, 'expire');
  assert.ok(expirations.length > 0);
  assert.deepEqual(
    expirations.map(({ expiresAt }) => expiresAt),
    expirations.map(({ expiresAt }) => expiresAt).sort(),
  );
  const old = changed(['nodeClaims', 0, 'metadata', 'creationTimestamp'], '2020-01-01T00:00:00Z');
  assert.equal((await planJson(old, 'expire')).expirations?.[0]?.expired, true);
});

test('a cluster with a NodeClaim that is not launched is said to be out of sync and is not carried on', async () => {
  const text = changed(['nodeClaims', 0, 'status', 'providerID'], undefined);
  const document = await planJson(text, '--until-stable');
  assert.equal(document.synced, false);
  assert.equal(document.loop?.error, 'not synced');
  assert.equal(document.fixedPoint, undefined);
  assert.match((await plan(text)).out(), /^The cluster is not in sync/);
});

test('a stored NodePool without budgets, or without settings for disruption, has no limit', async () => {
  for (const path of [['budgets'], []]) {
    const text = changed(['nodePools', 0, 'spec', 'disruption', ...path], undefined);
    const { budgets } = await planJson(text, 'empty');
    assert.equal(budgets['Empty']?.['default']?.allowed, 2 ** 31 - 1);
  }
});

test('what is wrong with a cluster file is told with its field and line', async () => {
  const problem = async (path: readonly (string | number)[], value: unknown): Promise<string> => {
    const io = await plan(changed(path, value));
    assert.equal(io.exitCode, 1);
    assert.match(io.err(), /^<stdin>:\d+:\d+: error: /);
    return io.err().replace(/^<stdin>:\d+:\d+: error: /, '');
  };
  assert.match(
    await problem(['pods', 0, 'spec', 'nodeName'], 'a'),
    /^pods\[0\]\.spec\.nodeName: Invalid value: "a": a pending pod is bound/,
  );
  assert.match(
    await problem(['pods', 0, 'status', 'phase'], 'Succeeded'),
    /^pods\[0\]\.status\.phase: Invalid value: "Succeeded": a pending pod has not finished/,
  );
  assert.match(
    await problem(['pods', 0, 'metadata', 'ownerReferences', 0, 'kind'], 'DaemonSet'),
    /^pods\[0\]\.metadata\.ownerReferences\[0\]\.kind: Invalid value: "DaemonSet"/,
  );
  assert.match(
    await problem(['pods', 0, 'spec', 'containers', 0, 'resources', 'requests', 'cpu'], '-5'),
    /^pods\[0\]\.spec\.containers\[0\]\.resources\.requests\.cpu: Invalid value: "-5": must be greater than/,
  );
  assert.match(await problem(['nominated'], ['nobody']), /^nominated\[0\]: Not found: "nobody": no Node has this name/);
  assert.match(await problem(['nodes', 1, 'metadata', 'name'], 'ip-10-0-0-10'), /Duplicate value: "ip-10-0-0-10"/);
  assert.match(await problem(['boundPods', 0, 'spec', 'nodeName'], undefined), /^boundPods\[0\]\.spec/);
  assert.match(await problem(['extra'], []), /unknown field "extra"/);
  assert.match(await problem(['now'], 'yesterday'), /^now: /);
});

test('one source must be named, and --fleet answers one question only', async () => {
  for (const args of [[], ['--fleet', '-', '--from', '-'], ['empty', '--fleet', '-']]) {
    const io = recordingIo('');
    await main(['plan', ...args], io);
    assert.equal(io.exitCode, 2);
    assert.match(io.err(), /^error: /);
  }
});

test('what the controller would pass over is a warning of the plan', async () => {
  const warned = async (path: readonly (string | number)[], value: unknown): Promise<string> => {
    const io = await plan(changed(path, value), 'provision');
    assert.equal(io.exitCode, 0, io.err());
    return io.err();
  };
  assert.equal((await plan(DRIFTED, 'provision')).err(), '');
  assert.match(
    await warned(['boundPods', 0, 'spec', 'nodeName'], 'ghost'),
    /^warning: pods that are bound to Nodes that are not given are left out: \S+ on ghost$/m,
  );
  const pool = ['nodePools', 0, 'metadata', 'annotations'];
  assert.match(
    await warned(pool, { 'karpenter-ts.dev/min-saving': '10%' }),
    /^warning: NodePool default: annotation karpenter-ts\.dev\/min-saving: .*did you mean karpenter-ts\.dev\/min-savings/m,
  );
  assert.match(
    await warned(pool, { 'karpenter-ts.dev/min-savings': 'ten' }),
    /annotation karpenter-ts\.dev\/min-savings: /,
  );
  assert.match(
    await warned(
      ['nodePools', 0, 'spec', 'disruption', 'budgets'],
      [{ nodes: '1', schedule: '61 * * * *', duration: '1h' }],
    ),
    /^warning: NodePool default: none of its nodes may be disrupted while its budgets cannot be read: /m,
  );
  assert.match(
    await warned(['nodeClaims', 0, 'metadata', 'labels', 'topology.kubernetes.io/zone'], 'mars'),
    /^warning: NodeClaims whose instance type, zone or capacity type the catalogue has not count as free: .*mars/m,
  );
  assert.match(
    await warned(['catalogue'], []),
    /^warning: the catalogue has no instance types: no node can be bought$/m,
  );
  assert.match(
    await warned(['nodeClaims', 0, 'metadata', 'labels', 'karpenter.sh/nodepool'], 'ghost'),
    /^warning: NodeClaims whose label karpenter\.sh\/nodepool names none of the NodePools: \S+ \(ghost\)$/m,
  );
});
