import { hasOwnDefaults } from '@karpenter-ts/apis';
import {
  combineErrors,
  type Controller,
  errorText,
  type Logger,
  type Result,
  SECOND,
  singleton,
  type Source,
  StructuredError,
} from '@karpenter-ts/runtime';
import { LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { DefaultSpread } from '../planning/default-spread.ts';
import { PlannerDriver } from '../planning/planner-driver.ts';
import { planningOptions } from '../planning/planning-options.ts';
import type { NodeClaimDeletions } from '../nodeclaim/deletions.ts';
import type { PodDisruptionBudgets } from '../pods/disruption-budgets.ts';
import { isManagedNodePool } from '../state/managed.ts';
import { TimeSlices } from '../state/time-slices.ts';
import { renderIneligibility } from './candidates/block-text.ts';
import { BlockedNodes } from './reports/blocked-nodes.ts';
import { BlockedNodesMetrics } from './reports/blocked-nodes-metrics.ts';
import { BudgetCounter, findAllowances } from './budgets/budget-allowances.ts';
import type { Command } from './commands/command.ts';
import type { Candidate } from './candidates/candidate.ts';
import { type StartDeps, startCommand } from './commands/command-start.ts';
import { ConsolidatedMemory } from './methods/consolidated-memory.ts';
import { blockedByBudget, unconsolidatable } from './reports/disruption-events.ts';
import { consolidationTimeouts, eligibleNodes, evaluationSeconds, reasonLabel } from './reports/disruption-metrics.ts';
import { DisruptionQueue } from './commands/disruption-queue.ts';
import { Drift, Expiration } from './methods/drift.ts';
import { DriftBackOff } from './methods/drift-back-off.ts';
import { type EligibleCandidates, selectEligible } from './candidates/eligibility.ts';
import { Emptiness } from './methods/emptiness.ts';
import type { LastPass } from './reports/last-pass.ts';
import { MultiNodeConsolidation } from './methods/multi-node-consolidation.ts';
import { SingleNodeConsolidation } from './methods/single-node-consolidation.ts';
import { removeForgottenMarks } from './commands/marks-cleanup.ts';
import type { Decided, Method } from './methods/method.ts';
import {
  BudgetGauges,
  findAllAllowances,
  InvalidCostLog,
  logFaultyBudgets,
  publishBlocks,
  RunTimes,
} from './reports/pass-reports.ts';
import { findPoolDisruptions, LastPoolDisruptions, poolStatusController } from './reports/pool-status.ts';
import { PassViews, type PassView } from './view/pass-view.ts';

/** What disruption depends on. */
export type DisruptionDeps = Omit<StartDeps, 'queue'> & {
  readonly podDisruptionBudgets: PodDisruptionBudgets;
  readonly deletions: NodeClaimDeletions;
  readonly lastPass: LastPass;
};

/** The controller's name in metrics and logs. */
const DISRUPTION = 'disruption';

const POLLING_PERIOD: Result = { requeueAfter: 10 * SECOND };
const UNSYNCED: Result = { requeueAfter: 1 * SECOND };
const AT_ONCE: Result = { requeueAfter: 0 };
/** A node that was chosen is gone, and the cache may still show it. */
const GONE: Result = { requeueAfter: 1 * SECOND };

/** How long methods may work with what was read. */
const VIEW_LIFETIME = 1 * SECOND;

/** The loop that decides about disruption, the queue that carries its commands out, and what shows their budgets. */
export function disruptionControllers(deps: DisruptionDeps): readonly Controller[] {
  const poolDisruptions = new LastPoolDisruptions();
  const loop = new DisruptionLoop(deps, poolDisruptions);
  const controller = singleton(DISRUPTION, (signal, logger) => loop.reconcile(signal, logger));
  return [
    { ...controller, sources: [...(controller.sources ?? []), ...loop.sources] },
    loop.queue.controller,
    poolStatusController(deps, poolDisruptions),
  ];
}

/** Finds nodes to disrupt, by one method at a time, and starts at most one command in each pass (spec 04 §2). */
class DisruptionLoop {
  readonly queue: DisruptionQueue;
  readonly #deps: StartDeps & DisruptionDeps;
  readonly #methods: readonly Method[];
  readonly #views: PassViews;
  readonly #spread: DefaultSpread;
  readonly #backOff: DriftBackOff;
  readonly #runs: RunTimes;
  readonly #gauges: BudgetGauges;
  readonly #poolDisruptions: LastPoolDisruptions;
  readonly #invalidCosts: InvalidCostLog;
  readonly #blocked = new BlockedNodes();
  readonly #blockedMetrics: BlockedNodesMetrics;
  /** The text last published about each candidate of a view: several methods often name the same reason. */
  readonly #published = new WeakMap<Candidate, string>();
  #view: PassView | undefined;

  constructor(deps: DisruptionDeps, poolDisruptions: LastPoolDisruptions) {
    this.#poolDisruptions = poolDisruptions;
    const { caches, clock, cluster, launchState, logger, metrics, options, provider } = deps;
    this.#backOff = new DriftBackOff({ ...deps, isOn: hasOwnDefaults(options.extensions) }); // spec 09 §0.3-3
    this.queue = new DisruptionQueue({ ...deps, onEnd: (command, end) => this.#noteEnd(command, end) });
    this.#deps = { ...deps, queue: this.queue };
    this.#spread = new DefaultSpread(deps);
    const driver = new PlannerDriver({ clock, metrics, controller: DISRUPTION, catalogues: launchState.catalogues });
    const planning = planningOptions(options, provider);
    const simulation = { caches, cluster, clock, logger, driver, options: planning, spread: this.#spread };
    this.#views = new PassViews({ ...this.#deps, simulation });
    this.#runs = new RunTimes(clock);
    this.#gauges = new BudgetGauges(metrics);
    this.#invalidCosts = new InvalidCostLog(clock);
    this.#blockedMetrics = new BlockedNodesMetrics(metrics);
    const prices = new LaunchPriceIndexes(provider.profile);
    const methodDeps = {
      ...this.#deps,
      memory: new ConsolidatedMemory(),
      backOff: this.#backOff,
      blocked: this.#blocked,
      prices,
    };
    this.#methods = [
      new Emptiness(methodDeps),
      new Expiration(methodDeps),
      new Drift(methodDeps),
      new MultiNodeConsolidation(methodDeps),
      new SingleNodeConsolidation(methodDeps),
    ];
    for (const consolidation_type of ['multi', 'single'])
      metrics.increment(consolidationTimeouts, { consolidation_type }, 0);
  }

  #noteEnd({ reason, candidates }: Command, end: 'succeeded' | 'failed'): void {
    if (reason !== 'Drifted' && reason !== 'Expired') return;
    for (const nodePool of new Set(candidates.map(({ pool }) => pool.nodePool.metadata.name))) {
      if (end === 'failed') this.#backOff.fail(nodePool);
      else this.#backOff.succeed(nodePool);
    }
  }

  /** Caches that must be in sync before the first pass. */
  get sources(): readonly Source[] {
    return this.#spread.sources;
  }

  async reconcile(signal: AbortSignal, logger: Logger): Promise<Result> {
    this.#runs.logAbnormal(logger);
    this.#runs.record('disruption-loop');
    try {
      return await this.#pass(signal, logger);
    } finally {
      this.#view = undefined; // it holds a snapshot of the whole cluster
      this.#runs.logAbnormal(logger);
    }
  }

  async #pass(signal: AbortSignal, logger: Logger): Promise<Result> {
    const { caches, launchState, provider } = this.#deps;
    logFaultyBudgets(
      caches.nodePools.list().filter((one) => isManagedNodePool(one, provider)),
      logger,
    );
    if (!(await launchState.isReady(signal))) return UNSYNCED;
    const slices = new TimeSlices(this.#deps.clock, signal);
    this.#views.beginPass();
    await this.#prepare(slices, logger);
    for (const method of this.#methods) {
      if (method.isUsed !== undefined && !method.isUsed((await this.#look(slices, logger)).state)) {
        this.#endGauges(method);
        continue;
      }
      this.#runs.record(`*disruption.${method.name}`);
      const result = await this.#disrupt(method, slices, logger).catch((cause: unknown) => {
        signal.throwIfAborted();
        const reason = reasonLabel(method.reason);
        throw new StructuredError(`disrupting, ${errorText(cause)}`, { reason }, { cause });
      });
      if (result !== 'Nothing') return result === 'Started' ? AT_ONCE : GONE;
    }
    return POLLING_PERIOD;
  }

  /** Nobody asks for the method any more, so there are no nodes that it would take. */
  #endGauges({ reason }: Method): void {
    this.#blockedMetrics.showNodes(reason, new Map());
    this.#deps.metrics.remove(eligibleNodes, { reason: reasonLabel(reason) });
  }

  /** What a pass does whatever its methods find. */
  async #prepare(slices: TimeSlices, logger: Logger): Promise<void> {
    const { events, lastPass } = this.#deps;
    const view = await this.#look(slices, logger);
    const isQueued = (providerId: string) => this.queue.has(providerId);
    const { stateNodes, pools } = view.state;
    const removed = await removeForgottenMarks(this.#deps, stateNodes, isQueued, slices.signal);
    if (removed) this.#view = undefined;
    const allowances = findAllAllowances(view);
    this.#gauges.show(view, allowances);
    this.#poolDisruptions.note(findPoolDisruptions(view.state, allowances));
    this.#invalidCosts.log(view, logger);
    this.#backOff.keepOnly(pools);
    this.#blockedMetrics.showPods(view.scan.graceful);
    lastPass.begin(view.state, view.scan);
    await publishBlocks(view, events, slices);
  }

  /** The cluster as it is, or was a moment ago. */
  async #look(slices: TimeSlices, logger: Logger): Promise<PassView> {
    const { clock } = this.#deps;
    if (this.#view === undefined || clock.elapsed() - this.#view.readAt > VIEW_LIFETIME) {
      this.#view = await this.#views.read(slices, logger);
    }
    return this.#view;
  }

  /** One call of a method: `Gone` if it decided about nodes that no longer exist. */
  async #disrupt(method: Method, slices: TimeSlices, logger: Logger): Promise<'Started' | 'Nothing' | 'Gone'> {
    const { clock, metrics } = this.#deps;
    const begun = clock.elapsed();
    try {
      const decided = await this.#decide(method, slices, logger);
      if (decided.length === 0) return 'Nothing';
      return (await this.#startAll(decided, slices, logger)) > 0 ? 'Started' : 'Gone';
    } finally {
      const labels = { reason: reasonLabel(method.reason), consolidation_type: method.consolidationType };
      metrics.observe(evaluationSeconds, labels, (clock.elapsed() - begun) / SECOND);
    }
  }

  async #decide(method: Method, slices: TimeSlices, logger: Logger): Promise<readonly Decided[]> {
    const { events, lastPass, metrics } = this.#deps;
    const { reason } = method;
    const view = await this.#look(slices, logger);
    const { scan, state, nodeCounts } = view;
    const selection = selectEligible(scan[method.class].candidates, method.findObstacle, state.now);
    const { eligible: candidates, ineligible } = selection;
    await this.#publishIneligible(ineligible, slices);
    metrics.set(eligibleNodes, { reason: reasonLabel(reason) }, candidates.length);
    lastPass.note(method.name, selection);
    method.follow?.(candidates);
    const allowances = findAllowances(reason, state, nodeCounts);
    const showBlocked = (): void => {
      const look = { selection: scan[method.class], candidates: selection, findObstacle: method.findObstacle };
      this.#blockedMetrics.showNodes(reason, this.#blocked.count(reason, { ...look, allowances, now: state.now }));
    };
    if (candidates.length === 0) {
      showBlocked();
      return [];
    }
    for (const nodePool of allowances.blocking) events.publish(blockedByBudget(nodePool, reason));
    const lookAgain = (): Promise<PassView> => {
      this.#view = undefined;
      return this.#look(slices, logger);
    };
    const turn = { view, candidates, ineligible, budgets: new BudgetCounter(allowances), lookAgain, slices, logger };
    try {
      return await method.decide(turn);
    } catch (cause) {
      throw new Error(`computing disruption decision, ${errorText(cause)}`, { cause });
    } finally {
      showBlocked();
    }
  }

  async #publishIneligible(ineligible: EligibleCandidates['ineligible'], slices: TimeSlices): Promise<void> {
    const { events, options } = this.#deps;
    const keyedByText = hasOwnDefaults(options.extensions); // spec 09 §0.3-6
    for (const { candidate, why } of ineligible) {
      if (slices.isOver) await slices.pause();
      const text = renderIneligibility(why);
      if (text === undefined || this.#published.get(candidate) === text) continue;
      this.#published.set(candidate, text);
      events.publish(...unconsolidatable(candidate, text, { keyedByText }));
    }
  }

  /** Starts each of them, whether or not others can be started. Resolves with how many were. */
  async #startAll(decided: readonly Decided[], slices: TimeSlices, logger: Logger): Promise<number> {
    let started = 0;
    const errors: unknown[] = [];
    for (const one of decided) {
      try {
        if (await this.#start(one, slices, logger)) started++;
      } catch (error) {
        slices.signal.throwIfAborted();
        errors.push(error);
      }
    }
    if (errors.length > 0) throw combineErrors(errors);
    return started;
  }

  async #start({ command, view, onStart }: Decided, slices: TimeSlices, logger: Logger): Promise<boolean> {
    try {
      const isStarted = await startCommand(this.#deps, command, view.state, slices, logger);
      if (isStarted) {
        onStart?.();
        this.#deps.lastPass.started(command);
      }
      return isStarted;
    } catch (cause) {
      slices.signal.throwIfAborted();
      if (command.reason === 'Drifted' || command.reason === 'Expired') {
        this.#backOff.fail(command.candidates[0]!.pool.nodePool.metadata.name);
      }
      throw new Error(`disrupting candidates, ${errorText(cause)}`, { cause });
    }
  }
}
