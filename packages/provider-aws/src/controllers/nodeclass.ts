import type { EC2NodeClass, Ec2NodeClassCondition } from '@karpenter-ts/apis';
import type { ProviderCaches } from '@karpenter-ts/cloudprovider';
import type { ConditionRules } from '@karpenter-ts/kubernetes';
import {
  type CancellableClient,
  type CancellableClock,
  type Controller,
  DONE,
  type EventRecorder,
  findCause,
  type Informer,
  isConflict,
  kindSource,
  type Logger,
  patchStatus,
  REASONABLE_RETRIES,
  type Result,
  StatusError,
} from '@karpenter-ts/runtime';
import { ignoredFieldsEvent } from '../node-class/ignored-fields.ts';
import { isManagedNodeClaim } from '../node-class/managed.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { NodeClassDraft } from '../status/node-class-draft.ts';
import { concludeSteps, runSteps } from '../status/run-steps.ts';
import type { CleanUp, StatusStep } from '../status/status-step.ts';
import { addTerminationFinalizer, hasTerminationFinalizer, terminateNodeClass } from '../status/termination.ts';

export interface NodeClassDeps {
  readonly client: CancellableClient;
  readonly nodeClasses: Informer<EC2NodeClass>;
  readonly nodeClaims: ProviderCaches['nodeClaims'];
  readonly clock: CancellableClock;
  readonly events: EventRecorder;
  /** The conditions that `Ready` depends on. */
  readonly rules: ConditionRules<Ec2NodeClassCondition>;
  readonly steps: readonly StatusStep[];
  readonly cleanUps: readonly CleanUp[];
}

/**
 * Works out the status of EC2NodeClasses: what their selectors find in AWS, and whether NodeClaims can be launched with
 * that (spec 08 §3). Holds one that is deleted until its NodeClaims, and what was made for it in AWS, are gone.
 */
export function nodeClassController(deps: NodeClassDeps): Controller {
  const { client, nodeClasses, nodeClaims, steps } = deps;
  const seen = new Map<string, EC2NodeClass>();
  return {
    name: 'nodeclass',
    kind: EC2_NODE_CLASSES,
    concurrency: 10,
    retries: REASONABLE_RETRIES,
    sources: [
      kindSource(nodeClasses),
      kindSource(nodeClaims, {
        when: ({ type, object }) => type === 'deleted' && isManagedNodeClaim(object),
        keys: ({ spec }) => [spec.nodeClassRef.name],
      }),
    ],
    reconcile: async (name, signal, logger) => {
      const nodeClass = nodeClasses.get(name);
      const last = seen.get(name);
      if (last !== undefined && last.metadata.uid !== nodeClass?.metadata.uid) {
        seen.delete(name);
        for (const step of steps) step.forget?.(last);
      }
      if (nodeClass === undefined) return DONE;
      seen.set(name, nodeClass);
      if (nodeClass.metadata.deletionTimestamp !== undefined) {
        return terminateNodeClass(nodeClass, deps, signal, logger);
      }
      const held = hasTerminationFinalizer(nodeClass)
        ? nodeClass
        : await addTerminationFinalizer(nodeClass, client, signal);
      return held === undefined ? DONE : reconcileStatus(held, deps, signal, logger);
    },
  };
}

/** One pass of all steps, and one write of what they changed. */
async function reconcileStatus(
  nodeClass: EC2NodeClass,
  { client, clock, events, rules, steps }: NodeClassDeps,
  signal: AbortSignal,
  logger: Logger,
): Promise<Result> {
  const ignored = ignoredFieldsEvent(nodeClass);
  if (ignored !== undefined) events.publish(ignored);
  const draft = new NodeClassDraft(nodeClass, { rules, clock });
  const { results, errors } = await runSteps(steps, draft, signal, logger);
  try {
    await patchStatus(client, EC2_NODE_CLASSES, nodeClass, draft.nodeClass, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isConflict(findCause(error, StatusError))) throw error; // the next pass, which comes soon, reads it again
    return concludeSteps({ results, errors: [...errors, error] });
  }
  return concludeSteps({ results, errors });
}
