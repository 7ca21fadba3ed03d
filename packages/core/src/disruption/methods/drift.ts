import { asSentence, renderSimulationErrors } from '../simulation/simulation-text.ts';
import { disruptionBlocked } from '../reports/disruption-events.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import type { DriftBackOff } from './drift-back-off.ts';
import { findDriftedNode, type LookedAt } from './drift-method.ts';
import { findDriftObstacle, findExpirationObstacle } from '../candidates/eligibility.ts';
import type { Decided, Method, MethodDeps, MethodTurn } from './method.ts';

interface DriftDeps extends MethodDeps {
  readonly backOff: Pick<DriftBackOff, 'isHeld'>;
}

/** Replaces one node at a time, whatever that costs, because it should not exist for longer. */
abstract class Replacement implements Method {
  abstract readonly name: 'Drift' | 'Expiration';
  abstract readonly reason: Method['reason'];
  abstract readonly findObstacle: Method['findObstacle'];
  readonly class = 'eventual';
  readonly consolidationType = '';
  readonly #deps: DriftDeps;
  #lookedAt: LookedAt = new Set();

  constructor(deps: DriftDeps) {
    this.#deps = deps;
  }

  async decide({ view, candidates, budgets, slices }: MethodTurn): Promise<readonly Decided[]> {
    const { backOff, blocked, clock, events } = this.#deps;
    const search = {
      candidates: candidates.filter(({ pool }) => !backOff.isHeld(pool.nodePool.metadata.name)),
      budgets,
      simulator: view.simulators.for('All'),
      state: view.state,
      clock,
      lookedAt: this.#lookedAt,
      method: this.name,
    };
    const { command, unschedulable, lookedAt } = await findDriftedNode(search, slices.signal);
    this.#lookedAt = lookedAt;
    for (const { candidate, errors } of unschedulable) {
      if (slices.isOver) await slices.pause();
      events.publish(...disruptionBlocked(candidate, asSentence(renderSimulationErrors(errors))));
      blocked.note(this.reason, candidate, 'unschedulable');
    }
    for (const candidate of command?.candidates ?? []) blocked.note(this.reason, candidate, undefined);
    return command === undefined ? [] : [{ command, view }];
  }
}

/** Replaces drifted nodes, the one that has been drifted longest first (spec 04 §9.3). */
export class Drift extends Replacement {
  readonly name = 'Drift';
  readonly reason = 'Drifted';
  readonly findObstacle = findDriftObstacle;
}

/** Replaces expired nodes of pools with the policy Graceful, the one that expired first before the others (spec 09 B2). */
export class Expiration extends Replacement {
  readonly name = 'Expiration';
  readonly reason = 'Expired';
  readonly findObstacle = findExpirationObstacle;

  /** Clusters without such pools have none of its metrics. */
  isUsed({ pools }: Pick<DisruptionState, 'pools'>): boolean {
    return [...pools.values()].some(({ settings }) => settings.expirationPolicy === 'Graceful');
  }
}
