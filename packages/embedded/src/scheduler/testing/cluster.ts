import { DEFAULT_FILTERS } from '../filters/default-filters.ts';
import type { Filter } from '../filters/filter.ts';
import type { Labels, Node, Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { type PodClass, PodClasses } from '../model/pod-class.ts';
import { ResourceNames } from '../model/resource-names.ts';
import { Snapshot } from '../model/snapshot.ts';
import { Nominations } from '../nominations.ts';
import type { PendingPod } from '../pending-pod.ts';
import { Placer, type Placement } from '../placement.ts';
import { DEFAULT_SCORES } from '../scores/default-scores.ts';

export interface TestPod extends Partial<Omit<PodSpec, 'containers'>> {
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly owner?: string;
  readonly requests?: Readonly<Record<string, string>>;
  readonly hostPort?: number;
  readonly isTerminating?: boolean;
}

export interface TestNode {
  readonly labels?: Labels;
  readonly taints?: NonNullable<Node['spec']>['taints'];
  readonly unschedulable?: boolean;
  readonly allocatable?: Readonly<Record<string, string>>;
}

/** A pod as the API server would have it. */
export function podObject(name: string, options: TestPod = {}): Pod {
  const { namespace = 'default', labels = {}, owner, requests = {}, hostPort, isTerminating, ...spec } = options;
  return {
    metadata: {
      name,
      namespace,
      labels,
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      ...(owner && {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
      }),
      ...(isTerminating && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { containers: [{ resources: { requests }, ...(hostPort && { ports: [{ hostPort }] }) }], ...spec },
  };
}

/** A node of 4 cores, 8 GiB and 10 pods, with its hostname label. */
export function nodeObject(
  name: string,
  { labels, taints = [], unschedulable = false, allocatable }: TestNode = {},
): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints, unschedulable },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...allocatable } },
  };
}

/** A cluster to decide in. Nodes are looked at in the order they came in. */
export class TestCluster {
  readonly snapshot = new Snapshot(new ResourceNames(), () => 0.999);
  readonly nominations = new Nominations();
  readonly placer: Placer;
  readonly #classes = new PodClasses(this.snapshot.names);

  constructor(filters: readonly Filter[] = DEFAULT_FILTERS) {
    const { snapshot, nominations } = this;
    this.placer = new Placer({ snapshot, nominations, filters, scores: DEFAULT_SCORES });
  }

  node(name: string, options: TestNode = {}): void {
    this.snapshot.setNode(nodeObject(name, options));
  }

  classOf(options: TestPod = {}): PodClass {
    return this.#classes.of(podObject('any', options));
  }

  /** Puts a pod on a node, without asking whether it fits. */
  put(name: string, node: string, options: TestPod = {}): void {
    this.snapshot.place(`default/${name}`, this.#classes.of(podObject(name, options)), node, true);
  }

  pending(name: string, options: TestPod = {}, nominatedNode?: string): PendingPod {
    const pod = this.#classes.of(podObject(name, options));
    return { key: `default/${name}`, pod, priority: options.priority ?? 0, nominatedNode };
  }

  decide(name: string, options: TestPod = {}): Placement {
    return this.placer.place(this.pending(name, options));
  }

  /** Where the pod would go; '' if nowhere. */
  placeFor(options: TestPod = {}): string {
    const placement = this.decide('any', options);
    return placement.kind === 'node' ? placement.node.name : '';
  }

  /** What the pod would be told; '' if it has a place. */
  messageFor(options: TestPod = {}): string {
    const placement = this.decide('any', options);
    return placement.kind === 'none' ? placement.failure.message : '';
  }

  /** Decides and puts. */
  schedule(name: string, options: TestPod = {}): string {
    const placement = this.decide(name, options);
    if (placement.kind === 'none') return '';
    this.put(name, placement.node.name, options);
    return placement.node.name;
  }
}
