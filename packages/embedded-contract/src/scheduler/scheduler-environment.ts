import {
  type ApiObject,
  apiVersionOf,
  type ContainerPort,
  type Node,
  NODES,
  type Pod,
  PODS,
  type PodSpec,
  type ResourceType,
  type Taint,
  type Toleration,
} from '@karpenter-ts/kubernetes';
import type { ContractCase, ContractContext } from '../contract-case.ts';
import { unschedulableMessage, untilUnschedulable, untilSchedulerFinds } from './scheduler-messages.ts';

export interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  /** On top of 4 cores, 8 GiB of memory, 10 GiB of disk and 10 pods; what is undefined is not said. */
  readonly allocatable?: Readonly<Record<string, string | undefined>>;
}

export interface PodOptions extends Partial<Omit<PodSpec, 'containers' | 'initContainers'>> {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** Of its only container; limits are the same. */
  readonly requests?: Readonly<Record<string, string>>;
  readonly ports?: readonly (ContainerPort & { readonly containerPort: number })[];
  readonly initContainers?: readonly object[];
  readonly priorityClassName?: string;
}

const MARK = 'scheduling.test/environment';
/** A label on nodes that tells the current state of a node from those before. */
const REVISION = 'scheduling.test/revision';

/**
 * Nodes that only one case uses. A taint keeps the pods of other cases away, and a node selector keeps the case's pods on
 * these nodes. The scheduler's messages still count the nodes of other cases, so a case matches only the part it expects.
 */
export class SchedulerEnvironment {
  readonly context: ContractContext;
  /** Nodes that were written since `untilSchedulerHasNodes` last returned. */
  readonly #changedNodes = new Set<string>();
  #revisions = 0;

  constructor(context: ContractContext) {
    this.context = context;
  }

