import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KWOK_PROFILE } from '@karpenter-ts/apis';
import { defaultsOf } from '@karpenter-ts/runtime';
import { extensionOptions } from '@karpenter-ts/core';
import { DEFAULT_PLANNING, EMPTY_SNAPSHOT, finish, packingOptions, planSnapshot } from '@karpenter-ts/scheduling';
import { makePod, makePool } from '@karpenter-ts/scheduling/testing';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { loadCatalogue } from './catalogue.ts';
import { kwokTypes } from './kwok-types.ts';

test('09/2 on the KWOK catalogue, whose prices are linear, the claims are upstream’s', () => {
  const random = seededRandom(2);
  const pods = Array.from({ length: 100 }, (_, i) =>
    makePod(`p-${i}`, {
      requests: { cpu: random.pick(['100m', '500m', '1', '3', '7']), memory: random.pick(['128Mi', '1Gi', '6Gi']) },
      ...(random.chance(0.2) && { nodeSelector: { 'kubernetes.io/arch': random.pick(['amd64', 'arm64']) } }),
      ...(random.chance(0.2) && { nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' } }),
    }),
  );
  const snapshot = { ...EMPTY_SNAPSHOT, pods, pools: [{ nodePool: makePool('default'), instanceTypes: kwokTypes() }] };
  const options = { ...DEFAULT_PLANNING, profile: KWOK_PROFILE };
  const packing = packingOptions(defaultsOf(extensionOptions));
  const upstream = finish(planSnapshot(snapshot, options));
  const costAware = finish(planSnapshot(snapshot, { ...options, packing }));
  assert.equal(costAware.packing?.why, 'LinearPrices');
  assert.ok(upstream.newNodes.length > 0);
  assert.deepEqual(costAware.newNodes, upstream.newNodes);
});

for (const policy of ['Upstream', 'CostAware'] as const) {
  test(`on the EC2 catalogue 300 pods without devices get no metal type, and cost what a launch takes: ${policy}`, () => {
    const random = seededRandom(5);
    const pods = Array.from({ length: 300 }, (_, i) => {
      const requests = { cpu: random.pick(['500m', '1', '2', '3']), memory: random.pick(['1Gi', '2Gi', '4Gi', '8Gi']) };
      return makePod(`p-${i}`, { requests });
    });
    const catalogue = loadCatalogue({ instanceTypesFilePath: '', catalogue: 'ec2' });
    const { instanceTypes, profile, named } = catalogue;
    const snapshot = { ...EMPTY_SNAPSHOT, pods, pools: [{ nodePool: makePool('default'), instanceTypes }] };
    const packing = packingOptions({ ...defaultsOf(extensionOptions), packingPolicy: policy });
    const { newNodes } = finish(planSnapshot(snapshot, { ...DEFAULT_PLANNING, profile, packing }));
    assert.ok(newNodes.length > 0);
    for (const { instanceTypes: listed, lastResorts, pricePerHour } of newNodes) {
      const isMarked = listed.map((name) => named(name)[0]!.lastResort === true);
      assert.equal(isMarked.indexOf(true), lastResorts === 0 ? -1 : listed.length - lastResorts);
      assert.ok(isMarked.slice(listed.length - lastResorts).every(Boolean));
      const others = listed.slice(0, listed.length - lastResorts).flatMap((name) => named(name)[0]!.offerings);
      assert.equal(pricePerHour, Math.min(...others.map((one) => one.pricePerHour)));
    }
    assert.ok(policy === 'Upstream' || newNodes.some(({ lastResorts }) => lastResorts > 0));
  });
}
