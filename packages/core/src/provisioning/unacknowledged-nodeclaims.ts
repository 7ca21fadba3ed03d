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
  #failures = 0; // creations that may have been stored
  #resolved = 0; // as many of these were followed by a list that shows what is stored

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** To be called with the error of every failed creation. */
  noteFailure(error: unknown): void {
    const isRefused = error instanceof StatusError && error.code < 500; // the server has refused it, so it is not stored
    if (!isRefused) this.#failures++;
  }

  /**
   * Lists the NodeClaims and adds those that are not launched to the cluster model, which then waits for their launch.
   * Asks the API server only if a creation may be unacknowledged, and rejects if that fails. A creation that fails while
   * the answer is awaited may be missing from it, so that the next call asks again.
   */
  async resolve(signal: AbortSignal): Promise<void> {
    const failures = this.#failures;
    if (failures === this.#resolved) return;
    const { client, cluster, provider } = this.#deps;
    const { items } = await client.listAll<NodeClaim>(NODE_CLAIMS, {}, signal);
    this.#resolved = Math.max(this.#resolved, failures);
    for (const nodeClaim of items) {
      if (isManagedNodeClaim(nodeClaim, provider) && !nodeClaim.status?.providerID) cluster.track(nodeClaim);
    }
  }
}
