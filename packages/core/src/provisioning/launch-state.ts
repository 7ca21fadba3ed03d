import { Catalogues } from '@karpenter-ts/scheduling';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { UnacknowledgedNodeClaims } from './unacknowledged-nodeclaims.ts';

type LaunchStateDeps = Pick<ControllerDeps, 'client' | 'provider'> & { readonly cluster: ClusterModel };

/** What all controllers that plan and create NodeClaims have in common. One is made for the process. */
export class LaunchState {
  /** The instance types that were read for a plan. Those of a NodePool are read once for all controllers. */
  readonly catalogues = new Catalogues();
  readonly unacknowledged: UnacknowledgedNodeClaims;
  readonly #cluster: ClusterModel;

  constructor(deps: LaunchStateDeps) {
    this.#cluster = deps.cluster;
    this.unacknowledged = new UnacknowledgedNodeClaims(deps);
  }

  /**
   * Whether the cluster state shows every NodeClaim that was created, whoever created it, so that no capacity is bought
   * twice. Rejects if the API server cannot be asked.
   */
  async isReady(signal: AbortSignal): Promise<boolean> {
    await this.unacknowledged.resolve(signal);
    return this.#cluster.hasSynced();
  }
}
