import { NODE_CLAIMS, type NodeClaim, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import type { DeleteNodeClaim, ProviderCaches } from '@karpenter-ts/cloudprovider';
import { type Node, NODES, timestamp } from '@karpenter-ts/kubernetes';
import {
  type CancellableClient,
  type Clock,
  type EventDraft,
  type EventRecorder,
  LoggedRef,
  type Logger,
  subjectOf,
  unlessGone,
} from '@karpenter-ts/runtime';
import { type Interruption, type InterruptionKind, INTERRUPTIONS } from './interruption.ts';

export interface InterruptDeps {
  readonly client: CancellableClient;
  readonly caches: { readonly nodes: Pick<ProviderCaches['nodes'], 'byIndex'> };
  readonly clock: Pick<Clock, 'now'>;
  readonly events: EventRecorder;
  readonly deleteNodeClaim: DeleteNodeClaim;
}

/** A NodeClaim whose instance AWS interrupts. */
export interface InterruptedNodeClaim {
  readonly nodeClaim: NodeClaim;
  readonly kind: InterruptionKind;
  /** Of the reconcile that noticed. */
  readonly logger: Logger;
}

/**
 * Acts on a NodeClaim whose instance AWS interrupts: says so in events, and deletes it unless there is nothing to do.
 * What follows for offerings is up to the caller. A NodeClaim that is gone is no error.
 */
export async function interruptNodeClaim(
  { nodeClaim, kind, logger }: InterruptedNodeClaim,
  deps: InterruptDeps,
  signal: AbortSignal,
): Promise<void> {
  const { action, event } = INTERRUPTIONS[kind];
  if (isOurDoing(nodeClaim, kind)) return;
  const [node] = deps.caches.nodes.byIndex('providerId', nodeClaim.status?.providerID ?? '');
  deps.events.publish(...aboutBoth({ nodeClaim, node }, () => event));
  if (action === 'NoAction') return;
  if (action === 'ForcefulTermination') await endDrain(nodeClaim, deps, signal);
  if ((await deps.deleteNodeClaim(nodeClaim, kind, signal)) !== 'deleted') return;
  logger.info('initiating delete from interruption message', {
    messageKind: kind,
    NodeClaim: new LoggedRef(nodeClaim.metadata),
    action,
    ...(node && { Node: new LoggedRef(node.metadata) }),
  });
  const message = (who: string): string => `Interruption triggered termination for the ${who}`;
  const reason = 'TerminatingOnInterruption';
  deps.events.publish(...aboutBoth({ nodeClaim, node }, (who) => ({ type: 'Warning', reason, message: message(who) })));
}

/** Whoever deletes a NodeClaim has its instance terminated, and hears of that from EC2. Upstream warns of it. */
function isOurDoing({ metadata }: NodeClaim, kind: InterruptionKind): boolean {
  return metadata.deletionTimestamp !== undefined && (kind === 'instance_stopped' || kind === 'instance_terminated');
}

/** The termination of the Node takes a deadline that has passed for one to drain no longer. One that is set stays. */
async function endDrain({ metadata }: NodeClaim, { client, clock }: InterruptDeps, signal: AbortSignal): Promise<void> {
  if (metadata.annotations?.[TERMINATION_TIMESTAMP] !== undefined) return;
  const body = { metadata: { annotations: { [TERMINATION_TIMESTAMP]: timestamp(clock.now()) } } };
  await unlessGone(client.patch(NODE_CLAIMS, { name: metadata.name }, { type: 'merge', body }, {}, signal));
}

/** The same event on the NodeClaim, and on its Node if it has one. */
function aboutBoth(
  { nodeClaim, node }: { readonly nodeClaim: NodeClaim; readonly node: Node | undefined },
  text: (who: 'NodeClaim' | 'Node') => Interruption['event'],
): readonly EventDraft[] {
  const ofNodeClaim = { on: subjectOf(NODE_CLAIMS, nodeClaim), ...text('NodeClaim') };
  const drafts = [{ ...ofNodeClaim, dedupe: [nodeClaim.metadata.uid ?? ''] }];
  if (node === undefined) return drafts;
  return [...drafts, { on: subjectOf(NODES, node), ...text('Node'), dedupe: [node.metadata.uid ?? ''] }];
}
