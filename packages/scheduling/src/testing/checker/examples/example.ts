// Plans by hand, for the checker to judge.
import {
  CORE_PROFILE,
  INITIALIZED_LABEL,
  nodeClassLabel,
  type NodePool,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  type Requirements,
  type RequirementSpec,
  toRequirements,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { parseQuantity, type Pod } from '@karpenter-ts/kubernetes';
import type { PlacedPod, Plan, PlannedNode } from '../../../plan.ts';
import { DEFAULT_PLANNING, EMPTY_SNAPSHOT, type PlanningOptions, type Snapshot } from '../../../snapshot.ts';
import { makeOffering, makePod, makePool, makeType } from '../../builders.ts';
import type { RuleName } from '../check-plan.ts';
import { usableOfferings } from '../checked-plan.ts';

// A catalogue of two types in zones a and b. The small one has room for two of the pods below.
const small = makeType('small', {
  capacity: { cpu: '2', memory: '4Gi', pods: '10' },
  offerings: [
    makeOffering('a', 'on-demand', 0.1),
    makeOffering('b', 'on-demand', 0.1),
    makeOffering('b', 'spot', 0.04),
  ],
});
const large = makeType('large', {
  capacity: { cpu: '8', memory: '16Gi', pods: '10' },
  offerings: [makeOffering('a', 'on-demand', 0.4), makeOffering('b', 'on-demand', 0.4)],
});
const gone = makeType('gone', {
  capacity: { cpu: '2', memory: '4Gi', pods: '10' },
  offerings: [makeOffering('a', 'on-demand', 0.01, { available: false })],
});
const catalogue = [large, gone, small];
export const DEFAULT = makePool('default');

export const one = { cpu: '1', memory: '1Gi' };
export const web = { app: 'web' };

/** A snapshot, its plan, and how it was planned. */
export interface PlanExample {
  readonly snapshot: Snapshot;
  readonly plan: Plan;
  readonly options: PlanningOptions;
}

interface ExampleParts extends Partial<Snapshot> {
  readonly nodePools?: readonly NodePool[];
  readonly newNodes?: readonly PlannedNode[];
  readonly onNodes?: Readonly<Record<string, readonly Pod[]>>;
  readonly refused?: readonly Pod[];
  readonly options?: Partial<PlanningOptions>;
}

/** All pods the plan mentions are pods of the snapshot, unless it says otherwise. */
export function planExample({
  nodePools = [DEFAULT],
  newNodes = [],
  onNodes = {},
  refused = [],
  options,
  ...parts
}: ExampleParts): PlanExample {
  const existingNodes = Object.entries(onNodes).map(([node, pods]) => ({ node, pods: pods.map(asIs) }));
  const mentioned = [...newNodes, ...existingNodes].flatMap(({ pods }) => pods.map(({ pod }) => pod));
  return {
    snapshot: {
      ...EMPTY_SNAPSHOT,
      pools: nodePools.map((nodePool) => ({ nodePool, instanceTypes: catalogue })),
      pods: [...mentioned, ...refused],
      ...parts,
    },
    plan: {
      newNodes,
      existingNodes,
      unschedulable: refused.map((pod) => ({ pod, failure: { why: 'NoUsablePools' } })),
      undecided: [],
      unusablePools: [],
      pricePerHour: newNodes.reduce((sum, { pricePerHour }) => sum + pricePerHour, 0),
    },
    options: { ...DEFAULT_PLANNING, ...options },
  };
}

const asIs = (pod: Pod): PlacedPod => ({ pod, relaxations: [] });

interface NodeParts extends Partial<Omit<PlannedNode, 'pods' | 'requirements' | 'requests' | 'nodePool'>> {
  readonly pool?: NodePool;
  readonly pods: readonly (Pod | PlacedPod)[];
  readonly asks?: readonly RequirementSpec[];
  readonly cpu?: string;
}

/** A node whose pods ask for a cpu and a gibibyte each, on-demand in either zone unless it asks for less. */
export function bought({ pool = DEFAULT, pods, asks = [], cpu, ...parts }: NodeParts): PlannedNode {
  const { instanceTypes = ['small', 'large'] } = parts;
  const { spec, metadata } = pool.spec.template;
  const labels = {
    ...metadata?.labels,
    [NODEPOOL_LABEL]: pool.metadata.name,
    [nodeClassLabel(spec.nodeClassRef)]: spec.nodeClassRef.name,
    [REGISTERED_LABEL]: 'true',
    [INITIALIZED_LABEL]: 'true',
  };
  const specs = [...Object.entries(labels).map(([key, value]) => is(key, value)), ...spec.requirements, ...asks];
  const requirements = toRequirements(specs, CORE_PROFILE);
  return {
    placeholder: 'node-1',
    nodePool: pool.metadata.name,
    pods: pods.map((pod) => ('pod' in pod ? pod : asIs(pod))),
    instanceTypes,
    lastResorts: 0,
    capacityTypes: waysToPay(instanceTypes, requirements),
    requirements,
    requests: new Map([
      ['cpu', parseQuantity(cpu ?? pods.length)],
      ['memory', parseQuantity(`${pods.length}Gi`)],
      ['pods', parseQuantity(pods.length)],
    ]),
    pricePerHour: 0.04,
    reservations: [],
    minValuesRelaxed: false,
    source: 'upstream',
    ...parts,
  };
}

/** By which types of the catalogue can be had. */
function waysToPay(names: readonly string[], requirements: Requirements): readonly string[] {
  const listed = catalogue.filter(({ name }) => names.includes(name));
  const offerings = listed.flatMap((type) => usableOfferings(type, requirements, CORE_PROFILE));
  return [...new Set(offerings.flatMap((offering) => offering.requirements[1]?.values ?? []))].sort();
}

export function is(key: string, ...values: readonly string[]) {
  return { key, operator: 'In', values } as const;
}

export const inZone = (zone: string) => is(ZONE_LABEL, zone);
export const pod = (name: string, parts: Parameters<typeof makePod>[1] = {}) =>
  makePod(name, { requests: one, ...parts });

/** For each rule a sound plan, and one that breaks the rule and perhaps others with it. */
export interface Case {
  readonly breaks: readonly [RuleName, ...RuleName[]];
  readonly sound: PlanExample;
  readonly broken: PlanExample;
}
