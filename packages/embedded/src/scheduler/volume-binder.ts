import { type Client, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import {
  BOUND_BY_CONTROLLER,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  SELECTED_NODE,
} from '@karpenter-ts/kubernetes';
import type { NodeEntry } from './model/node-entry.ts';
import type { StorageModel } from './model/storage-model.ts';
import { volumeClaimKey, isBound, isInReach, type VolumePlan } from './model/volume-plan.ts';

/** How far the binding of a pod's volume claims is; `left` is the milliseconds until its timeout. */
export type Progress =
  | { readonly kind: 'bound' }
  | { readonly kind: 'waiting'; readonly left: number }
  | { readonly kind: 'failed'; readonly message: string };

/** The timeout for binding volumes (kube-scheduler's default). */
const TIMEOUT = 600 * SECOND;

/** A plan that is being carried out. */
interface Work {
  readonly plan: VolumePlan;
  readonly node: NodeEntry;
  readonly since: number;
}

/**
 * Binds or requests volumes for pods that have a node. It only writes annotations and bindings; the volume controllers
 * do the rest, and remove the selected-node annotation if they cannot provision there.
 */
export class VolumeBinder {
  readonly #client: Pick<Client, 'patch'>;
  readonly #clock: SteadyClock;
  readonly #storage: StorageModel;
  readonly #work = new Map<string, Work>();

  constructor(client: Pick<Client, 'patch'>, clock: SteadyClock, storage: StorageModel) {
    this.#client = client;
    this.#clock = clock;
    this.#storage = storage;
  }

  /** Reserves what the plan needs, until `release`. */
  reserve(podKey: string, plan: VolumePlan, node: NodeEntry): void {
    this.#work.set(podKey, { plan, node, since: this.#clock.elapsed() });
    for (const { volumeClaim, volume } of plan.bindings)
      this.#storage.promise(volume.metadata.name, volumeClaimKey(volumeClaim));
    for (const volumeClaim of plan.provisions) this.#storage.choose(volumeClaimKey(volumeClaim), node.name);
  }

  /** The pods whose volumes are not all bound yet, as far as is known. */
  podsUnderWay(): Iterable<string> {
    return this.#work.keys();
  }

  /** Writes what the plan says. Conflicts are thrown: the plan was made from an outdated state. */
  async write(podKey: string, signal: AbortSignal): Promise<void> {
    const { plan, node } = this.#work.get(podKey)!;
    for (const { volumeClaim, volume } of plan.bindings) await this.#bind(volume, volumeClaim, signal);
    for (const volumeClaim of plan.provisions) await this.#select(volumeClaim, node, signal);
  }

  /** Undefined if no volume claim of the pod is being bound. */
  progress(podKey: string): Progress | undefined {
    const work = this.#work.get(podKey);
    if (work === undefined) return undefined;
    for (const volumeClaim of volumeClaimsOf(work.plan)) {
      const step = this.#progressOf(volumeClaim, work);
      if (step.kind !== 'bound') return step;
    }
    return BOUND;
  }

  release(podKey: string): void {
    const work = this.#work.get(podKey);
    if (work === undefined) return;
    this.#work.delete(podKey);
    for (const volumeClaim of volumeClaimsOf(work.plan)) this.#storage.release(volumeClaimKey(volumeClaim));
  }

  #progressOf(asked: PersistentVolumeClaim, { plan, node, since }: Work): Progress {
    const { name, resourceVersion } = asked.metadata;
    const volumeClaim = this.#storage.volumeClaims.get(volumeClaimKey(asked));
    const volume = this.#storage.volumes.get(volumeClaim?.spec.volumeName ?? '');
    if (volumeClaim === undefined)
      return failed(`failed to check provisioning pvc: could not find the claim "${name}"`);
    // Our write was based on the version we knew. As long as the cache shows that version, it does not show our write.
    const isAnswered = volumeClaim.metadata.resourceVersion !== resourceVersion;
    if (
      isAnswered &&
      plan.provisions.includes(asked) &&
      volumeClaim.metadata.annotations?.[SELECTED_NODE] !== node.name
    ) {
      return failed(`provisioning failed for PVC "${name}"`);
    }
    if (isAnswered && isBound(volumeClaim) && volume !== undefined)
      return isInReach(volume, node) ? BOUND : outOfReach(volume, node);
    const left = since + TIMEOUT - this.#clock.elapsed();
    return left > 0 ? { kind: 'waiting', left } : failed('context deadline exceeded');
  }

  async #bind(volume: PersistentVolume, volumeClaim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid, resourceVersion } = volumeClaim.metadata;
    const isKept = volume.spec.claimRef !== undefined; // by its owner, for this claim
    const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
    const annotations = isKept ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
    const metadata = { resourceVersion: volume.metadata.resourceVersion, annotations };
    await this.#client.patch(
      PERSISTENT_VOLUMES,
      volume.metadata,
      { type: 'merge', body: { metadata, spec: { claimRef } } },
      {},
      signal,
    );
  }

  async #select(volumeClaim: PersistentVolumeClaim, node: NodeEntry, signal: AbortSignal): Promise<void> {
    const { resourceVersion } = volumeClaim.metadata;
    const body = { metadata: { resourceVersion, annotations: { [SELECTED_NODE]: node.name } } };
    await this.#client.patch(PERSISTENT_VOLUME_CLAIMS, volumeClaim.metadata, { type: 'merge', body }, {}, signal);
  }
}

const BOUND: Progress = { kind: 'bound' };

function volumeClaimsOf({ bindings, provisions }: VolumePlan): readonly PersistentVolumeClaim[] {
  return [...bindings.map(({ volumeClaim }) => volumeClaim), ...provisions];
}

function outOfReach({ metadata }: PersistentVolume, node: NodeEntry): Progress {
  return failed(`pv "${metadata.name}" node affinity doesn't match node "${node.name}": no matching NodeSelectorTerms`);
}

const failed = (detail: string): Progress => ({
  kind: 'failed',
  message: `running PreBind plugin "VolumeBinding": binding volumes: ${detail}`,
});
