import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { StatusError } from '@karpenter-ts/runtime';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodeClaim } from '../state/managed.ts';

type Deps = Pick<ControllerDeps, 'client' | 'provider'> & { readonly cluster: ClusterModel };

/**
 * NodeClaims whose create request got no answer. Such a request may have succeeded, and planning before the caches show
 * the NodeClaim would buy its capacity twice, as upstream does.
 */
export class UnacknowledgedNodeClaims {
  readonly #deps: Deps;
  #mayExist = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** To be called with the error of every failed creation. */
  noteFailure(error: unknown): void {
    const isRefused = error instanceof StatusError && error.code < 500; // the server has refused it, so it is not stored
    this.#mayExist ||= !isRefused;
  }

  /**
   * Lists the NodeClaims and adds those that are not launched to the cluster model, which then waits for their launch.
   * Asks the API server only if a creation may be unacknowledged, and rejects if that fails.
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
