import { findCondition, isTrue, timestamp } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, NODE_CLAIMS, type NodeClaim, type NodePool, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError, nodeClassKey } from '@karpenter-ts/cloudprovider';
import {
  type Change,
  type Controller,
  DONE,
  durationText,
  ExpiringMap,
  findCause,
  HOUR,
  kindSource,
  MINUTE,
  patchStatus,
  type Result,
  scaleConcurrency,
  soonest,
  type Source,
} from '@karpenter-ts/runtime';
import { PoolSettings } from '../../options/pool-settings.ts';
import { withCondition, withoutCondition } from '../../writes/conditions.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { isManagedNodeClaim } from '../../state/managed.ts';
import { withNodeName } from '../nodeclaim-logger.ts';
import { findQuiet, type Quiet, shortestWait } from './consolidatable.ts';
import { isOffered, PoolDrifts } from './drift.ts';

/**
 * What the conditions are computed from. `offered`: uids of NodeClaims whose instance type was found among the
 * offerings recently.
 */
interface DisruptionDeps extends ControllerDeps {
  readonly poolDrifts: PoolDrifts;
  readonly settings: PoolSettings;
  readonly offered: ExpiringMap<string, true>;
  readonly signal: AbortSignal;
}

const DRIFT_PERIOD = 5 * MINUTE;
/**
 * Offerings change rarely, and only on the provider's side, so they are checked less often and only for older
 * NodeClaims.
 */
const OFFERINGS_PERIOD = 30 * MINUTE;
const OFFERINGS_CHECK_AGE = 1 * HOUR;

interface Marked {
  readonly nodeClaim: NodeClaim;
  readonly result: Result;
  readonly error?: Error;
}

/**
 * Keeps the conditions Drifted and Consolidatable of NodeClaims (spec 03 §13). Disruption itself is decided elsewhere.
 */
export function disruptionConditionsController(core: ControllerDeps): Controller {
  const { caches, client, clock, options, provider } = core;
  const offered = new ExpiringMap<string, true>(clock, OFFERINGS_PERIOD);
  const poolDrifts = new PoolDrifts(provider.profile);
  const settings = new PoolSettings(options);
  return {
    name: 'nodeclaim.disruption',
    kind: NODE_CLAIMS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: sourcesOf(core),
    reconcile: async (name, signal, logger) => {
      const nodeClaim = caches.nodeClaims.get(name);
      if (nodeClaim === undefined || !isManagedNodeClaim(nodeClaim, provider)) return DONE;
      const nodePool = caches.nodePools.get(nodeClaim.metadata.labels?.[NODEPOOL_LABEL] ?? '');
      if (nodePool === undefined || nodeClaim.metadata.deletionTimestamp !== undefined) return DONE;
      const marking = { ...core, offered, poolDrifts, settings, signal, logger: withNodeName(logger, nodeClaim) };
      const drift = await markDrift(marking, nodeClaim, nodePool);
      const quiet = markConsolidatable(marking, drift.nodeClaim, nodePool);
      await patchStatus(client, NODE_CLAIMS, nodeClaim, quiet.nodeClaim, signal);
      if (drift.error !== undefined) throw drift.error;
      return soonest([drift.result, quiet.result]);
    },
  };
}

/**
 * Unlike upstream, pods are not watched: their effect on a NodeClaim reaches its status, which is watched. A change of
 * a NodePool's status enqueues none of its NodeClaims, or every update of its counts would enqueue all of them.
 */
function sourcesOf({ caches, provider }: ControllerDeps): readonly Source[] {
  const names = (nodeClaims: readonly NodeClaim[]): readonly string[] =>
    nodeClaims.filter((one) => isManagedNodeClaim(one, provider)).map(({ metadata }) => metadata.name);
  return [
    kindSource(caches.nodeClaims, { when: ({ object }) => isManagedNodeClaim(object, provider) }),
    kindSource(caches.nodePools, {
      when: (change) => change.type !== 'updated' || hasNewTemplate(change),
      keys: ({ metadata }) => names(caches.nodeClaims.byIndex('nodePool', metadata.name)),
    }),
    ...caches.nodeClasses.all.map((nodeClasses) =>
      kindSource(nodeClasses, {
        keys: ({ metadata }) => {
          const key = nodeClassKey({ ...nodeClasses.type, name: metadata.name });
          return names(caches.nodeClaims.byIndex('nodeClass', key));
        },
      }),
    ),
  ];
}

function hasNewTemplate({ old, object }: Extract<Change<NodePool>, { readonly type: 'updated' }>): boolean {
  if (old.metadata.generation !== object.metadata.generation) return true;
  return JSON.stringify(old.metadata.annotations) !== JSON.stringify(object.metadata.annotations);
}

