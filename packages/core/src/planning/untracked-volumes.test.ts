import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingLogger } from '@karpenter-ts/runtime/testing';
import { makeNode } from '@karpenter-ts/scheduling/testing';
import type { StateNode } from '../state/state-node.ts';
import type { PersistentVolumeClaim } from '@karpenter-ts/kubernetes';
import { runningPod } from '../testing/cluster-objects.ts';
import { UntrackedVolumes } from './untracked-volumes.ts';

/** A node with one pod, whose volumes are these volume claims. */
function stateNodeWith(...volumeClaims: readonly string[]): StateNode {
  const volumes = volumeClaims.map((claimName) => ({
    name: `volume-${claimName}`,
    persistentVolumeClaim: { claimName },
  }));
  const pods = [runningPod('p', 'n', { volumes: [{ name: 'scratch' }, ...volumes] })];
  const existing = makeNode('n', { pods });
  return { providerId: 'n', node: undefined, nodeClaim: undefined, existing, isDeleting: false, nominatedUntil: 0 };
}

function volumeClaim(name: string, spec: PersistentVolumeClaim['spec']): [string, PersistentVolumeClaim] {
  return [`default/${name}`, { metadata: { name, namespace: 'default' }, spec }];
}

test('volumes whose driver cannot be found out are told of, once for every state of their node', () => {
  const untracked = new UntrackedVolumes({
    persistentVolumeClaims: new Map([
      volumeClaim('bound', { volumeName: 'pv' }),
      volumeClaim('classless', {}),
      volumeClaim('orphaned', { storageClassName: 'gone' }),
      volumeClaim('waiting', { storageClassName: 'sc' }),
    ]),
    persistentVolumes: new Map(),
    storageClasses: new Map([['sc', { metadata: { name: 'sc' }, provisioner: 'driver' }]]),
  });
  const logger = recordingLogger();
  const stateNode = stateNodeWith('bound', 'missing', 'classless', 'orphaned', 'waiting');
  untracked.report(stateNode, logger);
  untracked.report(stateNode, logger);
  const told = logger.lines.map(({ level, message, fields, error }) => [
    level,
    message,
    fields['volume'],
    error ?? fields['error'],
  ]);
  assert.deepEqual(told, [
    [
      'error',
      'failed tracking CSI volume limits for volume',
      'volume-missing',
      'getting persistent volume claim, PersistentVolumeClaim "missing" not found (PersistentVolumeClaim=missing)',
    ],
    [
      'debug',
      'failed tracking CSI volume limits for volume with unbound PVC, no storage class specified',
      'volume-classless',
      undefined,
    ],
    [
      'debug',
      'failed tracking CSI volume limits for volume with unbound PVC',
      'volume-orphaned',
      'StorageClass.storage.k8s.io "gone" not found',
    ],
  ]);
  untracked.report({ ...stateNode, existing: { ...stateNode.existing } }, logger);
  assert.equal(logger.lines.length, 6);
});
