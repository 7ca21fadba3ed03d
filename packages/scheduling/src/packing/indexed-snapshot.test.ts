import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQuantity } from '@karpenter-ts/kubernetes';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { finish } from '../progress.ts';
import { isUnusable } from './plan-scope.ts';
import { indexSnapshot } from './indexed-snapshot.ts';
import { idOf, makeNode, makePod, makePool } from '../testing/builders.ts';
import { APP, away, podsWith, spreadOver } from '../testing/pod-parts.ts';
import { TestEnvironment } from '../testing/test-environment.ts';

test('what an index is asked is worked out once', () => {
  const antiAffine = makePod('anti-affine', { affinity: away(podsWith(ZONE_LABEL), podsWith(HOSTNAME_LABEL)) });
  const spread = [spreadOver(ZONE_LABEL), spreadOver(HOSTNAME_LABEL)];
  const { snapshot, options } = new TestEnvironment({
    nodes: [makeNode('n', { labels: { [ZONE_LABEL]: 'test-zone-1' }, pods: [antiAffine] })],
    pods: [makePod('a', { labels: APP, topologySpreadConstraints: spread })],
  });
  const index = finish(indexSnapshot(snapshot, options));
  const { demands, internTables } = index;
  const { domainCounts, inverseAntiAffinity, topologyRules } = index.topology;
  const once = (ask: () => object) => assert.equal(ask(), ask());
  const { podClass } = index.queue.all[0]!;
  const { kind, shape } = podClass;
  const stage = kind.constraints.stages[0]!;
  const [byZone, byHost] = topologyRules.binding(kind, stage);
  const zones = internTables.domains.of(ZONE_LABEL);
  once(() => topologyRules.binding(kind, stage));
  once(() => topologyRules.inverse(kind));
  once(() => domainCounts.labelCounts(byZone!));
  once(() => domainCounts.nodeCounts(byZone!));
  once(() => domainCounts.hostCounts(byHost!));
  once(() => domainCounts.nodesIn(zones));
  const [zoneRule, hostRule] = inverseAntiAffinity.against(kind.identity);
  once(() => inverseAntiAffinity.labelCounts(zoneRule!));
  once(() => inverseAntiAffinity.hostCounts(hostRule!));
  once(() => index.pools.offeredDomainsOf(snapshot.pools));
  once(() => index.pools.offeredDomainsOf(snapshot.pools).domainsFor(zones, undefined));
  once(() => demands.of(podClass, stage));
  once(() => demands.requestsOf(shape));
  const template = () => index.pools.templatesOf(snapshot.pools)[0]!.template;
  once(template);
  const made = template();
  assert.ok(!isUnusable(made));
  once(() => made.market.supply(made.set));
  once(() => made.market.priceOrder(made.set));
  once(() => made.market.allocatable(0));
  once(() => internTables.sets.toRequirements(made.set));
  once(() => zones.admitted(zones.requirement(0)));
});

test('a limit counts the nodes of its own pool, and not those that are gone', () => {
  const { snapshot, options } = new TestEnvironment({
    nodes: ['a', 'b'].map((pool) => makeNode(`of-${pool}`, { pool, capacity: { cpu: '3' } })),
    pools: ['a', 'b', 'free'].map((name) => makePool(name, name === 'free' ? {} : { limits: { cpu: '10' } })),
  });
  const index = finish(indexSnapshot(snapshot, options));
  const left = (at: number, ...removedNodes: readonly string[]) => {
    const { pool, template } = index.pools.templatesOf(snapshot.pools)[at]!;
    assert.ok(!isUnusable(template));
    const limits = index.pools.findLimits(
      pool,
      template,
      removedNodes.map((name) => index.nodes.find(idOf(name))!),
    );
    return limits && formatQuantity(limits.remaining.get('cpu')!);
  };
  assert.deepEqual([left(0), left(1), left(2)], [undefined, '7', '7']); // the later name first
  assert.deepEqual([left(1, 'of-b'), left(1, 'of-a'), left(1)], ['10', '7', '7']);
});
