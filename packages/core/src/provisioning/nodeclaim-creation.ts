import {
  findExceededLimit,
  formatExceededLimit,
  INSTANCE_TYPE_LABEL,
  MIN_VALUES_RELAXED,
  type NodeClaim,
  NODEPOOL_LABEL,
} from '@karpenter-ts/apis';
import {
  combineErrors,
  defineCounter,
  errorText,
  LoggedRef,
  type Logger,
  nameList,
  notFoundText,
} from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import type { PlacedPod } from '@karpenter-ts/scheduling';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { OpenDecision } from '../state/decision-ring.ts';
import { nominated } from '../pods/scheduling-events.ts';
import type { LaunchState } from './launch-state.ts';
import type { TimeSlices } from '../state/time-slices.ts';

const createdNodeClaims = defineCounter(
  'karpenter_nodeclaims_created_total',
  ['reason', 'nodepool', 'min_values_relaxed'],
  'Number of nodeclaims created in total by Karpenter. Labeled by reason the nodeclaim was created, the owning ' +
    'nodepool, and if min values was relaxed for this nodeclaim.',
);

export type CreationDeps = Pick<ControllerDeps, 'caches' | 'client' | 'events' | 'metrics'> & {
  readonly cluster: ClusterModel;
  readonly launchState: LaunchState;
};

/** A NodeClaim to create. */
export interface Order {
  readonly nodeClaim: NodeClaim;
  /** The pods that are expected on its node. */
  readonly pods: readonly PlacedPod[];
  /** The decision to create this NodeClaim alone, which ends with its creation. */
  readonly decision?: OpenDecision;
}

/** Why NodeClaims are created. */
export interface Occasion {
  /** A value of the label `reason` in metrics: `provisioned` for pending pods. */
  readonly reason: string;
  /** Whether to publish an event on the pods about where they are expected. */
  readonly tellsPods: boolean;
}

/**
 * The number of creations at a time. It is half of the connections for requests (server-agent.ts): when an admission
 * webhook delays every creation by seconds, the other controllers can still send theirs.
 */
const MOST_UNDER_WAY = 128;

/**
 * Creates the NodeClaim of every order, many at a time, and takes an order only when it is its turn. A failure does not
 * stop the others: all errors are thrown together at the end. Resolves with the names, in order.
 */
export async function createNodeClaims(
  deps: CreationDeps,
  orders: Iterable<Order>,
  occasion: Occasion,
  slices: TimeSlices,
  logger: Logger,
): Promise<readonly string[]> {
  const creations: Promise<string>[] = [];
  const underWay = new Set<Promise<unknown>>();
  try {
    for (const order of orders) {
      if (underWay.size === MOST_UNDER_WAY) await Promise.race(underWay);
      if (slices.isOver) await slices.pause();
      const creation = createAndConclude(deps, order, occasion, slices.signal, logger);
      creations.push(creation);
      const ended = creation.catch(() => undefined).finally(() => underWay.delete(ended));
      underWay.add(ended);
    }
  } finally {
    await Promise.allSettled(creations); // also when the process stops, so that every answer is handled
  }
  const outcomes = await Promise.allSettled(creations);
  const failures = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => describe(reason));
  if (failures.length > 0) throw combineErrors(failures);
  return outcomes.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
}

function describe(cause: unknown): Error {
  return new Error(`creating node claim, ${errorText(cause)}`, { cause });
}

async function createAndConclude(
  deps: CreationDeps,
  order: Order,
  occasion: Occasion,
  signal: AbortSignal,
  logger: Logger,
): Promise<string> {
  try {
    const name = await createNodeClaim(deps, order, occasion, signal, logger);
    order.decision?.succeed({ kind: 'NodeClaim', name });
    return name;
  } catch (error) {
    order.decision?.fail(errorText(error));
    throw error;
  }
}

async function createNodeClaim(
  deps: CreationDeps,
  { nodeClaim: ordered, pods }: Order,
  { reason, tellsPods }: Occasion,
  signal: AbortSignal,
  logger: Logger,
): Promise<string> {
  const { client, cluster, events, metrics, launchState } = deps;
  const nodePool = ordered.metadata.labels?.[NODEPOOL_LABEL] ?? '';
  checkLimits(deps, nodePool);
  // The client must not retry: the server generates the name, so each try could store another NodeClaim.
  const creation = client.create(NODE_CLAIMS, ordered, { retries: 0 }, signal);
  creation.catch((error: unknown) => launchState.unacknowledged.noteFailure(error));
  const nodeClaim = await creation;
  const { name } = nodeClaim.metadata;
  cluster.track(nodeClaim);
  for (const { pod } of pods) cluster.decisions.expectOn(pod, name);
  logger.info('created nodeclaim', {
    NodePool: new LoggedRef({ name: nodePool }),
    NodeClaim: new LoggedRef({ name }),
    requests: nodeClaim.spec.resources?.requests,
    'instance-types': nameList(typesOf(nodeClaim), 5),
  });
  const min_values_relaxed = nodeClaim.metadata.annotations?.[MIN_VALUES_RELAXED] ?? 'false';
  metrics.increment(createdNodeClaims, { reason, nodepool: nodePool, min_values_relaxed });
  if (tellsPods) for (const { pod } of pods) events.publish(nominated(pod, { nodeClaim: name }));
  return name;
}

/** Planning respects the limits it saw. Since then the NodePool may have grown, or its limits may have been lowered. */
function checkLimits({ caches, cluster }: CreationDeps, name: string): void {
  const nodePool = caches.nodePools.get(name);
  if (nodePool === undefined) throw new Error(`getting current resource usage, ${notFoundText(NODE_POOLS, name)}`);
  const exceeded = findExceededLimit(nodePool.spec.limits ?? {}, cluster.usageOf(name));
  if (exceeded !== undefined) throw new Error(formatExceededLimit(exceeded));
}

function typesOf({ spec }: NodeClaim): readonly string[] {
  return spec.requirements.find(({ key }) => key === INSTANCE_TYPE_LABEL)?.values ?? [];
}
