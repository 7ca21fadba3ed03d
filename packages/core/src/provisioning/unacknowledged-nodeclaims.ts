import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { StatusError } from '@karpenter-ts/runtime';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodeClaim } from '../state/managed.ts';

type Deps = Pick<ControllerDeps, 'client' | 'provider'> & { readonly cluster: ClusterModel };

/**
 * NodeClaims whose creation nobody has answered. They may exist, and a plan made before the caches tell of them would buy
 * them again. Upstream does.
 */
export class UnacknowledgedNodeClaims {
  readonly #deps: Deps;
  #mayExist = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** To be told why a creation failed. */
  noteFailure(error: unknown): void {
    const isRefused = error instanceof StatusError && error.code < 500; // then it is not stored
    this.#mayExist ||= !isRefused;
  }

  /**
   * Takes those that exist into the model; asks the API server only if there may be any, and rejects if it cannot. None of
   * them is launched: that is done by who has them in the cache. So the model waits for each, or forgets it in time.
   */
  async resolve(signal: AbortSignal): Promise<void> {
    if (!this.#mayExist) return;
    const { client, cluster, provider } = this.#deps;
    const { items } = await client.listAll<NodeClaim>(NODE_CLAIMS, {}, signal);
    this.#mayExist = false;
    for (const nodeClaim of items) {
      if (isManagedNodeClaim(nodeClaim, provider) && !nodeClaim.status?.providerID) cluster.track(nodeClaim);
    }
  }
}
