// Fleets that share a cluster without affecting each other.
import { HOSTNAME_LABEL, type NodePool } from '@karpenter-ts/apis';
import type { LabelSelectorSpec, Pod } from '@karpenter-ts/kubernetes';
import type { ExistingNode, Namespace, Pool, Snapshot, Volumes } from '@karpenter-ts/scheduling';

/** The label and the taint of everything that belongs to one fleet; its value is the fleet's name. */
export const FLEET = 'plans.test/fleet';

/** Where daemons are. */
const SYSTEM = 'kube-system';

type Spec = Pod['spec'];
type PodTerms = NonNullable<NonNullable<Spec['affinity']>['podAffinity']>;
type PodTerm = NonNullable<PodTerms['requiredDuringSchedulingIgnoredDuringExecution']>[number];

/**
 * Renames a fleet so that it is isolated from others: its nodes get a label and a taint, its pods a node selector and
 * the only toleration of that taint, and its namespace selectors mean its own namespaces. `name` is its first
 * namespace.
 */
export function scopeSnapshot(snapshot: Snapshot, name: string): Snapshot {
  const scope = new Scope(name);
  return {
    ...snapshot,
    pools: snapshot.pools.map((pool) => scope.pool(pool)),
    nodes: snapshot.nodes.map((node) => scope.node(node)),
    deletingNodes: snapshot.deletingNodes.map((node) => scope.node(node)),
    pods: snapshot.pods.map((pod) => scope.pod(pod)),
    daemonPods: snapshot.daemonPods.map((pod) => scope.daemon(pod)),
    volumes: scope.volumes(snapshot.volumes),
    namespaces: snapshot.namespaces.map((namespace) => scope.labelledNamespace(namespace)),
  };
}

/** Tolerations that stand for "any taint", of those that random nodes have. */
const ANY_TAINT = ['tier', 'spare', 'rank'].map((key) => ({ key, operator: 'Exists' }));

class Scope {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  namespace(namespace: string): string {
    return namespace === 'default' ? this.#name : this.#unique(namespace);
  }

  /** The label tells it from those of other fleets. Daemons are apart: what is said of all namespaces is not about theirs. */
  labelledNamespace({ name, labels }: Namespace): Namespace {
    const own = name === SYSTEM ? {} : { [FLEET]: this.#name };
    return { name: this.namespace(name), labels: { ...labels, ...own } };
  }

  pool({ nodePool, instanceTypes }: Pool): Pool {
    const { template } = nodePool.spec;
    const scoped: NodePool['spec']['template'] = {
      metadata: { ...template.metadata, labels: { ...template.metadata?.labels, [FLEET]: this.#name } },
      spec: { ...template.spec, taints: [...(template.spec.taints ?? []), this.#taint()] },
    };
    return { nodePool: { ...nodePool, spec: { ...nodePool.spec, template: scoped } }, instanceTypes };
  }

  node(existing: ExistingNode): ExistingNode {
    const name = this.#unique(existing.name);
    const own = { [HOSTNAME_LABEL]: name, [FLEET]: this.#name };
    return {
      ...existing,
      name,
      labels: { ...existing.labels, ...own },
      taints: [...existing.taints, this.#taint()],
      node: existing.node && {
        labels: { ...existing.node.labels, ...own },
        taints: [...existing.node.taints, this.#taint()],
      },
      pods: existing.pods.map((pod) => this.pod(pod)),
    };
  }

  pod({ metadata, spec, ...rest }: Pod): Pod {
    const { nodeName, nodeSelector, tolerations = [], affinity, topologySpreadConstraints } = spec;
    const keyed = tolerations.filter(({ key, effect }) => key || effect);
    return {
      ...rest,
      metadata: { ...metadata, namespace: this.namespace(metadata.namespace ?? 'default') },
      spec: {
        ...spec,
        ...(nodeName && { nodeName: this.#unique(nodeName) }),
        nodeSelector: { ...nodeSelector, [FLEET]: this.#name },
        tolerations: [
          ...keyed,
          ...(keyed.length < tolerations.length ? ANY_TAINT : []),
          { key: FLEET, operator: 'Equal', value: this.#name, effect: 'NoSchedule' },
        ],
        ...(affinity && { affinity: this.#affinity(affinity) }),
        ...(topologySpreadConstraints && { topologySpreadConstraints: topologySpreadConstraints.map(keptToFleet) }),
      },
    };
  }

  /** One that tolerates everything does so: where it may run is a matter of its selector. */
  daemon(daemon: Pod): Pod {
    const { metadata, spec } = this.pod(daemon);
    const tolerations = [...(daemon.spec.tolerations ?? []), ...(spec.tolerations ?? [])];
    return { metadata, spec: { ...spec, tolerations } };
  }

  volumes({ volumeClaims, persistentVolumes, storageClasses }: Volumes): Volumes {
    return {
      volumeClaims: volumeClaims.map(({ metadata, spec: { volumeName, storageClassName } }) => ({
        metadata: { ...metadata, namespace: this.namespace(metadata.namespace ?? 'default') },
        spec: {
          ...(volumeName && { volumeName: this.#unique(volumeName) }),
          ...(storageClassName && { storageClassName: this.#unique(storageClassName) }),
        },
      })),
      persistentVolumes: persistentVolumes.map((volume) => this.#named(volume)),
      storageClasses: storageClasses.map((storageClass) => this.#named(storageClass)),
    };
  }

  #affinity({ nodeAffinity, podAffinity, podAntiAffinity }: NonNullable<Spec['affinity']>): Spec['affinity'] {
    return {
      ...(nodeAffinity && { nodeAffinity }),
      ...(podAffinity && { podAffinity: this.#terms(podAffinity) }),
      ...(podAntiAffinity && { podAntiAffinity: this.#terms(podAntiAffinity) }),
    };
  }

  #terms(terms: PodTerms): PodTerms {
    return {
      requiredDuringSchedulingIgnoredDuringExecution: terms.requiredDuringSchedulingIgnoredDuringExecution?.map(
        (term) => this.#term(term),
      ),
      preferredDuringSchedulingIgnoredDuringExecution: terms.preferredDuringSchedulingIgnoredDuringExecution?.map(
        ({ weight, podAffinityTerm }) => ({ weight, podAffinityTerm: this.#term(podAffinityTerm) }),
      ),
    };
  }

  #term({ namespaces, namespaceSelector, ...term }: PodTerm): PodTerm {
    const { matchLabels, ...rest }: LabelSelectorSpec = namespaceSelector ?? {};
    return {
      ...term,
      ...(namespaces && { namespaces: namespaces.map((namespace) => this.namespace(namespace)) }),
      ...(namespaceSelector && {
        namespaceSelector: { ...rest, matchLabels: { ...matchLabels, [FLEET]: this.#name } },
      }),
    };
  }

  #named<T extends { readonly metadata: Pod['metadata'] }>(object: T): T {
    return { ...object, metadata: { ...object.metadata, name: this.#unique(object.metadata.name) } };
  }

  #unique(name: string): string {
    return `${this.#name}-${name}`;
  }

  #taint() {
    return { key: FLEET, value: this.#name, effect: 'NoSchedule' } as const;
  }
}

/** A constraint that looks at nodes whatever the selector says still shall not see those of other fleets. */
function keptToFleet<T extends { readonly nodeAffinityPolicy?: string | undefined }>(constraint: T): T {
  return constraint.nodeAffinityPolicy === 'Ignore' ? { ...constraint, nodeTaintsPolicy: 'Honor' } : constraint;
}
