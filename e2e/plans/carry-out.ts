// Plans, carried out: the nodes are bought, the pods handed to a scheduler that knows nothing of how the plan was made.
import type { ContractContext } from '@karpenter-ts/embedded-contract';
import { finish, planSnapshot, podName, type PlanningOptions, type Snapshot } from '@karpenter-ts/scheduling';
import { launchesOf, placementsInOrder, type RandomFleet } from '@karpenter-ts/scheduling/testing';
import { observe } from './observed-snapshot.ts';
import { scopeSnapshot } from './scoped-fleet.ts';
import { FleetEnvironment } from './fleet-environment.ts';
import { Submission } from './submission.ts';

/** What became of the pods a plan places, each of which was told its node. */
export interface NominatedOutcome {
  readonly placed: number;
  /** Pods that did not get the node, with where they are or why they wait. */
  readonly misplaced: readonly string[];
}

/** Hands over the pods one by one in the order they were planned, each with its node in `status.nominatedNodeName`. */
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

/** What became of the pods a plan places, left to the scheduler. */
export interface FreeOutcome {
  readonly placed: number;
  /** How many were without a node at the end of each pass; no pass follows one that leaves none. */
  readonly waiting: readonly number[];
  /** Who waits after the last, and why. */
  readonly messages: readonly string[];
}

/** One that follows the plan, and two for those whose place another took. */
const PASSES = 3;

/** Hands over all pods in the order they were planned. For those that find no node more is planned and bought. */
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

/** Builds up the fleet's part of the cluster, but for what the plan is about. */
async function raise(fleet: RandomFleet, context: ContractContext) {
  const snapshot = scopeSnapshot(fleet.snapshot, context.namespace);
  const env = new FleetEnvironment(context);
  await env.setUp(snapshot);
  return { env, snapshot, submission: new Submission(env, snapshot) };
}

/** Buys what the plan says, and tells under which name each node of the plan runs. */
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
