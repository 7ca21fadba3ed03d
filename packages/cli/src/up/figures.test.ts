import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFigures, type Seen, type SeenNode, type SeenPod } from './figures.ts';
import { KWOK_CLOUD } from './kwok-cloud.ts';

const TERMINATING = { deletionTimestamp: '2026-01-01T00:00:00Z' };

function pod(phase: string, metadata: object = {}): SeenPod {
  return { metadata: { name: 'pod', ...metadata }, status: { phase } };
}

function node(labels: Readonly<Record<string, string>>, ready: string, metadata: object = {}): SeenNode {
  const conditions = [{ type: 'Ready', status: ready }];
  return {
    metadata: { name: 'node', labels, ...metadata },
    spec: { providerID: 'kwok://node' },
    status: { conditions },
  };
}

const count = (seen: Partial<Seen>) =>
  countFigures({ pods: [], nodes: [], nodeClaims: [], ...seen }, KWOK_CLOUD.priceOf);

const ours = (type: string, price: string, initialized = 'true') => ({
  'node.kubernetes.io/instance-type': type,
  'karpenter.sh/capacity-type': 'spot',
  'karpenter.sh/nodepool': 'default',
  'eks-node-viewer/instance-price': price,
  'karpenter.sh/initialized': initialized,
});

test('pods count by what becomes of them; those that are done do not count', () => {
  const pods = [
    pod('Pending'),
    pod('Running'),
    pod('Running', TERMINATING),
    pod('Succeeded'),
    pod('Failed', TERMINATING),
  ];
  assert.deepEqual(count({ pods }).pods, { running: 1, pending: 1, terminating: 1 });
});

test('a node is starting from its order until pods can go there', () => {
  const claims = [
    { metadata: { name: 'ordered' } },
    { metadata: { name: 'cancelled', ...TERMINATING } },
    { metadata: { name: 'there' }, status: { providerID: 'kwok://node' } },
  ];
  const nodes = [
    node(ours('m5.large', '0.05', ''), 'True'),
    node(ours('m5.large', '0.05'), 'True'),
    node(ours('m5.large', '0.05'), 'Unknown'),
    node(ours('m5.large', '0.05'), 'True', TERMINATING),
    node({}, 'True'),
  ];
  assert.deepEqual(count({ nodes, nodeClaims: claims }).nodes, { starting: 2, ready: 2, silent: 1, terminating: 2 });
});

test('nodes cost what their labels say, and the most frequent type comes first', () => {
  const nodes = ['c5.large', 'm5.large', 'm5.large', 'a1.large'].map((type) => node(ours(type, '0.25'), 'True'));
  const { types, pricePerHour } = count({ nodes });
  assert.deepEqual(types, [
    ['m5.large spot', 2],
    ['a1.large spot', 1],
    ['c5.large spot', 1],
  ]);
  assert.equal(pricePerHour, 1);
});
