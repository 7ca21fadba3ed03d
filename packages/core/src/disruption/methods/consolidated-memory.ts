import type { MethodName } from '../commands/command.ts';

/**
 * Which methods have found nothing to do in the cluster as it is (spec 04 §15), so that an idle cluster costs no
 * simulations. A change of the cluster state makes them look again.
 */
export class ConsolidatedMemory {
  readonly #seen = new Map<MethodName, number>();

  /** Whether the method found nothing when the cluster was in this state. */
  isConsolidated(method: MethodName, clusterState: number): boolean {
    return this.#seen.get(method) === clusterState;
  }

  /**
   * The method found nothing. `clusterState` is that from before the method began to read: with a later one, a change
   * during a long search would go unnoticed for minutes, as upstream's does (spec 04 §25-4).
   */
  remember(method: MethodName, clusterState: number): void {
    this.#seen.set(method, clusterState);
  }
}
