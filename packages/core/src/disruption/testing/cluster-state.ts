// The state of a pass over a cluster that a test describes, without caches and API server.
import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  type NodePool,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  UPSTREAM_DISRUPTION,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { type Node, type Pod, POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from '@karpenter-ts/kubernetes';
import { FilledCache } from '@karpenter-ts/runtime';
import { describeNode, type InstanceType } from '@karpenter-ts/scheduling';
import { fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import type { StateNode } from '../../state/state-node.ts';
import { TimeSlices } from '../../state/time-slices.ts';
import { conditionOf, readyPool } from '../../testing/cluster-objects.ts';
import { makeNode, makeNodeClaim } from '../../testing/objects.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { CandidateFinder, type CandidateScan } from '../candidates/candidate-filters.ts';
import type { DisruptionPool, DisruptionState } from '../view/disruption-state.ts';

/** A day after the times in the objects that tests build. */
export const NOW = Date.parse('2026-01-02T00:00:00Z');

/** `small` costs 1 on demand and 0.4 as spot, `large` twice that, both in `zone-a` only. */
const TYPES: readonly InstanceType[] = [
  fakeType('small', { offerings: [makeOffering('zone-a', 'on-demand', 1), makeOffering('zone-a', 'spot', 0.4)] }),
  fakeType('large', { offerings: [makeOffering('zone-a', 'on-demand', 2), makeOffering('zone-a', 'spot', 0.8)] }),
];

/** A NodePool that offers these types; a ready one with that name if it is given as text. */
export function poolOf(pool: NodePool | string = 'default', offered = TYPES): DisruptionPool {
  const nodePool = typeof pool === 'string' ? readyPool(pool) : pool;
  const instanceTypes = new Map(offered.map((type) => [type.name, type]));
  return { nodePool, settings: UPSTREAM_DISRUPTION, offered, instanceTypes };
}

/** A NodePool of which everything may be disrupted at once, with these settings for disruption. */
export function freePool(name: string, disruption: Partial<NodePool['spec']['disruption']> = {}): NodePool {
  const rest = { consolidateAfter: '0s', consolidationPolicy: 'WhenEmptyOrUnderutilized', ...disruption } as const;
  return readyPool(name, { disruption: { budgets: [], ...rest } });
}

/** Labels as they should be, and `undefined` for those to take away. */
type Labels = Readonly<Record<string, string | undefined>>;

interface NodeParts {
  readonly pool?: string;
  readonly labels?: Labels;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly pods?: readonly Pod[];
  /** Only one of the two objects. */
  readonly only?: 'Node' | 'NodeClaim';
  readonly claim?: Partial<NodeClaim['spec']>;
  readonly claimMetadata?: Partial<NodeClaim['metadata']>;
  /** Types of True conditions of the NodeClaim; whole conditions for others. */
  readonly conditions?: readonly (string | ReturnType<typeof conditionOf>)[];
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly isDeleting?: boolean;
}

/** A node of type `small`, bought on demand: initialized, consolidatable, and without pods unless said otherwise. */
export interface DescribedNode {
  readonly stateNode: StateNode;
  readonly pods: readonly Pod[];
}

export function node(name: string, parts: NodeParts = {}): DescribedNode {
  const { pool = 'default', pods = [], isDeleting = false } = parts;
  const labels = withoutUndefined({
    [NODEPOOL_LABEL]: pool,
    [INSTANCE_TYPE_LABEL]: 'small',
    [ZONE_LABEL]: 'zone-a',
    [CAPACITY_TYPE_LABEL]: 'on-demand',
    [REGISTERED_LABEL]: 'true',
    [INITIALIZED_LABEL]: 'true',
    ...parts.labels,
  });
  const objects = {
    node: parts.only === 'NodeClaim' ? undefined : nodeOf(name, labels, parts),
    nodeClaim: parts.only === 'Node' ? undefined : nodeClaimOf(name, labels, parts),
  };
  const existing = describeNode({ ...objects, pods });
  return { stateNode: { providerId: `fake:///${name}`, ...objects, existing, isDeleting, nominatedUntil: 0 }, pods };
}

function nodeOf(name: string, labels: Readonly<Record<string, string>>, parts: NodeParts): Node {
  const { annotations, ready = 'True' } = parts;
  const made = makeNode(name, { labels, ready, taints: [], providerID: `fake:///${name}` });
  return { ...made, metadata: { ...made.metadata, ...(annotations && { annotations }) } };
}

function nodeClaimOf(name: string, labels: Readonly<Record<string, string>>, parts: NodeParts): NodeClaim {
  const { claim = {}, claimMetadata = {}, conditions = ['Launched', 'Initialized', 'Consolidatable'] } = parts;
  const made = makeNodeClaim(`claim-of-${name}`, claim);
  return {
    ...made,
    metadata: { ...made.metadata, labels, creationTimestamp: '2026-01-01T00:00:00Z', ...claimMetadata },
    status: {
      providerID: `fake:///${name}`,
      conditions: conditions.map((one) => (typeof one === 'string' ? conditionOf(one) : one)),
    },
  };
}

function withoutUndefined(labels: Labels): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(labels).filter((label): label is [string, string] => label[1] !== undefined),
  );
}

