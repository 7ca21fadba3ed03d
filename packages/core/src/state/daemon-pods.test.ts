import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@karpenter-ts/kubernetes';
import { ownedBy, runningPod } from '../testing/cluster-objects.ts';
import { DaemonPods } from './daemon-pods.ts';

function podOf(daemonSet: string, name = 'a', creationTimestamp = '2026-01-01T00:00:00Z'): Pod {
  const pod = runningPod(name, 'n', { ownerReferences: ownedBy('DaemonSet', daemonSet) });
  return { ...pod, metadata: { ...pod.metadata, uid: name, creationTimestamp } };
}

test('nothing is kept of a DaemonSet that is gone, though its pods are seen after it', () => {
  const daemonPods = new DaemonPods();
  for (let i = 0; i < 100; i++) {
    const uid = `set-${i}`;
    const [a, b] = [podOf(uid, 'a'), podOf(uid, 'b', '2026-01-01T00:00:01Z')];
    daemonPods.addDaemonSet(uid);
    daemonPods.see(undefined, a);
    daemonPods.see(undefined, b);
    daemonPods.removeDaemonSet(uid);
    for (const pod of [a, b]) daemonPods.see(pod, { ...pod, status: { phase: 'Failed' } }); // they end
    for (const pod of [a, b]) daemonPods.remove(pod);
  }
  assert.equal(daemonPods.size, 0);
});

test('nothing is kept of pods whose DaemonSet was never seen, or that it let go', () => {
  const daemonPods = new DaemonPods();
  daemonPods.see(undefined, podOf('unseen'));
  daemonPods.remove(podOf('unseen'));
  const pod = podOf('gone');
  daemonPods.see(undefined, pod);
  daemonPods.see(pod, { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } });
  assert.equal(daemonPods.size, 0);
});

test('a pod that was seen before its DaemonSet counts', () => {
  const daemonPods = new DaemonPods();
  const pod = podOf('late');
  daemonPods.see(undefined, pod);
  daemonPods.addDaemonSet('late');
  daemonPods.remove(pod);
  assert.equal(daemonPods.find('late'), pod);
});
