import { DISRUPTED_TAINT, HOSTNAME_LABEL } from '@karpenter-ts/apis';
import { type ContractContext, untilSchedulerFinds } from '@karpenter-ts/embedded-contract';
import {
  type ApiObject,
  apiVersionOf,
  CSI_NODES,
  DAEMON_SETS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type Pod,
  PODS,
  resourcePath,
  type ResourceType,
  STORAGE_CLASSES,
} from '@karpenter-ts/kubernetes';
import type { ExistingNode, Snapshot } from '@karpenter-ts/scheduling';
import type { Launch } from '@karpenter-ts/scheduling/testing';
import {
  claimManifest,
  csiNodeManifest,
  DAEMON_LABEL,
  daemonSetManifest,
  type Manifest,
  nodeManifest,
  podManifest,
  storageClassManifest,
  volumeManifest,
} from './manifests.ts';
import { FLEET } from './scoped-fleet.ts';

/** What a node is and runs before any pod is placed there. */
type NodeDescription = Pick<Launch, 'labels' | 'taints' | 'capacity' | 'allocatable' | 'daemons'> &
  Partial<Pick<ExistingNode, 'volumeLimits'>>;

interface LiveNode extends ApiObject {
  readonly spec: { readonly taints?: readonly { readonly key: string }[] };
}

/** Prefix of the taints that a node has until its kubelet reports. */
const STARTING = 'node.kubernetes.io/';

/** One fleet's part of a real or embedded cluster. Everything it creates is deleted when the case ends. */
export class FleetEnvironment {
  readonly context: ContractContext;

  constructor(context: ContractContext) {
    this.context = context;
  }

  /**
   * Creates the cluster that the snapshot describes, without the pods to be placed. The snapshot is scoped to the
   * context's namespace.
   */
  async setUp({ nodes, deletingNodes, daemonPods, namespaces, volumes }: Snapshot): Promise<void> {
    for (const kind of [NODES, CSI_NODES, PERSISTENT_VOLUMES, STORAGE_CLASSES])
      this.context.defer(() => this.#deleteAll(kind));
    for (const { name, labels } of namespaces) await this.#createNamespace(name, labels);
    for (const storageClass of volumes.storageClasses) {
      await this.create(STORAGE_CLASSES, storageClassManifest(storageClass));
    }
    for (const claim of volumes.volumeClaims) {
      const created = await this.create(PERSISTENT_VOLUME_CLAIMS, claimManifest(claim));
      const volume = volumes.persistentVolumes.find(({ metadata }) => metadata.name === claim.spec.volumeName);
      if (volume !== undefined) await this.create(PERSISTENT_VOLUMES, volumeManifest(volume, created));
    }
    for (const daemon of daemonPods) await this.create(DAEMON_SETS, daemonSetManifest(daemon));
    const present = [...nodes, ...deletingNodes];
    await this.addNodes(new Map(present.map((node) => [node.name, beforeDeletion(node)])));
    for (const pod of present.flatMap(({ pods }) => pods)) {
      if (!isDaemon(pod)) await this.create(PODS, podManifest(pod));
    }
    for (const { name, taints } of deletingNodes) {
      await this.context.client.patch(NODES, { name }, { type: 'merge', body: { spec: { taints } } });
    }
  }

  /** Returns when the nodes and just these daemons run. */
  async addNodes(descriptions: ReadonlyMap<string, NodeDescription>): Promise<void> {
    for (const [name, description] of descriptions) {
      const { volumeLimits = {} } = description;
      if (Object.keys(volumeLimits).length > 0) await this.create(CSI_NODES, csiNodeManifest(name, volumeLimits));
      await this.create(NODES, nodeManifest(name, description));
    }
    for (const [name, description] of descriptions) await this.#awaitNode(name, description);
    await Promise.all([...descriptions].map(([name, description]) => this.#awaitScheduler(name, description)));
  }

  async create(type: ResourceType, manifest: Manifest): Promise<ApiObject> {
    const { metadata } = manifest;
    const labels = { ...metadata.labels, ...(type.namespaced ? {} : { [FLEET]: this.context.namespace }) };
    const identity = { apiVersion: apiVersionOf(type), kind: type.kind };
    return this.context.client.create(type, { ...identity, ...manifest, metadata: { ...metadata, labels } });
  }

  async #awaitNode(name: string, { daemons }: NodeDescription): Promise<void> {
    const { client, until } = this.context;
    await until(`node ${name} is ready`, async () => {
      const { spec } = await client.get<LiveNode>(NODES, { name });
      return !(spec.taints ?? []).some(({ key }) => key.startsWith(STARTING));
    });
    const expected = namesOf(daemons);
    await until(`node ${name} runs [${expected}] before others come`, async () => {
      const running = await this.#daemonsOn(name);
      if (running !== expected) throw new Error(`it runs [${running}]`);
      return true;
    });
  }

  /** Waits until the scheduler's cache shows the node as ready. */
  async #awaitScheduler(node: string, { taints }: NodeDescription): Promise<void> {
    const tolerations = taints.map(({ key, value = '', effect }) => ({ key, operator: 'Equal', value, effect }));
    await untilSchedulerFinds(this.context, node, { nodeSelector: { [HOSTNAME_LABEL]: node }, tolerations });
  }

  async #daemonsOn(node: string): Promise<string> {
    const selectors = { labelSelector: DAEMON_LABEL, fieldSelector: `spec.nodeName=${node}` };
    const { items } = await this.context.client.listAll(PODS, selectors);
    return items
      .map(({ metadata }) => metadata.labels?.[DAEMON_LABEL] ?? '')
      .sort()
      .join();
  }

  async #createNamespace(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    const { client, namespace, defer } = this.context;
    if (name === namespace) {
      await client.patch(NAMESPACES, { name }, { type: 'merge', body: { metadata: { labels } } });
      return;
    }
    await client.create<ApiObject>(NAMESPACES, { metadata: { name, labels } });
    defer(() => this.#deleteAll(PODS, name));
    defer(() => this.#deleteAll(DAEMON_SETS, name));
  }

  /** Of a kind, all that is the fleet's. */
  async #deleteAll(type: ResourceType, namespace?: string): Promise<void> {
    const selector = type.namespaced ? '' : `&labelSelector=${encodeURIComponent(FLEET)}%3D${this.context.namespace}`;
    const path = `${resourcePath(type, { namespace })}?gracePeriodSeconds=0${selector}`;
    const response = await this.context.transport.send({
      method: 'DELETE',
      path,
      headers: { accept: 'application/json' },
    });
    response.discard();
  }
}

/** When its daemons came. */
function beforeDeletion({ pods, taints, ...node }: ExistingNode): NodeDescription {
  const daemons = pods.filter(isDaemon).map((pod) => {
    const [owner] = pod.metadata.ownerReferences ?? [];
    return { ...pod, metadata: { ...pod.metadata, name: owner?.name ?? '' } };
  });
  return { ...node, daemons, taints: taints.filter(({ key }) => key !== DISRUPTED_TAINT.key) };
}

function isDaemon({ metadata }: Pod): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet');
}

function namesOf(daemons: readonly Pod[]): string {
  return daemons
    .map(({ metadata }) => metadata.name)
    .sort()
    .join();
}
