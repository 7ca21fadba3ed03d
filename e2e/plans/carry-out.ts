// Carries plans out: nodes are created, and the pods go to a scheduler that knows nothing of the plan.
import type { ContractContext } from '@karpenter-ts/embedded-contract';
import { finish, planSnapshot, podName, type PlanningOptions, type Snapshot } from '@karpenter-ts/scheduling';
import { launchesOf, placementsInOrder, type RandomFleet } from '@karpenter-ts/scheduling/testing';
import { observe } from './observed-snapshot.ts';
import { scopeSnapshot } from './scoped-fleet.ts';
import { FleetEnvironment } from './fleet-environment.ts';
import { Submission } from './submission.ts';

/** The outcome for pods that were nominated for their planned node. */
export interface NominatedOutcome {
  readonly placed: number;
  /** Pods that are on another node, or pending with the reason. */
  readonly misplaced: readonly string[];
}

/** Creates the pods one by one in the order they were planned, each with its node in `status.nominatedNodeName`. */
export async function carryOutNominated(fleet: RandomFleet, context: ContractContext): Promise<NominatedOutcome> {
  const { env, snapshot, submission } = await raise(fleet, context);
  const nodeOf = await buyNodes(env, snapshot, fleet.options, 'new');
  const placements = placementsInOrder(snapshot, fleet.options);
  const misplaced: string[] = [];
  for (const placement of placements) {
    const [pod, node] = [placement.pod, nodeOf(placement.node)];
    await submission.nominate(pod, node);
    const verdict = await submission.verdictOn(pod);
    if ('message' in verdict) misplaced.push(`${podName(pod)} for ${node}: ${verdict.message}`);
    else if (verdict.node !== node) misplaced.push(`${podName(pod)} for ${node} went to ${verdict.node}`);
  }
  return { placed: placements.length, misplaced };
}

/** The outcome for pods whose node the scheduler chose. */
export interface FreeOutcome {
  readonly placed: number;
  /** How many pods were pending at the end of each pass; a pass that leaves none is the last. */
  readonly waiting: readonly number[];
  /** Pods that are pending after the last pass, with the reason. */
  readonly messages: readonly string[];
}

/** One pass follows the plan; two more plan again for pods whose place another pod took. */
const PASSES = 3;

/**
 * Creates all pods in the order they were planned. For those that stay pending, further nodes are planned and bought.
 */
export async function carryOutFreely(fleet: RandomFleet, context: ContractContext): Promise<FreeOutcome> {
  const { env, snapshot, submission } = await raise(fleet, context);
  const pods = placementsInOrder(snapshot, fleet.options).map(({ pod }) => pod);
  await buyNodes(env, snapshot, fleet.options, 'new');
  for (const pod of pods) await submission.submit(pod);
  const waiting: number[] = [];
  for (;;) {
    const left = await submission.untilDecided(pods);
    waiting.push(left.size);
    if (left.size === 0 || waiting.length === PASSES) {
      const messages = [...left].map(([pod, message]) => `${podName(pod)}: ${message}`);
      return { placed: pods.length, waiting, messages };
    }
    await buyNodes(env, await observe(env, snapshot, fleet.options), fleet.options, `more-${waiting.length}`);
  }
}

/** Creates the fleet's part of the cluster, without the pods to be placed. */
async function raise(fleet: RandomFleet, context: ContractContext) {
  const snapshot = scopeSnapshot(fleet.snapshot, context.namespace);
  const env = new FleetEnvironment(context);
  await env.setUp(snapshot);
  return { env, snapshot, submission: new Submission(env, snapshot) };
}

/** Creates the nodes of the plan, and returns the real name of each. */
async function buyNodes(
  env: FleetEnvironment,
  snapshot: Snapshot,
  options: PlanningOptions,
  prefix: string,
): Promise<(node: string) => string> {
  const plan = finish(planSnapshot(snapshot, options));
  const launches = launchesOf(snapshot, plan, options);
  const nameOf = (placeholder: string) => env.context.unique(`${prefix}-${placeholder}`);
  await env.addNodes(new Map([...launches].map(([placeholder, launch]) => [nameOf(placeholder), launch])));
  return (node) => (launches.has(node) ? nameOf(node) : node);
}
