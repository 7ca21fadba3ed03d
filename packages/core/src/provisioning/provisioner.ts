import { durationText, type Logger, MINUTE, nameList, SECOND, type Source } from '@karpenter-ts/runtime';
import { objectKey, type Pod } from '@karpenter-ts/kubernetes';
import type { PlannedNode, Pool, Snapshot } from '@karpenter-ts/scheduling';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { StateNode } from '../state/state-node.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { DecisionDraft, DecisionRing } from '../state/decision-ring.ts';
import { NO_DYNAMIC_NODE_POOLS, renderPodFailure } from '../state/pod-failure.ts';
import { ConsolidationWarnings } from './consolidation-warnings.ts';
import { findDisplacedPods } from '../pods/displaced-pods.ts';
import { reportIgnoredPods } from './ignored-pods.ts';
import type { PodDisruptionBudgets } from '../pods/disruption-budgets.ts';
import type { LaunchState } from './launch-state.ts';
import { createNodeClaims } from './nodeclaim-creation.ts';
import { toNodeClaim } from './planned-nodeclaim.ts';
import { countUnschedulable, OutcomeRecorder } from './scheduling-outcome.ts';
import { selectPendingPods } from '../pods/pending-pods.ts';
import type { LastPlan, MadePlan } from '../planning/last-plan.ts';
import { PlannerDriver } from '../planning/planner-driver.ts';
import { schedulingSeconds, unschedulablePods } from '../planning/planner-metrics.ts';
import { DefaultSpread } from '../planning/default-spread.ts';
import { planningOptions } from '../planning/planning-options.ts';
import { planningSnapshot } from '../planning/planning-snapshot.ts';
import { TimeSlices } from '../state/time-slices.ts';
import { UntrackedVolumes } from '../planning/untracked-volumes.ts';
import { findUsablePools } from '../planning/usable-pools.ts';

export type ProvisionerDeps = ControllerDeps & {
  readonly cluster: ClusterModel;
  readonly podDisruptionBudgets: PodDisruptionBudgets;
  readonly launchState: LaunchState;
  readonly lastPlan: LastPlan;
  readonly decisions: DecisionRing;
  /** Numbers in [0, 1), for labels that may have any value. */
  readonly random: () => number;
};

/** The controller's name in metrics and logs. */
export const PROVISIONER = 'provisioner';

/** After so much work the plan is used as it is; pods it has not reached wait for the next one (spec 02 §6). */
const DEADLINE = 1 * MINUTE;

const MOST_NAMES = 5;

/** Finds a node for every pending pod and creates NodeClaims where needed (spec 02 §6). */
export class Provisioner {
  readonly #deps: ProvisionerDeps;
  readonly #driver: PlannerDriver;
  readonly #warnings: ConsolidationWarnings;
  readonly #untracked: UntrackedVolumes;
  readonly #spread: DefaultSpread;

  constructor(deps: ProvisionerDeps) {
    const { clock, metrics, caches, launchState } = deps;
    const { catalogues } = launchState;
    this.#deps = deps;
    this.#driver = new PlannerDriver({ clock, metrics, controller: PROVISIONER, catalogues });
    this.#warnings = new ConsolidationWarnings(clock);
    this.#untracked = new UntrackedVolumes(caches);
    this.#spread = new DefaultSpread(deps);
  }

  /** Caches that only the provisioner reads. They must be in sync before its first pass. */
  get sources(): readonly Source[] {
    return this.#spread.sources;
  }

