import type { NodeClaim } from '@karpenter-ts/apis';
import type { ObjectCache } from '@karpenter-ts/runtime';
import { findInstanceId } from './provider-id.ts';

/** Finds the NodeClaims of instances, which AWS names by their ids alone. Follows the cache for as long as that lives. */
export class NodeClaimsByInstance {
  readonly #nodeClaims: Pick<ObjectCache<NodeClaim>, 'get'>;
  /** Names of NodeClaims by instance id. There is one for each, unless something is wrong. */
  readonly #names = new Map<string, Set<string>>();

  constructor(nodeClaims: Pick<ObjectCache<NodeClaim>, 'get' | 'addHandler'>) {
    this.#nodeClaims = nodeClaims;
    nodeClaims.addHandler({
      onAdd: (nodeClaim) => this.#add(nodeClaim),
      onUpdate: (old, nodeClaim) => {
        if (old.status?.providerID === nodeClaim.status?.providerID) return;
        this.#remove(old);
        this.#add(nodeClaim);
      },
      onDelete: (nodeClaim) => this.#remove(nodeClaim),
    });
  }

  find(instanceId: string): readonly NodeClaim[] {
    const names = [...(this.#names.get(instanceId) ?? [])];
    return names.map((name) => this.#nodeClaims.get(name)).filter((nodeClaim) => nodeClaim !== undefined);
  }

  #add({ metadata, status }: NodeClaim): void {
    const id = findInstanceId(status?.providerID);
    if (id === undefined) return;
    const names = this.#names.get(id);
    if (names === undefined) this.#names.set(id, new Set([metadata.name]));
    else names.add(metadata.name);
  }

  #remove({ metadata, status }: NodeClaim): void {
    const id = findInstanceId(status?.providerID) ?? '';
    const names = this.#names.get(id);
    names?.delete(metadata.name);
    if (names?.size === 0) this.#names.delete(id);
  }
}
