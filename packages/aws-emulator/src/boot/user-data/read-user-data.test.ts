// What upstream renders is read back: labels, taints and pods are those that were asked for.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Taint } from '@karpenter-ts/kubernetes';
import { type BootInstructions, type ImageFamily, JoinError, type JoinFailure } from './boot-instructions.ts';
import { findJoinFailure } from './join-check.ts';
import { readUserData } from './read-user-data.ts';

interface Line {
  readonly id: string;
  readonly input: {
    readonly amiFamily: string;
    readonly userData?: string | null;
    readonly clusterName: string;
    readonly clusterEndpoint: string;
    readonly caBundle?: string | null;
    readonly kubelet?: Readonly<Record<string, unknown>> | null;
    readonly instanceStorePolicy?: string | null;
    readonly labels?: Readonly<Record<string, string>> | null;
    readonly capacityType: string;
    readonly taints?: readonly Taint[] | null;
    readonly startupTaints?: readonly Taint[] | null;
    readonly instanceTypePods: number;
  };
  readonly want: { readonly userData?: string; readonly error?: string };
}

const LINES = readFileSync(new URL('../../../../../anchors/aws/userdata.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line)
  .filter(({ want }) => want.error === undefined);

const UNREGISTERED: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

for (const family of ['AL2', 'AL2023', 'Bottlerocket', 'Windows'] as const) {
  test(`every user data that upstream renders for ${family} is read back`, () => {
    const lines = LINES.filter(({ input }) => input.amiFamily.replace(/^Windows.*/, 'Windows') === family);
    assert.ok(lines.length > 15);
    for (const line of lines) checkLine(family, line);
  });
}

function checkLine(family: ImageFamily, line: Line): void {
  const { input } = line;
  const read = reading(family, Buffer.from(line.want.userData!, 'base64').toString());
  const expected = expectedFailure(family, line);
  if (!('kubelet' in read)) {
    assert.equal(read.kind, expected, `${line.id}: ${JSON.stringify(read)}`);
    return;
  }
  const cluster = {
    name: input.clusterName,
    endpoint: input.clusterEndpoint,
    certificateAuthority: input.caBundle ?? '',
  };
  assert.equal(findJoinFailure(read, cluster)?.kind, expected, line.id);
  assert.deepEqual(read.kubelet.labels, { ...ownLabels(family, input), ...wantedLabels(input) }, line.id);
  assert.deepEqual(sorted(read.kubelet.taints), sorted(wantedTaints(input)), line.id);
  assert.equal(read.kubelet.maxPods, input.kubelet?.['maxPods'] ?? input.instanceTypePods, line.id);
  const usesDisks = input.instanceStorePolicy === 'RAID0' || /strategy: RAID0/.test(input.userData ?? '');
  assert.equal(read.localDisks, usesDisks && family !== 'Windows' ? 'raid0' : 'unused', line.id);
  const reserved = input.kubelet?.['systemReserved'];
  if (reserved !== undefined) assert.deepEqual(read.kubelet.systemReserved, reserved, line.id);
}

/** Why a node of this line never joins: a part that upstream takes for a NodeConfig is none, or the CA is no certificate. */
function expectedFailure(family: ImageFamily, { input, want }: Line): JoinFailure['kind'] | undefined {
  const [, ...parts] = Buffer.from(want.userData!, 'base64').toString().split('Content-Type: application/node.eks.aws');
  const isNodeConfig = (part: string): boolean => part.split('\n--//')[0]!.includes('kind: NodeConfig');
  if (family === 'AL2023' && !parts.every(isNodeConfig)) return 'unreadable';
  const asksEks = family === 'AL2' || family === 'Windows';
  if (!input.caBundle) return asksEks ? undefined : 'missing';
  return input.caBundle === 'not base64!' ? 'bad-certificate' : undefined;
}

/** What the user's own user data adds. */
function ownLabels(family: ImageFamily, { userData }: Line['input']): Record<string, string> {
  if (family === 'AL2023' && userData?.includes('--node-labels="a=b"')) return { a: 'b' };
  if (family === 'Bottlerocket' && userData?.includes('node-labels')) return { own: '1' };
  return {};
}

function wantedLabels({ labels, capacityType }: Line['input']): Record<string, string> {
  const all = { ...labels, 'karpenter.sh/capacity-type': capacityType, 'karpenter.sh/do-not-sync-taints': 'true' };
  return Object.fromEntries(Object.entries(all).filter(([key]) => !/^([^/]*\.)?(kubernetes|k8s)\.io\//.test(key)));
}

function wantedTaints({ taints, startupTaints }: Line['input']): readonly Taint[] {
  const asked = [...(taints ?? []), ...(startupTaints ?? [])];
  const isMarked = asked.some(({ key, effect }) => key === UNREGISTERED.key && effect === UNREGISTERED.effect);
  return isMarked ? asked : [...asked, UNREGISTERED];
}

/** Without empty values; the order of taints means nothing, and Bottlerocket's table loses it. */
function sorted(taints: readonly Taint[]): readonly string[] {
  return taints.map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`).toSorted();
}

function reading(family: ImageFamily, text: string): BootInstructions | JoinFailure {
  try {
    return readUserData(family, text);
  } catch (error) {
    if (error instanceof JoinError) return error.failure;
    throw error;
  }
}
