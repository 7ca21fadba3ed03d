import { unlessGone } from './client/unless-gone.ts';
import type { Client } from './client/client.ts';
import { findInClusterNamespace } from './client/in-cluster.ts';
import { type Lease, LEASES, type LeaseSpec, type ObjectRef } from '@karpenter-ts/kubernetes';

/**
 * Reads and writes one Lease. It remembers the resource version it read last, so an update succeeds only if nobody else
 * has written.
 */
export class LeaseLock {
  readonly #client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly #ref: ObjectRef;
  readonly #labels: Readonly<Record<string, string>> | undefined;
  readonly #timeout: number;
  #seen: Lease | undefined;

  /** `timeout` limits one request, in milliseconds. The client repeats none of them. */
  constructor(options: {
    readonly client: Pick<Client, 'get' | 'create' | 'update'>;
    readonly ref: ObjectRef;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly timeout: number;
  }) {
    this.#client = options.client;
    this.#ref = options.ref;
    this.#labels = options.labels;
    this.#timeout = options.timeout;
  }

  /** Undefined if the Lease does not exist. */
  async find(signal: AbortSignal): Promise<LeaseSpec | undefined> {
    const lease = await unlessGone(this.#client.get<Lease>(LEASES, this.#ref, this.#options, signal));
    if (lease === undefined) return undefined;
    this.#seen = lease;
    return lease.spec ?? {};
  }

  async create(spec: LeaseSpec, signal: AbortSignal): Promise<void> {
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...this.#ref, ...(this.#labels && { labels: this.#labels }) },
      spec,
    };
    this.#seen = await this.#client.create<Lease>(LEASES, lease, this.#options, signal);
  }

  /** Updates the version read last. Rejects with a conflict if there is a newer one. */
  async update(spec: LeaseSpec, signal: AbortSignal): Promise<void> {
    if (this.#seen === undefined) throw new Error('lease not initialized, call find or create first');
    const { metadata } = this.#seen;
    const labels = this.#labels && { labels: { ...metadata.labels, ...this.#labels } };
    const lease: Lease = { ...this.#seen, metadata: { ...metadata, ...labels }, spec: { ...this.#seen.spec, ...spec } };
    this.#seen = await this.#client.update<Lease>(LEASES, lease, this.#options, signal);
  }

  get #options() {
    return { timeout: this.#timeout, retries: 0 };
  }
}

/** The namespace of the Lease: the configured one, else the pod's own. Throws outside a cluster. */
export async function leaseNamespace(configured: string, mount?: string): Promise<string> {
  const namespace = configured || (await findInClusterNamespace(mount));
  if (namespace !== undefined) return namespace;
  throw new Error(
    'unable to find leader election namespace: not running in-cluster, please specify LeaderElectionNamespace',
  );
}
