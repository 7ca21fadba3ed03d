import { type Client, type Clock, isAlreadyExists, isConflict, isNotFound, SECOND } from '@karpenter-ts/runtime';
import { type Lease, LEASES, microTimestamp, type Node } from '@karpenter-ts/kubernetes';
import { ownedByNode } from './node-status.ts';
import type { KubeletSettings } from './settings.ts';

const NAMESPACE = 'kube-node-lease';

/**
 * The heartbeat leases of nodes. All are renewed in one round: under virtual time, hundreds of nodes then cost one step
 * of the clock instead of hundreds.
 */
export class NodeLeases {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #settings: KubeletSettings;
  readonly #last = new Map<string, Lease>(); // as the server last answered, by node

  constructor(options: { readonly client: Client; readonly clock: Clock; readonly settings: KubeletSettings }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#settings = options.settings;
  }

  /** Renews the leases of these nodes, and drops those of all others. */
  async renewAll(nodes: readonly Node[]): Promise<void> {
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const name of this.#last.keys()) if (!names.has(name)) this.#last.delete(name);
    const renewTime = microTimestamp(this.#clock.now());
    await Promise.all(nodes.map((node) => this.renew(node, renewTime)));
  }

  /**
   * Acquires the lease if it does not exist. A lease that somebody else has written is read again, and renewed next
   * time.
   */
  async renew(node: Node, renewTime = microTimestamp(this.#clock.now())): Promise<void> {
    const { name } = node.metadata;
    const last = this.#last.get(name);
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: this.#settings.leaseDuration / SECOND,
      renewTime,
    };
    try {
      const next =
        last === undefined
          ? await this.#client.create<Lease>(LEASES, { ...newLease(node), spec })
          : await this.#client.update<Lease>(LEASES, { ...last, spec: { ...last.spec, ...spec } });
      this.#last.set(name, next);
    } catch (error) {
      if (isNotFound(error)) this.#last.delete(name);
      else await this.#reload(name, error);
    }
  }

  async #reload(name: string, error: unknown): Promise<void> {
    if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    this.#last.set(name, await this.#client.get<Lease>(LEASES, { name, namespace: NAMESPACE }));
  }
}

function newLease(node: Node): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: node.metadata.name, namespace: NAMESPACE, ownerReferences: [ownedByNode(node)] },
  };
}
