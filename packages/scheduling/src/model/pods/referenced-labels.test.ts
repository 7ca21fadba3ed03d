import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { makeNode, makePod } from '../../testing/builders.ts';
import {
  APP,
  away,
  near,
  onNodes,
  podsWith,
  preferAway,
  preferNear,
  preferNodes,
  spreadOver,
  where,
} from '../../testing/pod-parts.ts';
import { TestEnvironment } from '../../testing/test-environment.ts';

const LEADER = { role: 'leader' };
const NOISY = { noisy: 'yes' };

test('labels of nodes and pods count wherever something asks about them', () => {
  const node = (name: string, disk: string, pod: Pod) => makeNode(name, { labels: { disk }, pods: [pod] });
  const nodes = [
    node('a', 'hdd', makePod('a', { labels: { ...APP, ...NOISY } })),
    node('b', 'ssd', makePod('b', { labels: LEADER })),
  ];
  const nodeFor = (spec: PodSpec) =>
    new TestEnvironment({ nodes }).plan(makePod('pod', { labels: APP, ...spec })).existingNodes[0]?.node;
  assert.equal(nodeFor({}), 'a');
  const asking: readonly PodSpec[] = [
    { nodeSelector: { disk: 'ssd' } },
    { affinity: onNodes([where('disk', 'In', 'ssd')]) },
    { affinity: preferNodes([1, where('disk', 'In', 'ssd')]) },
    { topologySpreadConstraints: [spreadOver('disk')] },
    { affinity: near(podsWith('disk', LEADER)) },
    { affinity: preferNear(podsWith('disk', LEADER)) },
    { affinity: away(podsWith('disk', NOISY)) },
    { affinity: preferAway(podsWith('disk', NOISY)) },
    { affinity: away(podsWith('disk', { matchExpressions: [{ key: 'noisy', operator: 'Exists' }] })) },
  ];
  for (const spec of asking) assert.equal(nodeFor(spec), 'b', JSON.stringify(spec));
});