  /** One pass over all pending pods. Rejects if something failed that another pass may fix. */
  async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const { clock, metrics } = this.#deps;
    const started = clock.elapsed();
    const slices = new TimeSlices(clock, signal);
    const scheduled = await this.#schedule(slices, signal, logger).finally(() =>
      metrics.observe(schedulingSeconds, { controller: PROVISIONER }, (clock.elapsed() - started) / SECOND),
    );
    if (scheduled === undefined) return;
    const pools = new Map(scheduled.pools.map((pool) => [pool.nodePool.metadata.name, pool]));
    const orders = scheduled.made.plan.newNodes.values().map((planned) => ({
      nodeClaim: toNodeClaim(planned, pools.get(planned.nodePool)!, this.#deps),
      pods: planned.pods,
      decision: this.#deps.decisions.record(decisionFor(planned, scheduled.made)),
    }));
    await createNodeClaims(this.#deps, orders, { reason: 'provisioned', tellsPods: true }, slices, logger);
  }

  /** Plans and records the outcome, but creates no NodeClaims. Undefined if there are no pods or no NodePools. */
  async #schedule(
    slices: TimeSlices,
    signal: AbortSignal,
    logger: Logger,
  ): Promise<{ readonly made: MadePlan; readonly pools: readonly Pool[] } | undefined> {
    const { caches, clock, cluster, metrics, provider } = this.#deps;
    const started = clock.elapsed();
    // Nodes are read before pods. A pod that binds in between then uses room that still counts as free here, and no node
    // is created for it. In the other order it would be pending while its room counts as taken.
    const stateNodes = await cluster.snapshotInSlices(slices);
    const pods = await this.#selectPods(stateNodes.deleting, slices, logger);
    if (pods.length === 0) return undefined;
    const pools = await findUsablePools({ caches, provider, logger }, signal);
    if (pools.length === 0) {
      await this.#reportNoPools(pods, slices, logger);
      return undefined;
    }
    for (const stateNode of stateNodes.active) {
      if (slices.isOver) await slices.pause();
      this.#untracked.report(stateNode, logger);
    }
    const spread = await this.#spread.apply(pods, slices);
    const snapshot = planningSnapshot({ stateNodes, pools, pods: spread }, caches, cluster);
    const made = await this.#plan(snapshot, slices, logger);
    const { plan } = made;
    metrics.set(unschedulablePods, { controller: PROVISIONER }, countUnschedulable(plan, logger));
    if (plan.newNodes.length > 0) {
      logger.info('found provisionable pod(s)', {
        Pods: nameList(namesOf(pods), MOST_NAMES),
        duration: durationText(clock.elapsed() - started),
      });
    }
    await new OutcomeRecorder(this.#deps, { plan, stateNodes: stateNodes.active }, logger).record(slices);
    return { made, pools };
  }

  async #plan(snapshot: Snapshot, slices: TimeSlices, logger: Logger): Promise<MadePlan> {
    const { clock, lastPlan, options, provider } = this.#deps;
    const workedBefore = slices.worked;
    const planner = await this.#driver.read({ snapshot, options: planningOptions(options, provider) }, slices);
    const plan = await planner.plan({ slices, logger, deadline: DEADLINE });
    const made = { plan, madeAt: clock.now(), plannerMs: slices.worked - workedBefore };
    lastPlan.keep(made);
    return made;
  }

  /** The pending pods, and the pods of deleting nodes. */
  async #selectPods(deleting: readonly StateNode[], slices: TimeSlices, logger: Logger): Promise<readonly Pod[]> {
    const { events, options } = this.#deps;
    const pending = await selectPendingPods(this.#deps, slices);
    await reportIgnoredPods(this.#deps, pending, slices, logger);
    const { selected } = pending;
    if (options.preferencePolicy === 'Respect') await this.#warnings.report(selected, slices, logger);
    const displaced = await findDisplacedPods(deleting, this.#deps, slices);
    for (const event of displaced.events) {
      if (slices.isOver) await slices.pause();
      events.publish(event);
    }
    if (selected.length + displaced.pods.length > 0) {
      logger.debug('computing scheduling decision for provisionable pod(s)', {
        'pending-pods': selected.length,
        'deleting-pods': displaced.pods.length,
      });
    }
    return [...selected, ...displaced.pods];
  }

  /** Without NodePools nothing is planned, not even onto existing nodes. */
  async #reportNoPools(pods: readonly Pod[], slices: TimeSlices, logger: Logger): Promise<void> {
    logger.info(renderPodFailure(NO_DYNAMIC_NODE_POOLS));
    for (const pod of pods) {
      if (slices.isOver) await slices.pause();
      this.#deps.cluster.decisions.fail(pod, NO_DYNAMIC_NODE_POOLS);
    }
  }
}

function decisionFor(planned: PlannedNode, { plannerMs }: MadePlan): DecisionDraft {
  return {
    kind: 'provision',
    objects: [{ kind: 'NodePool', name: planned.nodePool }],
    pods: planned.pods.map(({ pod }) => pod),
    pricePerHour: { before: 0, after: planned.pricePerHour },
    extensions: planned.source === 'cost-aware' ? ['A1'] : [],
    plannerMs,
  };
}

function namesOf(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => objectKey(metadata));
}