async function markDrift(marking: DisruptionDeps, nodeClaim: NodeClaim, nodePool: NodePool): Promise<Marked> {
  const { clock, logger } = marking;
  const wasDrifted = findCondition(nodeClaim, 'Drifted') !== undefined;
  const clear = (): NodeClaim => withoutCondition(nodeClaim, NODE_CLAIM_CONDITIONS, 'Drifted', clock.now());
  if (!isTrue(nodeClaim, 'Launched')) {
    if (wasDrifted) logger.debug("removing drift status condition, isn't launched");
    return { nodeClaim: clear(), result: DONE };
  }
  let reason: string | undefined;
  try {
    reason = await findDrift(marking, nodeClaim, nodePool);
  } catch (cause) {
    if (findCause(cause, NodeClaimNotFoundError) !== undefined) return { nodeClaim, result: DONE };
    return { nodeClaim, result: DONE, error: new Error('getting drift', { cause }) };
  }
  const result = { requeueAfter: DRIFT_PERIOD };
  if (reason === undefined) {
    if (wasDrifted) logger.debug('removing drifted status condition, not drifted');
    return { nodeClaim: clear(), result };
  }
  if (!wasDrifted) logger.debug('marking drifted', { reason });
  const change = { type: 'Drifted', status: 'True', reason, message: reason } as const;
  return { nodeClaim: withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, change, clock.now()), result };
}

/** The first reason for drift, cheapest checks first. */
async function findDrift(
  marking: DisruptionDeps,
  nodeClaim: NodeClaim,
  nodePool: NodePool,
): Promise<string | undefined> {
  const { poolDrifts, provider, signal } = marking;
  const drift = poolDrifts.find(nodeClaim, nodePool);
  if (drift !== undefined) return drift;
  if (!(await isInstanceOffered(marking, nodeClaim, nodePool))) return 'InstanceTypeNotFound';
  return provider.findDrift(nodeClaim, signal);
}

/** Only a positive answer is remembered, so that a negative one can be corrected at once. */
async function isInstanceOffered(marking: DisruptionDeps, nodeClaim: NodeClaim, nodePool: NodePool): Promise<boolean> {
  const { clock, offered, provider, signal } = marking;
  const { uid = '', creationTimestamp = '' } = nodeClaim.metadata;
  if (offered.has(uid) || clock.now() - Date.parse(creationTimestamp) <= OFFERINGS_CHECK_AGE) return true;
  const instanceTypes = await provider.instanceTypes(nodePool, signal);
  const { profile, reservedCapacityLabels } = provider;
  if (!isOffered(nodeClaim, { instanceTypes, profile, reservedCapacityLabels })) return false;
  offered.set(uid, true);
  return true;
}

/** Nodes of a static pool are never consolidated. */
function markConsolidatable(
  { clock, logger, settings }: DisruptionDeps,
  nodeClaim: NodeClaim,
  nodePool: NodePool,
): Marked {
  if (nodePool.spec.replicas !== undefined) return { nodeClaim, result: DONE };
  const now = clock.now();
  const type = 'Consolidatable';
  const wasMarked = findCondition(nodeClaim, type) !== undefined;
  const quiet = findQuiet(nodeClaim, shortestWait(nodePool, settings.of(nodePool)), now);
  if (quiet.kind === 'Consolidatable') {
    if (!wasMarked) logger.debug('marking consolidatable');
    return { nodeClaim: withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, { type, status: 'True' }, now), result: DONE };
  }
  if (wasMarked) logger.debug('removing consolidatable status condition', whyNot(quiet, now));
  const cleared = withoutCondition(nodeClaim, NODE_CLAIM_CONDITIONS, type, now);
  const result = quiet.kind === 'Busy' ? { requeueAfter: quiet.since + quiet.window - now } : DONE;
  return { nodeClaim: cleared, result };
}

function whyNot(
  quiet: Exclude<Quiet, { readonly kind: 'Consolidatable' }>,
  now: number,
): Readonly<Record<string, string>> {
  switch (quiet.kind) {
    case 'Disabled':
      return { reason: 'consolidation is disabled' };
    case 'NotInitialized':
      return { reason: "nodeclaim isn't initialized" };
    case 'Busy':
      return {
        reason: 'consolidateAfter window not yet elapsed',
        lastPodEventTime: timestamp(quiet.since),
        consolidateAfter: durationText(quiet.window),
        timeSincePodEvent: durationText(now - quiet.since),
      };
    default:
      return quiet satisfies never;
  }
}