  /** Creates a node with a hostname label. The case calls it `name`; its full name is unique in the cluster. */
  async node(name: string, options: NodeOptions = {}): Promise<void> {
    const full = this.context.unique(name);
    const room = { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '10Gi', ...options.allocatable };
    const allocatable = room as Readonly<Record<string, string>>; // what is undefined is not sent
    const node: Node = {
      metadata: {
        name: full,
        labels: { 'kubernetes.io/hostname': full, [MARK]: this.context.namespace, ...options.labels },
        annotations: { 'kwok.x-k8s.io/node': 'fake' },
      },
      spec: {
        taints: [this.#taint(), ...(options.taints ?? [])],
        unschedulable: options.unschedulable ?? false,
      },
      status: { allocatable, capacity: allocatable },
    };
    await this.create(NODES, node);
    this.#changedNodes.add(full);
  }

  /** Creates a node in each zone, named after the zone. */
  async zones(...zones: readonly string[]): Promise<void> {
    for (const zone of zones) await this.node(zone, { labels: { 'topology.kubernetes.io/zone': zone } });
  }

  /** Creates a pod that fits only the environment's nodes, once the scheduler has these nodes in their current state. */
  async pod(name: string, options: PodOptions = {}): Promise<void> {
    await this.untilSchedulerHasNodes();
    const { namespace = this.context.namespace, labels, finalizers, requests = {}, ports, ...spec } = options;
    const main = { name: 'main', image: 'none', resources: { requests, limits: requests }, ports };
    await this.create<ApiObject>(PODS, {
      metadata: { name, namespace, labels, finalizers },
      spec: {
        containers: [main],
        ...spec,
        nodeSelector: { [MARK]: this.context.namespace, ...spec.nodeSelector },
        tolerations: [...this.#tolerations(), ...(spec.tolerations ?? [])],
      },
    } as ApiObject);
  }

  /** Creates an object that is deleted when the case ends. */
  async create<T extends ApiObject>(type: ResourceType, object: T): Promise<T> {
    const { client, namespace } = this.context;
    const place = type.namespaced ? { namespace } : {};
    const identity = { apiVersion: apiVersionOf(type), kind: type.kind };
    const created = await client.create(type, { ...identity, ...object, metadata: { ...place, ...object.metadata } });
    const options = type === PODS ? { gracePeriodSeconds: 0 } : {};
    this.context.defer(() => client.delete(type, created.metadata, options));
    return created;
  }

  /** Changes something by a merge patch. */
  async change(type: ResourceType, name: string, body: object, subresource?: string): Promise<void> {
    const options = subresource === undefined ? {} : { subresource };
    await this.context.client.patch(type, this.#ref(type, name), { type: 'merge', body }, options);
  }

  async changeNode(name: string, body: object, subresource?: string): Promise<void> {
    const full = this.context.unique(name);
    await this.change(NODES, full, body, subresource);
    this.#changedNodes.add(full);
  }

  /**
   * Waits until the scheduler's cache holds every change to nodes. Nodes and pods come over separate watches, so a pod
   * could arrive before the node it was made for. A cache that has the last change of a node has those before it too.
   */
  async untilSchedulerHasNodes(): Promise<void> {
    const nodes = [...this.#changedNodes];
    this.#changedNodes.clear();
    await Promise.all(nodes.map((node) => this.#untilSchedulerHas(node)));
  }

  /** Replaces the taints of a node with these and the environment's own. */
  async taintNode(name: string, taints: readonly Taint[]): Promise<void> {
    await this.changeNode(name, { spec: { taints: [this.#taint(), ...taints] } });
  }

  async deletePod(name: string): Promise<void> {
    await this.context.client.delete(PODS, this.#ref(PODS, name), { gracePeriodSeconds: 0 });
  }

  async get<T extends ApiObject>(type: ResourceType, name: string): Promise<T> {
    return this.context.client.get<T>(type, this.#ref(type, name));
  }

  /** Waits until the pod is bound, and returns the case's name of its node. */
  async nodeOf(pod: string, namespace = this.context.namespace): Promise<string> {
    const { client } = this.context;
    const node = await this.context.until(`pod ${pod} is bound`, async () => {
      const seen = await client.get<Pod>(PODS, { namespace, name: pod });
      if (!seen.spec.nodeName) throw new Error(unschedulableMessage(seen) || 'it has not been looked at');
      return seen.spec.nodeName;
    });
    return node.slice(this.context.unique('').length);
  }

  /** Waits until the kubelet of its node says that the pod runs. */
  async untilRunning(pod: string): Promise<void> {
    await this.context.until(`pod ${pod} runs`, async () => {
      const { status } = await this.get<Pod>(PODS, pod);
      return status?.phase === 'Running';
    });
  }

  /** Waits until the pods are bound, and returns how many of them are on each node. */
  async podCounts(...pods: readonly string[]): Promise<Readonly<Record<string, number>>> {
    const places: Record<string, number> = {};
    for (const pod of pods) {
      const place = await this.nodeOf(pod);
      places[place] = (places[place] ?? 0) + 1;
    }
    return places;
  }

  /** Waits until the pod is unschedulable with a message that matches `about`, and returns the whole message. */
  async unschedulableMessage(pod: string, about: RegExp, namespace = this.context.namespace): Promise<string> {
    return untilUnschedulable(this.context, { namespace, name: pod }, about);
  }

  /** Gives the node a new label and waits until the scheduler finds the node by it. */
  async #untilSchedulerHas(node: string): Promise<void> {
    const revision = String(++this.#revisions);
    await this.change(NODES, node, { metadata: { labels: { [REVISION]: revision } } });
    const nodeSelector = { [MARK]: this.context.namespace, [REVISION]: revision };
    await untilSchedulerFinds(this.context, node, { nodeSelector, tolerations: [{ operator: 'Exists' }] });
  }

  #ref(type: ResourceType, name: string): { readonly namespace?: string; readonly name: string } {
    return type.namespaced ? { namespace: this.context.namespace, name } : { name };
  }

  #taint(): Taint {
    return { key: MARK, value: this.context.namespace, effect: 'NoSchedule' };
  }

  #tolerations(): readonly Toleration[] {
    return [
      { key: MARK, operator: 'Equal', value: this.context.namespace, effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists' },
    ];
  }
}

/** A case about the scheduler, run with an environment of its own. */
export function schedulerCase(name: string, run: (env: SchedulerEnvironment) => Promise<void>): ContractCase {
  return { name, run: (context) => run(new SchedulerEnvironment(context)) };
}
