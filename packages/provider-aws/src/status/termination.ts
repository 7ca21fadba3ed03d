import { type EC2NodeClass, EC2NODECLASS_TERMINATION_FINALIZER, type NodeClaim } from '@karpenter-ts/apis';
import { nodeClassKey } from '@karpenter-ts/cloudprovider';
import {
  type CancellableClient,
  DONE,
  type EventDraft,
  type EventRecorder,
  type Logger,
  MINUTE,
  nameList,
  type ObjectCache,
  type Result,
  subjectOf,
  unlessGone,
} from '@karpenter-ts/runtime';
import { within } from '../api/with-context.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import type { CleanUp } from './status-step.ts';

/** How often a NodeClass that waits for its NodeClaims says so. It is looked at at once when one of them goes. */
const WAIT = 10 * MINUTE;
const NAMES_SHOWN = 5;

export interface TerminationDeps {
  readonly client: CancellableClient;
  readonly nodeClaims: Pick<ObjectCache<NodeClaim, 'nodeClass'>, 'byIndex'>;
  readonly events: EventRecorder;
  /** In their order; the first that fails ends the pass. */
  readonly cleanUps: readonly CleanUp[];
}

export function hasTerminationFinalizer({ metadata }: EC2NodeClass): boolean {
  return metadata.finalizers?.includes(EC2NODECLASS_TERMINATION_FINALIZER) ?? false;
}

/** The NodeClass with our finalizer, as the server has it now; undefined if it is gone. */
export async function addTerminationFinalizer(
  nodeClass: EC2NodeClass,
  client: CancellableClient,
  signal: AbortSignal,
): Promise<EC2NodeClass | undefined> {
  const { finalizers = [] } = nodeClass.metadata;
  return setFinalizers(nodeClass, [...finalizers, EC2NODECLASS_TERMINATION_FINALIZER], client, signal);
}

/** One pass over a NodeClass that is being deleted: it goes after its NodeClaims, and after what was made for it. */
export async function terminateNodeClass(
  nodeClass: EC2NodeClass,
  { client, nodeClaims, events, cleanUps }: TerminationDeps,
  signal: AbortSignal,
  logger: Logger,
): Promise<Result> {
  if (!hasTerminationFinalizer(nodeClass)) return DONE;
  const users = nodeClaims.byIndex('nodeClass', nodeClassKey({ ...EC2_NODE_CLASSES, name: nodeClass.metadata.name }));
  if (users.length > 0) {
    events.publish(waitingOnNodeClaims(nodeClass, users));
    return { requeueAfter: WAIT };
  }
  for (const cleanUp of cleanUps) await cleanUp(nodeClass, signal, logger);
  const others = nodeClass.metadata.finalizers!.filter((one) => one !== EC2NODECLASS_TERMINATION_FINALIZER);
  await within('removing termination finalizer', setFinalizers(nodeClass, others, client, signal));
  return DONE;
}

function waitingOnNodeClaims(nodeClass: EC2NodeClass, users: readonly NodeClaim[]): EventDraft {
  const names = users.map(({ metadata }) => metadata.name);
  return {
    on: subjectOf(EC2_NODE_CLASSES, nodeClass),
    type: 'Normal',
    reason: 'WaitingOnNodeClaimTermination',
    message: `Waiting on NodeClaim termination for ${nameList(names, NAMES_SHOWN)}`,
    dedupe: [nodeClass.metadata.uid ?? ''],
  };
}

/** A merge patch replaces the list whole, so it must not meet another version of the object. */
function setFinalizers(
  { metadata }: EC2NodeClass,
  finalizers: readonly string[],
  client: CancellableClient,
  signal: AbortSignal,
): Promise<EC2NodeClass | undefined> {
  const { name, resourceVersion } = metadata;
  const body = { metadata: { resourceVersion, finalizers } };
  return unlessGone(client.patch<EC2NodeClass>(EC2_NODE_CLASSES, { name }, { type: 'merge', body }, {}, signal));
}
