import {
  type DisruptionSettings,
  EXPIRED_AT,
  NODE_CLAIMS,
  type NodeClaim,
  type NodePool,
  NODEPOOL_LABEL,
  UPSTREAM_DISRUPTION,
} from '@karpenter-ts/apis';
import { instantOf, timestamp } from '@karpenter-ts/kubernetes';
import {
  type Change,
  type Controller,
  DONE,
  type Instant,
  kindSource,
  type Result,
  scaleConcurrency,
  type Source,
  unlessGone,
} from '@karpenter-ts/runtime';
import { PoolSettings } from '../options/pool-settings.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodeClaim } from '../state/managed.ts';
import { withNodeName } from './nodeclaim-logger.ts';
import type { NodeClaimDeletions } from './deletions.ts';
import { expiryOf } from './expiry.ts';

/** What is to be done about the age of a NodeClaim. */
type Expiration =
  /** Nothing before this time; undefined for never. */
  | { readonly kind: 'Wait'; readonly until: Instant | undefined }
  /** It has not expired yet, though it was marked: its pool asks for less jitter than before. */
  | { readonly kind: 'Unmark' }
  /** Disruption is to replace it, and is told so by an annotation. */
  | { readonly kind: 'Mark' }
  | { readonly kind: 'Delete' };

/** What the pool's policy asks for (spec 09 B2). Upstream deletes at once. */
function findExpiration(nodeClaim: NodeClaim, settings: DisruptionSettings, now: Instant): Expiration {
  const { expirationPolicy, expirationDeadline } = settings;
  const expiredAt = instantOf(nodeClaim.metadata.annotations?.[EXPIRED_AT]);
  const expiry = expiryOf(nodeClaim, settings);
  if (expiry === undefined || expiry > now) {
    return expiredAt === undefined ? { kind: 'Wait', until: expiry } : { kind: 'Unmark' };
  }
  if (expirationPolicy === 'Forceful') return { kind: 'Delete' };
  if (expiredAt === undefined || Number.isNaN(expiredAt)) return { kind: 'Mark' };
  if (expirationDeadline === 'None') return { kind: 'Wait', until: undefined };
  const deadline = expiredAt + expirationDeadline;
  return deadline <= now ? { kind: 'Delete' } : { kind: 'Wait', until: deadline };
}

/**
 * Deletes NodeClaims that have reached `expireAfter`, regardless of budgets and pods (spec 03 §9). Several at a time,
 * unlike upstream. Where the NodePool's policy is Graceful they are marked for disruption to replace, and deleted only
 * at the deadline.
 */
export function expirationController(core: ControllerDeps & { readonly deletions: NodeClaimDeletions }): Controller {
  const { caches, clock, deletions, options, provider } = core;
  const settings = new PoolSettings(options);
  return {
    name: 'nodeclaim.expiration',
    kind: NODE_CLAIMS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: sourcesOf(core),
    reconcile: async (name, signal, logger) => {
      const nodeClaim = caches.nodeClaims.get(name);
      if (nodeClaim === undefined || !isManagedNodeClaim(nodeClaim, provider)) return DONE;
      if (nodeClaim.metadata.deletionTimestamp !== undefined) return DONE;
      const nodePool = caches.nodePools.get(nodeClaim.metadata.labels?.[NODEPOOL_LABEL] ?? '');
      const ofPool = nodePool === undefined ? UPSTREAM_DISRUPTION : settings.of(nodePool);
      const now = clock.now();
      const expiration = findExpiration(nodeClaim, ofPool, now);
      switch (expiration.kind) {
        case 'Wait':
          return waitUntil(expiration.until, now);
        case 'Mark':
        case 'Unmark':
          await mark(core, nodeClaim, expiration.kind === 'Mark' ? timestamp(now) : null, signal);
          return DONE; // the change enqueues it again
        case 'Delete':
          break;
        default:
          return expiration satisfies never;
      }
      const result = await deletions.request(nodeClaim, 'expired', signal);
      if (result === 'deleted') withNodeName(logger, nodeClaim).debug('deleting expired nodeclaim');
      return DONE;
    },
  };
}

/** The policy of a NodePool is read for each of its NodeClaims. */
function sourcesOf({ caches, provider }: ControllerDeps): readonly Source[] {
  return [
    kindSource(caches.nodeClaims, { when: ({ object }) => isManagedNodeClaim(object, provider) }),
    kindSource(caches.nodePools, {
      when: hasOtherAnnotations,
      keys: ({ metadata }) =>
        caches.nodeClaims
          .byIndex('nodePool', metadata.name)
          .filter((one) => isManagedNodeClaim(one, provider))
          .map((one) => one.metadata.name),
    }),
  ];
}

function hasOtherAnnotations(change: Change<NodePool>): boolean {
  if (change.type !== 'updated') return true;
  const { old, object } = change;
  return JSON.stringify(old.metadata.annotations) !== JSON.stringify(object.metadata.annotations);
}

function waitUntil(until: Instant | undefined, now: Instant): Result {
  return until === undefined ? DONE : { requeueAfter: until - now };
}

async function mark(
  { client }: ControllerDeps,
  { metadata: { name } }: NodeClaim,
  expiredAt: string | null,
  signal: AbortSignal,
): Promise<void> {
  const body = { metadata: { annotations: { [EXPIRED_AT]: expiredAt } } };
  await unlessGone(client.patch(NODE_CLAIMS, { name }, { type: 'merge', body }, {}, signal));
}
