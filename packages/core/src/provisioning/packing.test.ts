import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import type { OperatorOptions } from '../options/operator-options.ts';
import { fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import { pendingPod, readyPool } from '../testing/cluster-objects.ts';
import { startProvisioningEnvironment } from './testing/provisioning-environment.ts';

/** Two small instances are less than a third of the price of a large one. */
const TYPES = [
  fakeType('small', { offerings: [makeOffering('test-zone-1', 'spot', 0.05)] }),
  fakeType('large', {
    resources: { cpu: '8', memory: '8Gi' },
    offerings: [makeOffering('test-zone-1', 'on-demand', 0.34)],
  }),
];

/** Buys for two pods that fit on a large instance together. */
async function buy(t: TestContext, options: Partial<OperatorOptions> = {}, annotations: Record<string, string> = {}) {
  const env = await startProvisioningEnvironment(t, { instanceTypes: TYPES, options });
  const pool = readyPool('default');
  const annotated: NodePool = { ...pool, metadata: { ...pool.metadata, annotations } };
  const pods = ['a', 'b'].map((name) => pendingPod(name, { requests: { cpu: '3' } }));
  await env.add([annotated], pods);
  await env.pass();
  const lines = env.lines().filter(({ fields }) => 'extension' in fields);
  return {
    claims: (await env.nodeClaims()).map(outline),
    said: lines.map(({ level, message, fields }) => ({ level, message, ...fields })),
  };
}

function outline({ metadata, spec }: NodeClaim): readonly [types: readonly string[], plan: string | undefined] {
  const types = spec.requirements.find(({ key }) => key === 'node.kubernetes.io/instance-type')?.values ?? [];
  return [types, metadata.annotations?.['karpenter-ts.dev/plan']];
}

/** Either would do for one pod; a provider launches the cheaper. */
const CHEAPER = [
  [['large', 'small'], 'cost-aware'],
  [['large', 'small'], 'cost-aware'],
];
const UPSTREAM = [[['large'], 'upstream']];

test('09/1 cheaper nodes are bought by default, their NodeClaims say so, and the log has both prices', async (t) => {
  const { claims, said } = await buy(t);
  assert.deepEqual(claims, CHEAPER);
  assert.deepEqual(said, [
    {
      level: 'info',
      message: 'computed cheaper nodeclaim(s) than upstream would',
      extension: 'A1',
      reason: 'Cheaper',
      'upstream-nodeclaims': 1,
      'upstream-price-per-hour': 0.34,
      'cost-aware-nodeclaims': 2,
      'cost-aware-price-per-hour': 0.1,
    },
  ]);
});

test('09/6 by flag or by annotation nodes are upstream’s, and nothing is said', async (t) => {
  const upstream = { claims: UPSTREAM, said: [] };
  assert.deepEqual(await buy(t, { packingPolicy: 'Upstream' }), upstream);
  assert.deepEqual(await buy(t, {}, { 'karpenter-ts.dev/packing-policy': 'Upstream' }), upstream);
  assert.deepEqual(
    await buy(t, { extensions: new Set() }, { 'karpenter-ts.dev/packing-policy': 'CostAware' }),
    upstream,
  );
});

test('a pool may ask for cheaper nodes where the flag does not', async (t) => {
  const { claims } = await buy(t, { packingPolicy: 'Upstream' }, { 'karpenter-ts.dev/packing-policy': 'CostAware' });
  assert.deepEqual(claims, CHEAPER);
});

test('the fee of a node counts, and so do the least gain and the most nodes; why nodes are upstream’s is told', async (t) => {
  const { claims, said } = await buy(t, { nodeFee: 0.3 });
  assert.deepEqual(claims, UPSTREAM);
  assert.deepEqual(said, [
    {
      level: 'debug',
      message: 'computed the nodeclaim(s) upstream would',
      extension: 'A1',
      reason: 'GainTooSmall',
      'upstream-nodeclaims': 1,
      'upstream-price-per-hour': 0.34,
      'upstream-fees-per-hour': 0.3,
      'cost-aware-nodeclaims': 1,
      'cost-aware-price-per-hour': 0.34,
      'cost-aware-fees-per-hour': 0.3,
    },
  ]);
  assert.deepEqual((await buy(t, {}, { 'karpenter-ts.dev/node-fee': '0.3/h' })).claims, UPSTREAM);
  assert.deepEqual((await buy(t, { packingMinGain: 0.8 })).claims, UPSTREAM);
  assert.deepEqual((await buy(t, { packingMaxExtraNodes: 0 })).claims, UPSTREAM);
});
