import {
  type DisruptionReason,
  type DisruptionSettings,
  type NodePool,
  readDoNotDisrupt,
  windowState,
} from '@karpenter-ts/apis';
import {
  durationText,
  type EventRecorder,
  ExpiringMap,
  type GaugeSample,
  gaugeSample,
  type Instant,
  HOUR,
  LoggedRef,
  type Logger,
  type Metrics,
  MINUTE,
  SeriesSets,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import { POD_DELETION_COST } from '../../pods/eviction-cost.ts';
import { findProtectionEvent } from '../../pods/do-not-disrupt.ts';
import type { TimeSlices } from '../../state/time-slices.ts';
import { renderBlock } from '../candidates/block-text.ts';
import { type BudgetAllowances, findAllowances, findFaultyBudgets } from '../budgets/budget-allowances.ts';
import { disruptionBlocked } from './disruption-events.ts';
import { allowedDisruptionsGauge, nodesConsumingBudgets } from './disruption-metrics.ts';
import { windowOpen } from './extension-metrics.ts';
import type { PassView } from '../view/pass-view.ts';

const ABNORMAL = 15 * MINUTE;

/** When the loop and its methods ran last, to notice that one does not get its turn (spec 04 §2.1). */
export class RunTimes {
  readonly #clock: Pick<SteadyClock, 'elapsed'>;
  readonly #lastRuns = new Map<string, number>();

  constructor(clock: Pick<SteadyClock, 'elapsed'>) {
    this.#clock = clock;
  }

  record(name: string): void {
    this.#lastRuns.set(name, this.#clock.elapsed());
  }

  logAbnormal(logger: Logger): void {
    for (const [name, at] of this.#lastRuns) {
      const since = this.#clock.elapsed() - at;
      if (since > ABNORMAL) logger.debug('abnormal time between runs', { name, time_since: durationText(since) });
    }
  }
}

/** Logs budgets that validation should have refused. */
export function logFaultyBudgets(nodePools: readonly NodePool[], logger: Logger): void {
  const texts = findFaultyBudgets(nodePools).map(
    ({ nodePool, problems }) =>
      `invalid disruption budgets in nodepool ${nodePool.metadata.name}, ${problems.join('; ')}`,
  );
  if (texts.length > 0) logger.error('detected disruption budget errors', new Error(texts.join('')));
}

/** Publishes why nodes may not be disrupted by any method, and about the annotations of pods. */
export async function publishBlocks(
  { scan, state }: PassView,
  events: EventRecorder,
  slices: TimeSlices,
): Promise<void> {
  // What blocks the class `eventual` blocks `graceful` as well, so these are all.
  for (const { stateNode, why } of scan.graceful.blocked) {
    if (slices.isOver) await slices.pause();
    const text = renderBlock(why);
    if (text !== undefined) events.publish(...disruptionBlocked(stateNode, text));
  }
  for (const pod of scan.annotatedPods) {
    if (slices.isOver) await slices.pause();
    const event = findProtectionEvent(pod, readDoNotDisrupt(pod, state.now));
    if (event !== undefined) events.publish(event);
  }
}

/**
 * Logs pods whose deletion cost is not a number, each of them once an hour. Upstream logs them whenever it computes a
 * cost, several times in each pass.
 */
export class InvalidCostLog {
  readonly #logged: ExpiringMap<string, true>;

  constructor(clock: SteadyClock) {
    this.#logged = new ExpiringMap(clock, HOUR);
  }

  log({ scan }: Pick<PassView, 'scan'>, logger: Logger): void {
    for (const { pod, value, problem } of scan.invalidCosts) {
      const key = `${pod.metadata.uid}/${value}`;
      if (this.#logged.has(key)) continue;
      this.#logged.set(key, true);
      const fields = { annotation: POD_DELETION_COST, value, pod: new LoggedRef(pod.metadata) };
      logger.error('failed parsing pod deletion cost', new Error(problem), fields);
    }
  }
}

const REASONS: readonly DisruptionReason[] = ['Empty', 'Drifted', 'Underutilized'];

/** What budgets and windows allow for each reason that budgets know. */
export function findAllAllowances({
  state,
  nodeCounts,
}: Pick<PassView, 'state' | 'nodeCounts'>): readonly BudgetAllowances[] {
  return REASONS.map((reason) => findAllowances(reason, state, nodeCounts));
}

/**
 * The gauges of budgets. They are written in every pass and end with their NodePool; upstream writes them only while a
 * method has candidates, and keeps them for ever (spec 04 §25-20).
 */
export class BudgetGauges {
  readonly #sets: SeriesSets;

  constructor(metrics: Metrics) {
    this.#sets = new SeriesSets(metrics);
  }

  show({ state }: Pick<PassView, 'state'>, allowances: readonly BudgetAllowances[]): void {
    const byPool = new Map<string, GaugeSample[]>();
    for (const { reason, byPool: found } of allowances) {
      for (const [nodepool, { allowed, disrupting }] of found) {
        const samples = byPool.get(nodepool) ?? [];
        byPool.set(nodepool, samples);
        samples.push(
          gaugeSample(allowedDisruptionsGauge, { nodepool, reason }, allowed),
          gaugeSample(nodesConsumingBudgets, { nodepool, reason }, disrupting),
        );
      }
    }
    for (const [nodepool, { settings }] of state.pools)
      byPool.get(nodepool)?.push(...windowSamples(nodepool, settings, state.now));
    this.#sets.replaceAll(byPool);
  }
}

/** Whether windows permit disruption for the reasons that they name. Without windows there are none. */
function windowSamples(nodepool: string, { windows }: DisruptionSettings, now: Instant): readonly GaugeSample[] {
  const named = new Set([...windows.unreadable, ...windows.windows.flatMap(({ reasons }) => [...reasons])]);
  return [...named].map((reason) => {
    const { kind } = windowState({ windows, reason, nodeCount: 1, now }).verdict;
    return gaugeSample(windowOpen, { nodepool, reason }, kind === 'Open' || kind === 'Unnamed' ? 1 : 0);
  });
}
