// Candidates and what a simulation says about them, for tests of what consolidation makes of prices and settings.
import {
  CAPACITY_TYPE_LABEL,
  type DisruptionSettings,
  disruptionSettings,
  NO_MINIMUM,
  type NodePool,
  NODEPOOL_LABEL,
  type RequirementSpec,
  toRequirements,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { NO_AMOUNTS, timestamp } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import { type InstanceType, LaunchPriceIndexes, type Plan, type PlannedNode } from '@karpenter-ts/scheduling';
import { FAKE_PROFILE, fakeType, makeNode as makeExisting, makeOffering } from '@karpenter-ts/scheduling/testing';
import { conditionOf } from '../../testing/cluster-objects.ts';
import { makeNode, makeNodeClaim, makeNodePool } from '../../testing/objects.ts';
import type { Candidate } from '../candidates/candidate.ts';
import type { ConsolidationContext } from '../consolidation/consolidation-option.ts';
import type { DisruptionPool } from '../view/disruption-state.ts';
import type { Simulation } from '../simulation/simulator.ts';

/** Later than every time in the objects that tests build. */
export const NOW: Instant = Date.parse('2026-06-01T12:00:00Z');

/** A type that is sold in one zone at this price, on demand unless said otherwise. */
export function pricedType(name: string, price: number, parts: { spot?: number; cpu?: string } = {}): InstanceType {
  const { spot, cpu = '4' } = parts;
  const offerings = [
    makeOffering('test-zone-1', 'on-demand', price),
    ...(spot === undefined ? [] : [makeOffering('test-zone-1', 'spot', spot)]),
  ];
  return fakeType(name, { offerings, resources: { cpu } });
}

type PoolParts = NonNullable<Parameters<typeof makeNodePool>[1]> & { readonly name?: string };

/** A pool that offers these types. Keys of annotations are written without our domain. */
export function disruptionPool(
  types: readonly InstanceType[],
  { name = 'default', ...parts }: PoolParts = {},
): DisruptionPool {
  const annotations = Object.fromEntries(
    Object.entries(parts.annotations ?? {}).map(([key, text]) => [`karpenter-ts.dev/${key}`, text]),
  );
  const nodePool = makeNodePool(name, { ...parts, annotations });
  return {
    nodePool,
    settings: settingsOf(nodePool),
    offered: types,
    instanceTypes: new Map(types.map((type) => [type.name, type])),
  };
}

function settingsOf(nodePool: NodePool): DisruptionSettings {
  return disruptionSettings(nodePool, {
    extensions: 'all',
    consolidationMaxReplacements: 1,
    consolidationMinSavings: NO_MINIMUM,
    expirationPolicy: 'Forceful',
  });
}

interface CandidateParts {
  readonly price?: number;
  readonly capacityType?: string;
  readonly rescheduleDisruptionCost?: number;
  /** When its NodeClaim was created and initialized; a day ago by default. */
  readonly created?: Instant;
  readonly lastPodEvent?: Instant;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly conditions?: readonly string[];
}

const DAY = 24 * 60 * 60 * 1000;

/** A candidate of the pool: a node with a pod, consolidatable for a day. */
export function makeCandidate(
  name: string,
  pool: DisruptionPool,
  type: InstanceType,
  parts: CandidateParts = {},
): Candidate {
  const { price = 1, capacityType = 'on-demand', created = NOW - DAY, lastPodEvent, annotations = {} } = parts;
  const { rescheduleDisruptionCost = 2, conditions = ['Initialized', 'Consolidatable'] } = parts;
  const zone = 'test-zone-1';
  const labels = {
    [NODEPOOL_LABEL]: pool.nodePool.metadata.name,
    [CAPACITY_TYPE_LABEL]: capacityType,
    [ZONE_LABEL]: zone,
    'node.kubernetes.io/instance-type': type.name,
  };
  const made = makeNodeClaim(name, { pool: pool.nodePool, annotations });
  const nodeClaim = {
    ...made,
    metadata: { ...made.metadata, creationTimestamp: timestamp(created) },
    status: {
      conditions: conditions.map((one) => ({ ...conditionOf(one), lastTransitionTime: timestamp(created) })),
      ...(lastPodEvent !== undefined && { lastPodEventTime: timestamp(lastPodEvent) }),
    },
  };
  const node = makeNode(name, { labels });
  const existing = { ...makeExisting(name), labels, capacity: type.capacity };
  return {
    stateNode: { providerId: `fake:///${name}`, node, nodeClaim, existing, isDeleting: false, nominatedUntil: 0 },
    node,
    nodeClaim,
    pool,
    instanceType: type,
    zone,
    capacityType,
    reschedulablePods: [],
    price,
    disruptionCost: rescheduleDisruptionCost,
    rescheduleDisruptionCost,
    savingsRatio: price / rescheduleDisruptionCost,
  };
}

/** What consolidation knows of these pools. */
export function contextOf(
  pools: readonly DisruptionPool[],
  parts: Partial<ConsolidationContext> = {},
): ConsolidationContext {
  return {
    pools: new Map(pools.map((pool) => [pool.nodePool.metadata.name, pool])),
    prices: new LaunchPriceIndexes(FAKE_PROFILE),
    spotToSpot: true,
    splits: { now: NOW, isSplitting: () => false, capacityOf: () => ({}) },
    ...parts,
  };
}

/** A simulation that buys a node of each of these lists of types. */
export function simulationOf(
  pool: DisruptionPool,
  newNodes: readonly (readonly InstanceType[])[],
  requirements: readonly RequirementSpec[] = [],
): Simulation {
  const plan: Plan = {
    newNodes: newNodes.map((types, i) => plannedNode(`new-${i}`, pool, types, requirements)),
    existingNodes: [],
    unschedulable: [],
    undecided: [],
    unusablePools: [],
    pricePerHour: 0,
  };
  return { plan, errors: [] };
}

function plannedNode(
  placeholder: string,
  pool: DisruptionPool,
  types: readonly InstanceType[],
  requirements: readonly RequirementSpec[],
): PlannedNode {
  return {
    placeholder,
    nodePool: pool.nodePool.metadata.name,
    pods: [],
    instanceTypes: types.map(({ name }) => name),
    lastResorts: 0,
    capacityTypes: ['on-demand'],
    requirements: toRequirements(requirements, FAKE_PROFILE),
    requests: NO_AMOUNTS,
    pricePerHour: 0,
    reservations: [],
    minValuesRelaxed: false,
    source: 'upstream',
  };
}