interface ClusterParts {
  readonly nodes: readonly DescribedNode[];
  /** One called `default` unless said otherwise. */
  readonly pools?: readonly DisruptionPool[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly now?: number;
  /** Names of nodes. */
  readonly nominated?: readonly string[];
  readonly queued?: readonly string[];
}

/** The state of a pass over this cluster. */
export function stateOf({ nodes, pools = [poolOf()], budgets = [], ...parts }: ClusterParts): DisruptionState {
  const { now = NOW, nominated = [], queued = [] } = parts;
  const stateNodes = nodes.map(({ stateNode }) => stateNode);
  const pods = new Map(nodes.map((one) => [one.stateNode.node?.metadata.name, one.pods]));
  const ids = (names: readonly string[]) => new Set(names.map((name) => `fake:///${name}`));
  return {
    now,
    stateNodes: {
      active: stateNodes.filter(({ isDeleting }) => !isDeleting),
      deleting: stateNodes.filter(({ isDeleting }) => isDeleting),
    },
    pools: new Map(pools.map((pool) => [pool.nodePool.metadata.name, pool])),
    pendingPods: [],
    podDisruptionBudgets: indexBudgets(budgets),
    podsOn: (name) => pods.get(name) ?? [],
    isNominated: ({ providerId }) => ids(nominated).has(providerId),
    isQueued: (providerId) => ids(queued).has(providerId),
  };
}

function indexBudgets(budgets: readonly PodDisruptionBudget[]): PodDisruptionBudgets {
  const cache = new FilledCache<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {});
  const index = new PodDisruptionBudgets({ disruptionBudgets: cache });
  for (const budget of budgets) cache.put(budget);
  return index;
}

/** A PodDisruptionBudget of the namespace `default` for pods with label `app: <app>`. */
export function podBudget(
  name: string,
  app: string,
  { disruptionsAllowed = 0, ...spec }: Partial<PodDisruptionBudget['spec']> & { disruptionsAllowed?: number } = {},
): PodDisruptionBudget {
  return {
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: { app } }, ...spec },
    status: { disruptionsAllowed },
  };
}

/** What a finder finds in this state. */
export function scan(state: DisruptionState, finder = new CandidateFinder()): Promise<CandidateScan> {
  return finder.find(state, new TimeSlices({ elapsed: () => 0 }, new AbortController().signal));
}

/** The graceful candidates among these nodes. */
export async function candidatesOf(parts: ClusterParts): Promise<readonly Candidate[]> {
  return (await scan(stateOf(parts))).graceful.candidates;
}

export function namesOf(candidates: readonly Candidate[]): readonly string[] {
  return candidates.map(({ node: { metadata } }) => metadata.name);
}
