import {
  CLUSTER_NAME_TAG,
  CLUSTER_NAME_TAGGED,
  INSTANCE_TAGGED,
  NODE_CLAIMS,
  type NodeClaim,
  NODECLAIM_TAG,
} from '@karpenter-ts/apis';
import { NodeClaimNotFoundError, type ProviderCaches } from '@karpenter-ts/cloudprovider';
import {
  type CancellableClient,
  type CancellableClock,
  type Controller,
  DONE,
  findCause,
  kindSource,
  LoggedRef,
  type Logger,
  MINUTE,
  REASONABLE_RETRIES,
  SECOND,
  TerminalError,
  unlessGone,
} from '@karpenter-ts/runtime';
import { isAccessDenied, isTagLimitExceeded } from '../api/aws-error.ts';
import { within } from '../api/with-context.ts';
import type { Instances } from '../instances/instances.ts';
import { instanceIdOf } from '../instances/provider-id.ts';
import { isManagedNodeClaim } from '../node-class/managed.ts';

export interface NodeClaimTaggingDeps {
  readonly instances: Pick<Instances, 'getFresh' | 'createTags'>;
  readonly client: CancellableClient;
  readonly caches: Pick<ProviderCaches, 'nodeClaims'>;
  readonly clock: CancellableClock;
  readonly clusterName: string;
}

/** CreateTags draws on the same allowance as CreateFleet, which is more urgent. */
const BETWEEN_CALLS = 1 * SECOND;

/** How soon tags are tried again that EC2 will refuse until somebody changes something. */
const AFTER_REFUSAL = 10 * MINUTE;

const CONTEXT = 'tagging nodeclaim';

/** Both say `true` once the instance has its tags. */
const DONE_ANNOTATIONS = { [INSTANCE_TAGGED]: 'true', [CLUSTER_NAME_TAGGED]: 'true' };

/**
 * Tags each instance with the names of its Node, NodeClaim and cluster, which are known only after the launch (spec 07
 * §22.2). There is one worker, so that calls come one after another.
 */
export function nodeClaimTaggingController(deps: NodeClaimTaggingDeps): Controller {
  const { caches, client } = deps;
  return {
    name: 'nodeclaim.tagging',
    kind: NODE_CLAIMS,
    retries: REASONABLE_RETRIES,
    sources: [kindSource(caches.nodeClaims, { when: ({ object }) => isTaggable(object) })],
    reconcile: async (name, signal, logger) => {
      const nodeClaim = caches.nodeClaims.get(name);
      if (nodeClaim === undefined || !isTaggable(nodeClaim)) return DONE;
      const id = readInstanceId(nodeClaim, logger);
      if (id === undefined || !(await addMissingTags(id, nodeClaim, deps, signal))) return DONE;
      const body = { metadata: { annotations: DONE_ANNOTATIONS } };
      await unlessGone(client.patch(NODE_CLAIMS, { name }, { type: 'merge', body }, {}, signal));
      return DONE;
    },
  };
}

function isTaggable(nodeClaim: NodeClaim): boolean {
  const { annotations, deletionTimestamp } = nodeClaim.metadata;
  const isTagged = Object.keys(DONE_ANNOTATIONS).every((key) => annotations?.[key] === 'true');
  const hasNode = Boolean(nodeClaim.status?.nodeName);
  return isManagedNodeClaim(nodeClaim) && !isTagged && hasNode && deletionTimestamp === undefined;
}

/** A bad provider id does not get better by trying again. */
function readInstanceId({ status }: NodeClaim, logger: Logger): string | undefined {
  try {
    return instanceIdOf(status?.providerID ?? '');
  } catch (error) {
    logger.error('failed parsing instance id', error, {
      Node: new LoggedRef({ name: status?.nodeName ?? '' }),
      'provider-id': status?.providerID ?? '',
    });
    return undefined;
  }
}

/** What the instance has stays as it is: `Name` may be the user's. False if the instance is gone. */
async function addMissingTags(
  id: string,
  { metadata, status }: NodeClaim,
  deps: NodeClaimTaggingDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { instances, clusterName } = deps;
  const wanted = { Name: status?.nodeName ?? '', [NODECLAIM_TAG]: metadata.name, [CLUSTER_NAME_TAG]: clusterName };
  try {
    const { tags } = await within(CONTEXT, instances.getFresh(id, signal));
    const missing = Object.entries(wanted).filter(([key]) => tags[key] === undefined);
    if (missing.length > 0) await createTags(id, Object.fromEntries(missing), deps, signal);
    return true;
  } catch (error) {
    if (findCause(error, NodeClaimNotFoundError) !== undefined) return false;
    throw error;
  }
}

/**
 * Users may leave no room for our tags, or forbid them. That concerns every node of a NodePool, and a call a minute for each
 * would take from the allowance of launches for as long as they run.
 */
function refusedForLong(error: unknown): Error {
  const isForLong = isAccessDenied(error) || isTagLimitExceeded(error);
  return isForLong ? new TerminalError(error as Error, { requeueAfter: AFTER_REFUSAL }) : (error as Error);
}

/** The worker waits after the call, so that the next one comes a second later at the earliest. */
async function createTags(
  id: string,
  tags: Readonly<Record<string, string>>,
  { instances, clock }: NodeClaimTaggingDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    await within(CONTEXT, instances.createTags(id, tags, signal));
  } catch (error) {
    throw refusedForLong(error);
  } finally {
    await clock.sleep(BETWEEN_CALLS, signal);
  }
}
