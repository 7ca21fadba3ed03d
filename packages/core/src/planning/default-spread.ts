import {
  type ApiObject,
  type LabelSelectorSpec,
  objectKey,
  type OwnerReference,
  type Pod,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type ReplicationController,
  type ResourceType,
  type Service,
  SERVICES,
  STATEFUL_SETS,
} from '@karpenter-ts/kubernetes';
import { Informer, type Source } from '@karpenter-ts/runtime';
import { type DefaultConstraint, withDefaultSpread, type Workloads } from '@karpenter-ts/scheduling';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { TimeSlices } from '../state/time-slices.ts';

type Labels = Readonly<Record<string, string>>;

type SpreadDeps = Pick<ControllerDeps, 'client' | 'clock' | 'logger' | 'metrics' | 'options'>;

/**
 * Adds kube-scheduler's default topology spread constraints to pods that have none of their own (spec 02 §17). Without
 * constraints in `--scheduler-config` it reads and changes nothing.
 */
export class DefaultSpread {
  readonly #constraints: readonly DefaultConstraint[];
  readonly #workloads: WorkloadCaches | undefined;

  constructor(deps: SpreadDeps) {
    this.#constraints = deps.options.schedulerConfig.defaultConstraints;
    this.#workloads = this.#constraints.length === 0 ? undefined : new WorkloadCaches(deps);
  }

  /** Caches that must be in sync before the first call of `apply`. */
  get sources(): readonly Source[] {
    return this.#workloads?.sources ?? [];
  }

  /** The pods to plan with. The pods of the caches are not changed. */
  async apply<P extends Pod>(pods: readonly P[], slices: TimeSlices): Promise<readonly Pod[]> {
    const workloads = this.#workloads;
    if (workloads === undefined) return pods;
    const spread: Pod[] = [];
    for (const pod of pods) {
      if (slices.isOver) await slices.pause();
      spread.push(withDefaultSpread(pod, this.#constraints, workloads));
    }
    return spread;
  }
}

/** What both a ReplicaSet and a StatefulSet have. */
interface ReplicaOwner extends ApiObject {
  readonly spec: { readonly selector?: LabelSelectorSpec | undefined };
}

/** The Services and workload controllers that tell which pods belong together. */
export class WorkloadCaches implements Workloads {
  readonly sources: readonly Source[];
  readonly #services: Informer<Service, 'label'>; // by one of the labels in the Service's selector
  readonly #replicationControllers: Informer<ReplicationController>;
  readonly #owners: ReadonlyMap<string, Informer<ReplicaOwner>>; // by kind

  constructor(deps: SpreadDeps) {
    this.#services = new Informer<Service, 'label'>({
      ...deps,
      type: SERVICES,
      indexes: { label: ({ metadata, spec }) => firstLabelOf(metadata.namespace ?? '', spec.selector) },
    });
    this.#replicationControllers = new Informer<ReplicationController>({ ...deps, type: REPLICATION_CONTROLLERS });
    const owners = [REPLICA_SETS, STATEFUL_SETS].map((type) => new Informer<ReplicaOwner>({ ...deps, type }));
    this.#owners = new Map(owners.map((informer) => [informer.type.kind, informer]));
    this.sources = [this.#services, this.#replicationControllers, ...owners].map(cacheOnly);
  }

  /** Looks only at Services that share a label with the pod, however many there are in its namespace. */
  *servicesOf(namespace: string, labels: Labels): Generator<Labels> {
    for (const label of Object.entries(labels)) {
      for (const { spec } of this.#services.byIndex('label', labelKey(namespace, label))) yield spec.selector ?? {};
    }
  }

  findSelector(namespace: string, { apiVersion, kind, name }: OwnerReference): LabelSelectorSpec | undefined {
    const key = objectKey({ namespace, name });
    if (apiVersion === 'apps/v1') return this.#owners.get(kind)?.get(key)?.spec.selector;
    if (apiVersion !== 'v1' || kind !== 'ReplicationController') return undefined;
    const matchLabels = this.#replicationControllers.get(key)?.spec.selector;
    return matchLabels && { matchLabels };
  }
}

/** The index key of a Service: the first label of its selector. A Service without a selector has none. */
function firstLabelOf(namespace: string, selector: Labels = {}): readonly string[] {
  const [first] = Object.entries(selector).sort(([a], [b]) => (a < b ? -1 : 1));
  return first === undefined ? [] : [labelKey(namespace, first)];
}

function labelKey(namespace: string, [key, value]: readonly [string, string]): string {
  return `${namespace}/${key}=${value}`;
}

/** A source that waits for a cache to sync but enqueues nothing. */
function cacheOnly<T extends ApiObject>(
  informer: Pick<Informer<T>, 'start' | 'hasSynced'> & { readonly type: ResourceType },
): Source {
  const kind = `*${informer.type.version}.${informer.type.kind}`;
  return { name: `kind source: ${kind}`, watched: { kind, cache: informer }, attach: () => undefined };
}
