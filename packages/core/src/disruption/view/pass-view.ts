import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Logger } from '@karpenter-ts/runtime';
import type { ClusterModel } from '../../state/cluster-model.ts';
import type { TimeSlices } from '../../state/time-slices.ts';
import { countNodes } from '../budgets/budget-allowances.ts';
import { CandidateFinder, type CandidateScan } from '../candidates/candidate-filters.ts';
import type { DisruptionState } from './disruption-state.ts';
import { PlanningSimulators, type SimulatorDeps } from '../simulation/planning-simulator.ts';
import { findPoolTotals, type PoolTotals } from '../balanced/pool-totals.ts';
import { DisruptionStateReader, type StateDeps } from './read-state.ts';

/** The cluster as methods see it until it has to be read again. */
export interface PassView {
  /** When reading began, in monotonic milliseconds. */
  readonly readAt: number;
  /** `ClusterModel.consolidationState` from before reading. */
  readonly clusterState: number;
  readonly state: DisruptionState;
  readonly scan: CandidateScan;
  /** The nodes of every NodePool as budgets count them. */
  readonly nodeCounts: ReturnType<typeof countNodes>;
  /** For policy Balanced. */
  readonly totals: ReadonlyMap<string, PoolTotals>;
  readonly simulators: PlanningSimulators;
}

export type ViewDeps = StateDeps & {
  readonly simulation: SimulatorDeps;
  readonly cluster: Pick<ClusterModel, 'consolidationState' | 'markUnconsolidated'>;
};

/** Reads views, one for all methods of a pass as long as it is fresh. */
export class PassViews {
  readonly #deps: ViewDeps;
  readonly #reader: DisruptionStateReader;
  readonly #finder = new CandidateFinder();
  #offers: ReadonlyMap<string, readonly InstanceType[]> | undefined; // as last read, by NodePool

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#reader = new DisruptionStateReader(deps);
  }

  /** To be called before the first view of a pass. */
  beginPass(): void {
    this.#reader.beginPass();
  }

  /** Reads the cluster in time slices. Rejects only if it was aborted. */
  async read(slices: TimeSlices, logger: Logger): Promise<PassView> {
    const { clock, cluster } = this.#deps;
    const readAt = clock.elapsed();
    const clusterState = cluster.consolidationState();
    const state = await this.#reader.read(slices, logger);
    this.#noteOffers(state);
    const scan = await this.#finder.find(state, slices);
    const { prices } = this.#finder;
    let totals: PassView['totals'] | undefined;
    return {
      readAt,
      clusterState,
      state,
      scan,
      nodeCounts: countNodes(state.stateNodes),
      get totals() {
        return (totals ??= findPoolTotals(scan.graceful, state, prices));
      },
      simulators: new PlanningSimulators(state, this.#deps.simulation),
    };
  }

  /**
   * Tells consolidation about other prices or offerings, which upstream does not (spec 04 §25-5). The view keeps the
   * state from before, so that the next pass looks once more.
   */
  #noteOffers({ pools }: DisruptionState): void {
    const before = this.#offers;
    this.#offers = new Map([...pools].map(([name, { offered }]) => [name, offered]));
    const isSame = before === undefined || [...this.#offers].every(([name, one]) => before.get(name) === one);
    if (!isSame) this.#deps.cluster.markUnconsolidated();
  }
}
