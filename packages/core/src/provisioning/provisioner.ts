import { durationText, type Logger, nameList, SECOND, type Source } from '@karpenter-ts/runtime';
import { objectKey } from '@karpenter-ts/kubernetes';
import { Catalogues, type Plan, type Pool } from '@karpenter-ts/scheduling';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { StateNode } from '../state/state-node.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { Pod } from '../kinds/pod.ts';
import { ConsolidationWarnings } from './consolidation-warnings.ts';
import { findDisplacedPods } from '../pods/displaced-pods.ts';
import { createNodeClaims } from './nodeclaim-creation.ts';
import { countUnschedulable, OutcomeRecorder } from './scheduling-outcome.ts';
import { selectPendingPods } from '../pods/pending-pods.ts';
import { PlannerDriver, schedulingSeconds, unschedulablePods } from '../planning/planner-driver.ts';
import { DefaultSpread } from '../planning/default-spread.ts';
import { planningOptions } from '../planning/planning-options.ts';
import { planningSnapshot } from '../planning/planning-snapshot.ts';
import { TimeSlices } from '../state/time-slices.ts';
import { UntrackedVolumes } from '../planning/untracked-volumes.ts';
import { findUsablePools } from '../planning/usable-pools.ts';
import { UnacknowledgedNodeClaims } from './unacknowledged-nodeclaims.ts';

export type ProvisionerDeps = ControllerDeps & {
  readonly cluster: ClusterModel;
  /** Numbers in [0, 1), for labels that may have any value. */
  readonly random: () => number;
};

/** In metrics and logs. */
export const PROVISIONER = 'provisioner';

const MOST_NAMES = 5;

/** Finds a place for every pod that has none, buying nodes where it must (spec 02 §6). */
export class Provisioner {
  readonly #deps: ProvisionerDeps;
  readonly #driver: PlannerDriver;
  readonly #warnings: ConsolidationWarnings;
  readonly #untracked: UntrackedVolumes;
  readonly #spread: DefaultSpread;
  readonly #unacknowledged: UnacknowledgedNodeClaims;

  constructor(deps: ProvisionerDeps) {
    const { clock, metrics, caches } = deps;
    this.#deps = deps;
    this.#driver = new PlannerDriver({ clock, metrics, controller: PROVISIONER }, new Catalogues());
    this.#warnings = new ConsolidationWarnings(clock);
    this.#untracked = new UntrackedVolumes(caches);
    this.#spread = new DefaultSpread(deps);
    this.#unacknowledged = new UnacknowledgedNodeClaims(deps);
  }

  /** Caches only it reads: they must be in sync before the first pass. */
  get sources(): readonly Source[] {
    return this.#spread.sources;
  }

  /** Whether all that was bought is known, so that none of it is bought again. Rejects if that cannot be found out. */
  async isReady(signal: AbortSignal): Promise<boolean> {
    await this.#unacknowledged.resolve(signal);
    return this.#deps.cluster.hasSynced();
  }

  /** One pass over all pods without a place. Rejects when something went wrong that another pass may mend. */
  async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const { clock, metrics } = this.#deps;
    const started = clock.elapsed();
    const slices = new TimeSlices(clock, signal);
    const scheduled = await this.#schedule(slices, signal, logger).finally(() =>
      metrics.observe(schedulingSeconds, { controller: PROVISIONER }, (clock.elapsed() - started) / SECOND),
    );
    if (scheduled === undefined) return;
    const pools = new Map(scheduled.pools.map((pool) => [pool.nodePool.metadata.name, pool]));
    const orders = scheduled.plan.newNodes.map((planned) => ({ planned, pool: pools.get(planned.nodePool)! }));
    const deps = { ...this.#deps, unacknowledged: this.#unacknowledged };
    await createNodeClaims(deps, orders, { reason: 'provisioned', tellsPods: true }, slices, logger);
  }

  /** Plans, and records all of the plan but its NodeClaims; undefined if there was nothing to plan, or with. */
  async #schedule(
    slices: TimeSlices,
    signal: AbortSignal,
    logger: Logger,
  ): Promise<{ readonly plan: Plan; readonly pools: readonly Pool[] } | undefined> {
    const { caches, clock, cluster, metrics, options, provider } = this.#deps;
    const started = clock.elapsed();
    // Before the pods: one that binds in between takes room that is still free here, and no node is bought for it.
    const stateNodes = await cluster.snapshotInSlices(slices);
    const pods = await this.#selectPods(stateNodes.deleting, slices, logger);
    if (pods.length === 0) return undefined;
    const pools = await findUsablePools({ caches, provider, logger }, signal);
    if (pools.length === 0) {
      await this.#reportNoPools(pods, slices, logger);
      return undefined;
    }
    for (const machine of stateNodes.active) {
      if (slices.isOver) await slices.pause();
      this.#untracked.report(machine, logger);
    }
    const spread = await this.#spread.apply(pods, slices);
    const snapshot = planningSnapshot({ stateNodes, pools, pods: spread }, caches, cluster);
    const plan = await this.#driver.plan({ snapshot, options: planningOptions(options, provider) }, slices, logger);
    metrics.set(unschedulablePods, { controller: PROVISIONER }, countUnschedulable(plan, logger));
    if (plan.newNodes.length > 0) {
      logger.info('found provisionable pod(s)', {
        Pods: nameList(namesOf(pods), MOST_NAMES),
        duration: durationText(clock.elapsed() - started),
      });
    }
    await new OutcomeRecorder(this.#deps, { plan, stateNodes: stateNodes.active }, logger).record(slices);
    return { plan, pools };
  }

  /** Those that wait, and those whose node is about to go. */
  async #selectPods(deleting: readonly StateNode[], slices: TimeSlices, logger: Logger): Promise<readonly Pod[]> {
    const { events, options } = this.#deps;
    const pending = await selectPendingPods(this.#deps, slices, logger);
    if (options.preferencePolicy === 'Respect') await this.#warnings.report(pending, slices, logger);
    const displaced = await findDisplacedPods(deleting, this.#deps, slices);
    for (const event of displaced.events) {
      if (slices.isOver) await slices.pause();
      events.publish(event);
    }
    if (pending.length + displaced.pods.length > 0) {
      logger.debug('computing scheduling decision for provisionable pod(s)', {
        'pending-pods': pending.length,
        'deleting-pods': displaced.pods.length,
      });
    }
    return [...pending, ...displaced.pods];
  }

  /** Not even nodes there are will do: without a pool nothing is planned at all. */
  async #reportNoPools(pods: readonly Pod[], slices: TimeSlices, logger: Logger): Promise<void> {
    const message = 'no dynamic nodepools found';
    logger.info(message);
    for (const pod of pods) {
      if (slices.isOver) await slices.pause();
      this.#deps.cluster.decisions.fail(pod, message);
    }
  }
}

function namesOf(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => objectKey(metadata));
}
