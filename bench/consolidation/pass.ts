import {
  BudgetCounter,
  type Candidate,
  CandidateFinder,
  type ConsolidationContext,
  countNodes,
  DisruptionStateReader,
  findAllowances,
  findConsolidationObstacle,
  findMultiNode,
  findOption,
  PlannerDriver,
  planningOptions,
  PlanningSimulators,
  RememberedOptions,
  selectEligible,
  SingleNodeWalk,
  TimeSlices,
} from '@karpenter-ts/core';
import { Catalogues, LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import type { CachedCluster } from './cached-cluster.ts';

/** What looking at every candidate of a cluster came to. */
export interface Scan {
  readonly candidates: number;
  /** Candidates that can go, or be replaced by something cheaper. */
  readonly removable: number;
  readonly replaceable: number;
  readonly failed: number;
  /** Reading the state and building the candidates. */
  readonly readMs: number;
  /** That, and a what-if for each candidate. */
  readonly totalMs: number;
  readonly cpuMs: number;
}

/** What a search for several nodes to go at once came to. */
export interface MultiNodeSearch {
  /** How many candidates were among those searched. */
  readonly candidates: number;
  /** How many can go together. */
  readonly found: number;
  /** Of the search alone, with the snapshot that it reads. */
  readonly searchMs: number;
}

/** What a process keeps about instance types: they belong to the provider, and the provisioner has indexed them, too. */
export interface TypeIndexes {
  readonly catalogues: Catalogues;
  readonly prices: LaunchPriceIndexes;
}

export function newTypeIndexes({ provider }: CachedCluster): TypeIndexes {
  return { catalogues: new Catalogues(), prices: new LaunchPriceIndexes(provider.profile) };
}

/** The parts of the disruption controller that outlive a pass, over one cluster. Searches decide, and nobody acts. */
export class Passes {
  readonly #cluster: CachedCluster;
  readonly #reader: DisruptionStateReader;
  readonly #finder = new CandidateFinder();
  readonly #prices: LaunchPriceIndexes;
  readonly #driver: PlannerDriver;
  readonly #remembered: RememberedOptions;

  constructor(cluster: CachedCluster, { catalogues, prices }: TypeIndexes) {
    const { clock, metrics, model } = cluster;
    this.#cluster = cluster;
    this.#reader = new DisruptionStateReader({
      ...cluster,
      cluster: model,
      queue: { has: () => false, isReplacement: () => false },
    });
    this.#prices = prices;
    this.#remembered = new RememberedOptions(clock);
    this.#driver = new PlannerDriver({ clock, metrics, controller: 'disruption', catalogues });
  }

  /**
   * Single-node consolidation that approves nothing, so that it looks at every candidate. The first scan knows nothing; a
   * second one of an unchanged cluster relies on what the first has found, as the controller does.
   */
  async scan(): Promise<Scan> {
    const started = performance.now();
    const cpuBefore = process.cpuUsage();
    const { signal } = new AbortController();
    const pass = await this.#begin(signal);
    const readMs = performance.now() - started;
    const counts = { delete: 0, replace: 0, failed: 0 };
    const walk = new SingleNodeWalk(
      {
        ...pass,
        findOption: this.#remembered.remembering(pass),
        unseenPools: new Set<string>(),
        approve: ({ decision }) => {
          counts[decision]++;
          return { isApproved: false };
        },
        canApprove: () => true,
        clock: this.#cluster.clock,
        deadline: Number.POSITIVE_INFINITY,
      },
      ({ kind }) => {
        if (kind === 'Failed') counts.failed++;
      },
    );
    const end = await walk.next(signal);
    if (!('kind' in end && end.kind === 'Complete')) throw new Error('the walk did not look at every candidate');
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      candidates: pass.candidates.length,
      removable: counts.delete,
      replaceable: counts.replace,
      failed: counts.failed,
      readMs,
      totalMs: performance.now() - started,
      cpuMs: (user + system) / 1000,
    };
  }

  /** Multi-node consolidation, which looks at up to 101 candidates at once. */
  async searchMultiNode(): Promise<MultiNodeSearch> {
    const { signal } = new AbortController();
    const pass = await this.#begin(signal);
    const started = performance.now();
    const { found } = await findMultiNode(
      {
        ...pass,
        approve: () => ({ isApproved: true }),
        profile: this.#cluster.provider.profile,
        clock: this.#cluster.clock,
        deadline: Number.POSITIVE_INFINITY,
      },
      signal,
    );
    return {
      candidates: Math.min(pass.candidates.length, 101),
      found: found?.consolidation.candidates.length ?? 0,
      searchMs: performance.now() - started,
    };
  }

  async #begin(signal: AbortSignal) {
    const { caches, clock, logger, model, options, provider } = this.#cluster;
    const slices = new TimeSlices(clock, signal);
    const state = await this.#reader.read(slices, logger);
    const { graceful } = await this.#finder.find(state, slices);
    const { eligible } = selectEligible(graceful.candidates, findConsolidationObstacle, state.now);
    const budgets = new BudgetCounter(findAllowances('Underutilized', state, countNodes(state.stateNodes)));
    const context: ConsolidationContext = { pools: state.pools, prices: this.#prices, spotToSpot: false };
    const planning = planningOptions(options, provider);
    const deps = { caches, cluster: model, clock, logger, driver: this.#driver, options: planning };
    const simulator = new PlanningSimulators(state, deps).for('Quiet');
    const find = (candidates: readonly Candidate[]) => findOption(candidates, context, simulator, signal);
    return { candidates: eligible, budgets, context, simulator, state, findOption: find };
  }
}
