import type { Command, Decision } from '../disruption/commands/command.ts';
import type { UpstreamMethod as MethodName } from './methods.ts';
import { decisionOf } from '../disruption/commands/command.ts';
import { candidateName } from '../disruption/candidates/candidate.ts';
import { type Attempt, runPass } from './controller-pass.ts';
import type { OfflineCluster } from './offline-cluster.ts';
import { type BoughtNode, PlanExecution } from './plan-execution.ts';
import { settle } from './settling.ts';

/** One command that was carried out. */
export interface WalkStep {
  readonly method: MethodName;
  readonly decision: Decision;
  /** Names of the nodes that went. */
  readonly candidates: readonly string[];
  /** The nodes that were bought until the cluster was at rest again. */
  readonly launched: readonly BoughtNode[];
  readonly command: Command;
  /** Afterwards. */
  readonly pricePerHour: number;
}

/** How the commands end that follow from a cluster if nothing else happens in it. */
export interface Walk {
  readonly settledPrice: number;
  /** The nodes before the first command, once the cluster was at rest. */
  readonly settledNodes: number;
  readonly endPrice: number;
  /** How many commands were carried out. One that closes a cycle counts, but is no step. */
  readonly commands: number;
  readonly steps: readonly WalkStep[];
  readonly nodes: number;
  readonly pendingPods: number;
  /**
   * `Complete`: a pass starts nothing any more. `Cycle`: a node is removed and bought again without end. `TooLong`: more
   * commands than anybody waits for.
   */
  readonly end: 'Complete' | 'Cycle' | 'TooLong';
}

const MOST_COMMANDS = 200;
/** As many equal steps in a row are a cycle. */
const CYCLE = 4;

/** Carries out the commands of these methods until nothing changes any more. The cluster is changed by it. */
export async function walkToRest(
  cluster: OfflineCluster,
  methods: readonly MethodName[],
  signal: AbortSignal,
): Promise<Walk> {
  const execution = new PlanExecution(cluster);
  await settle(cluster, execution, signal);
  cluster.endNominations();
  const settledPrice = cluster.pricePerHour();
  const settledNodes = cluster.caches.nodeClaims.size;
  const steps: WalkStep[] = [];
  let end: Walk['end'] = 'TooLong';
  let commands = 0;
  while (commands < MOST_COMMANDS) {
    const attempt = await runPass(cluster, methods, signal);
    if (attempt === undefined) {
      end = 'Complete';
      break;
    }
    commands++;
    const step = await carryOut(cluster, execution, attempt, signal);
    if (steps.slice(1 - CYCLE).filter((one) => isSame(one, step)).length === CYCLE - 1) {
      end = 'Cycle';
      break;
    }
    steps.push(step);
  }
  return {
    settledPrice,
    settledNodes,
    endPrice: cluster.pricePerHour(),
    commands,
    steps,
    nodes: cluster.caches.nodeClaims.size,
    pendingPods: cluster.caches.pods.byIndex('node', '').length,
    end,
  };
}

async function carryOut(
  cluster: OfflineCluster,
  execution: PlanExecution,
  { method, computed, validation }: Attempt,
  signal: AbortSignal,
): Promise<WalkStep> {
  cluster.clock.rewind();
  const command = validation.kind === 'Failed' ? computed : validation.command; // a failed one does not get here
  const removed = command.candidates.map(({ stateNode }) => stateNode);
  const replaced = execution.carryOut(command.plan, removed);
  const settled = await settle(cluster, execution, signal);
  return {
    method,
    decision: decisionOf(command),
    candidates: command.candidates.map(candidateName),
    launched: [...replaced, ...settled],
    command,
    pricePerHour: cluster.pricePerHour(),
  };
}

function isSame(a: WalkStep, b: WalkStep): boolean {
  if (a.method !== b.method || a.launched.length === 0) return false;
  return Math.abs(a.pricePerHour - b.pricePerHour) < 1e-9 && launchText(a) === launchText(b);
}

function launchText({ launched }: WalkStep): string {
  return launched.map((one) => [one.nodePool, one.instanceType, one.zone, one.capacityType].join('/')).join();
}
