import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { Catalogues, LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { PlannerDriver } from '../../planning/planner-driver.ts';
import { planningOptions } from '../../planning/planning-options.ts';
import { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import { TimeSlices } from '../../state/time-slices.ts';
import { BudgetCounter, countNodes, findAllowances } from '../budgets/budget-allowances.ts';
import { type Candidate, candidateName } from '../candidates/candidate.ts';
import { CandidateFinder } from '../candidates/candidate-filters.ts';
import { type ConsolidationOption, findOption } from '../consolidation/consolidation-option.ts';
import { renderNoConsolidation } from '../consolidation/consolidation-text.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import { findConsolidationObstacle, selectEligible } from '../candidates/eligibility.ts';
import { type Approval, findMultiNode, type MultiNodeSearch } from '../consolidation/multi-node.ts';
import { PlanningSimulators } from '../simulation/planning-simulator.ts';
import { DisruptionStateReader } from '../view/read-state.ts';
import type { DisruptionEnvironment } from './disruption-environment.ts';

type Environment = Pick<
  DisruptionEnvironment,
  'caches' | 'clock' | 'cluster' | 'logger' | 'metrics' | 'options' | 'provider'
>;

const { signal } = new AbortController();

/** An environment as consolidation sees it at one moment, without its controller. */
export class ConsolidationView {
  readonly state: DisruptionState;
  /** Those that consolidation has no obstacle for. */
  readonly candidates: readonly Candidate[];
  readonly simulators: PlanningSimulators;
  readonly #env: Environment;

  private constructor(env: Environment, state: DisruptionState, candidates: readonly Candidate[]) {
    const { caches, clock, cluster, logger, metrics, options, provider } = env;
    this.#env = env;
    this.state = state;
    this.candidates = candidates;
    const driver = new PlannerDriver({ clock, metrics, controller: 'disruption', catalogues: new Catalogues() });
    const planning = planningOptions(options, provider);
    this.simulators = new PlanningSimulators(state, { caches, cluster, clock, logger, driver, options: planning });
  }

  /** Pass the same index of budgets for views that have a memory in common. */
  static async read(
    env: Environment,
    podDisruptionBudgets = new PodDisruptionBudgets(env.caches),
  ): Promise<ConsolidationView> {
    const slices = new TimeSlices(env.clock, signal);
    const reader = new DisruptionStateReader({
      ...env,
      podDisruptionBudgets,
      queue: { has: () => false, isReplacement: () => false },
    });
    const state = await reader.read(slices, env.logger);
    const { graceful } = await new CandidateFinder().find(state, slices);
    const { eligible } = selectEligible(graceful.candidates, findConsolidationObstacle, state.now);
    return new ConsolidationView(env, state, eligible);
  }

  get context() {
    const { options, provider } = this.#env;
    const spotToSpot = options.featureGates.SpotToSpotConsolidation;
    return { pools: this.state.pools, prices: new LaunchPriceIndexes(provider.profile), spotToSpot };
  }

  /** What could be done with the nodes of these NodeClaims together. */
  option(...nodeClaims: readonly string[]): Promise<ConsolidationOption> {
    const found = nodeClaims.map((name) => this.candidates.find((one) => candidateName(one) === `node-of-${name}`)!);
    return this.find(found);
  }

  /** The same for candidates. */
  find(candidates: readonly Candidate[]): Promise<ConsolidationOption> {
    return findOption(candidates, this.context, this.simulators.for('Quiet'), signal);
  }

  /** What could be done, in words: upstream's text if it is nothing. */
  async look(...nodeClaims: readonly string[]): Promise<string | undefined> {
    return describeOption(await this.option(...nodeClaims));
  }

  /** A search for several nodes, with budgets as they are and every policy in favour. */
  multi(parts: Partial<MultiNodeSearch<Approval>> = {}) {
    const allowances = findAllowances('Underutilized', this.state, countNodes(this.state.stateNodes));
    const search = {
      candidates: this.candidates,
      budgets: new BudgetCounter(allowances),
      findOption: (candidates: readonly Candidate[]) => this.find(candidates),
      approve: () => ({ isApproved: true }),
      context: this.context,
      profile: this.#env.provider.profile,
      clock: this.#env.clock,
      deadline: Number.POSITIVE_INFINITY,
    };
    return findMultiNode({ ...search, ...parts }, signal);
  }
}

/** `delete`, `replace by` types, capacity types and zones, or why there is nothing to do. */
export function describeOption(option: ConsolidationOption): string | undefined {
  if (option.decision === 'no-op') return renderNoConsolidation(option.why);
  if (option.decision === 'delete') return 'delete';
  const [replacement] = option.replacements;
  const { requirements, instanceTypes } = replacement!.planned;
  const valuesOf = (label: string) => [...(requirements.get(label)?.values ?? [])].sort().join();
  const where = [CAPACITY_TYPE_LABEL, ZONE_LABEL].map(valuesOf).filter((text) => text !== '');
  return ['replace by', instanceTypes.join(), ...where].join(' ');
}
