import { asSentence, renderSimulationErrors } from './simulation-text.ts';
import { disruptionBlocked } from './disruption-events.ts';
import type { DriftBackOff } from './drift-back-off.ts';
import { findDriftedNode, type LookedAt } from './drift-method.ts';
import { findDriftObstacle } from './eligibility.ts';
import type { Decided, Method, MethodDeps, MethodTurn } from './method.ts';

export interface DriftDeps extends MethodDeps {
  readonly backOff: Pick<DriftBackOff, 'isHeld'>;
}

/** Replaces one drifted node at a time, the one that has been drifted longest first (spec 04 §9.3). */
export class Drift implements Method {
  readonly name = 'Drift';
  readonly reason = 'Drifted';
  readonly class = 'eventual';
  readonly consolidationType = '';
  readonly findObstacle = findDriftObstacle;
  readonly #deps: DriftDeps;
  #lookedAt: LookedAt = new Set();

  constructor(deps: DriftDeps) {
    this.#deps = deps;
  }

  async decide({ view, candidates, budgets, slices }: MethodTurn): Promise<Decided | undefined> {
    const { backOff, clock, events } = this.#deps;
    const search = {
      candidates: candidates.filter(({ pool }) => !backOff.isHeld(pool.nodePool.metadata.name)),
      budgets,
      simulator: view.simulators.for('All'),
      state: view.state,
      clock,
      lookedAt: this.#lookedAt,
    };
    const { command, unschedulable, lookedAt } = await findDriftedNode(search, slices.signal);
    this.#lookedAt = lookedAt;
    for (const { candidate, errors } of unschedulable) {
      if (slices.isOver) await slices.pause();
      events.publish(...disruptionBlocked(candidate, asSentence(renderSimulationErrors(errors))));
    }
    return command && { command, view };
  }
}
