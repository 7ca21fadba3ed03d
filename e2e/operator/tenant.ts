import {
  type ApiObject,
  apiVersionOf,
  DEPLOYMENTS,
  EVENTS,
  isTrue,
  NAMESPACES,
  NODES,
  PODS,
  READY,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { type Client, isNotFound } from '@karpenter-ts/runtime';
import { KWOK_NODE_CLASSES } from '@karpenter-ts/provider-kwok';
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { isReady, type LiveEvent, type LiveNode, type LivePod } from './live-objects.ts';
import { until } from './until.ts';

/** A label on NodeClaims, Nodes and pods with the name of their tenant. */
export const TENANT = 'e2e.test/tenant';

type Json = Readonly<Record<string, unknown>>;

/** A NodePool requirement: instances with this number of cores, of which the kubelet reserves a tenth of one. */
export function ofCores(cores: number): Json {
  return { key: 'karpenter.kwok.sh/instance-cpu', operator: 'In', values: [String(cores)] };
}

/** Changes to a tenant's NodePool, which by default buys any instance and keeps it. */
export interface PoolChanges {
  readonly name?: string;
  /** Into `spec.template.spec`. */
  readonly template?: Json;
  /** Into `spec`. */
  readonly spec?: Json;
}

/** Equal pods. */
export interface Demand {
  readonly name?: string;
  readonly replicas: number;
  readonly cpu?: string;
  readonly memory?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Into the pods' `spec`. */
  readonly spec?: Json;
}

/** A NodeClaim with its Node. */
export interface LaunchedNode {
  readonly nodeClaim: NodeClaim;
  readonly node: LiveNode;
}

/**
 * A tenant of a cluster that suites share: a namespace, NodePools whose Nodes carry its label, and pods that only fit
 * on these.
 */
export class Tenant {
  readonly name: string;
  readonly client: Client;

  private constructor(client: Client, name: string) {
    this.client = client;
    this.name = name;
  }

  /** With a namespace and a KWOKNodeClass of its name. */
  static async open(client: Client, name: string): Promise<Tenant> {
    const tenant = new Tenant(client, name);
    await tenant.create(NAMESPACES, { metadata: { name } });
    await tenant.create(KWOK_NODE_CLASSES, { metadata: { name } });
    return tenant;
  }

  /** Creates an object, in the tenant's namespace if its kind has any. */
  async create<T extends ApiObject>(type: ResourceType, manifest: ApiObject & Json): Promise<T> {
    const metadata = { ...manifest.metadata, ...(type.namespaced && { namespace: this.name }) };
    const object: ApiObject = { apiVersion: apiVersionOf(type), kind: type.kind, ...manifest, metadata };
    return await this.client.create(type, object as T);
  }

  async addPool({ name = this.name, template, spec }: PoolChanges = {}): Promise<void> {
    const { group, kind } = KWOK_NODE_CLASSES;
    await this.create(NODE_POOLS, {
      metadata: { name },
      spec: {
        disruption: { consolidateAfter: 'Never' },
        template: {
          metadata: { labels: { [TENANT]: this.name } },
          spec: { nodeClassRef: { group, kind, name: this.name }, requirements: [], ...template },
        },
        ...spec,
      },
    });
  }

  /** Creates a Deployment. */
  async addPods({ name = 'app', replicas, cpu = '1', memory = '1Gi', annotations = {}, spec }: Demand): Promise<void> {
    const labels = { app: name };
    const requests = { cpu, memory };
    await this.create(DEPLOYMENTS, {
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations },
          spec: {
            nodeSelector: { [TENANT]: this.name },
            containers: [{ name: 'app', image: 'none', resources: { requests } }],
            ...spec,
          },
        },
      },
    });
  }

  /** Creates a pod that nobody replaces. */
  async addPod(name: string, { annotations, spec }: Partial<Demand> = {}): Promise<void> {
    await this.create(PODS, {
      metadata: { name, ...(annotations && { annotations }) },
      spec: {
        nodeSelector: { [TENANT]: this.name },
        containers: [{ name: 'app', image: 'none', resources: { requests: { cpu: '1' } } }],
        ...spec,
      },
    });
  }

  /** Of a Deployment, or all. */
  async pods(app?: string): Promise<readonly LivePod[]> {
    return await this.#list<LivePod>(PODS, { namespace: this.name, ...(app && { labelSelector: `app=${app}` }) });
  }

  async nodes(): Promise<readonly LiveNode[]> {
    return await this.#list<LiveNode>(NODES, { labelSelector: `${TENANT}=${this.name}` });
  }

  async nodeClaims(): Promise<readonly NodeClaim[]> {
    return await this.#list<NodeClaim>(NODE_CLAIMS, { labelSelector: `${TENANT}=${this.name}` });
  }

  async nodePool(name = this.name): Promise<NodePool> {
    return await this.client.get<NodePool>(NODE_POOLS, { name });
  }

  /** Those with this reason: of its own namespace, unless they are about what has none. */
  async events(reason: string, namespace = this.name): Promise<readonly LiveEvent[]> {
    return await this.#list<LiveEvent>(EVENTS, { namespace, fieldSelector: `reason=${reason}` });
  }

  /** The pods that were told this, each once: it may have been said again in other words. */
  async podsTold(reason: string, text = ''): Promise<readonly string[]> {
    const told = (await this.events(reason)).filter(({ message }) => message.includes(text));
    return [...new Set(told.map(({ involvedObject }) => involvedObject.name))];
  }

  /** Resolves when this number of pods exist, of a Deployment or in all, and all run. */
  async untilRunning(count: number, app?: string): Promise<readonly LivePod[]> {
    return await until(`${count} pods of ${this.name} run`, async () => {
      const pods = await this.pods(app);
      const running = pods.filter(isReady);
      if (running.length !== count || pods.length !== count) throw new Error(`${running.length} of ${pods.length} do`);
      return pods;
    });
  }

  /** Resolves when there are exactly this many NodeClaims and Nodes, and all are ready. */
  async untilReady(count: number): Promise<readonly LaunchedNode[]> {
    return await until(`${count} nodes of ${this.name} are ready`, async () => {
      const nodeClaims = await this.nodeClaims();
      const nodes = await this.nodes(); // after the claims: a Node is written before its claim says so
      const states = nodeClaims.map((nodeClaim) => isTrue(nodeClaim, READY));
      if (states.filter(Boolean).length !== count || nodeClaims.length !== count || nodes.length !== count) {
        throw new Error(`claims are ready: [${states.join()}], there are ${nodes.length} Nodes`);
      }
      return nodeClaims.map((nodeClaim) => ({ nodeClaim, node: nodeOf(nodeClaim, nodes) }));
    });
  }

  /** Resolves when the object is no longer there. */
  async untilGone(type: ResourceType, name: string): Promise<void> {
    const ref = { name, ...(type.namespaced && { namespace: this.name }) };
    await until(`${type.kind} ${name} is gone`, async () => {
      try {
        const { metadata } = await this.client.get(type, ref);
        throw new Error(`it has finalizers [${metadata.finalizers?.join()}]`);
      } catch (error) {
        if (isNotFound(error)) return true;
        throw error;
      }
    });
  }

  /** A line for each NodeClaim and Node: its conditions, or its taints, and what it was told. For errors. */
  async outline(): Promise<string> {
    const events = await this.#list<LiveEvent>(EVENTS, { namespace: 'default' });
    const toldTo = (name: string) =>
      events.flatMap(({ involvedObject, reason, message }) =>
        involvedObject.name === name ? [`${reason}: ${message}`] : [],
      );
    const claims = (await this.nodeClaims()).map(({ metadata, status }) => {
      const conditions = status?.conditions?.map(({ type, status: value }) => `${type}=${value}`) ?? [];
      const isDeleting = metadata.deletionTimestamp === undefined ? '' : ' deleting';
      return `NodeClaim ${metadata.name}${isDeleting} ${conditions.join()} [${toldTo(metadata.name).join('; ')}]`;
    });
    const nodes = (await this.nodes()).map(({ metadata, spec }) => {
      const taints = spec.taints?.map(({ key, effect }) => `${key}:${effect}`) ?? [];
      return `Node ${metadata.name} taints=${taints.join()} [${toldTo(metadata.name).join('; ')}]`;
    });
    const pool = `NodePool ${this.name} [${toldTo(this.name).join('; ')}]`;
    return [pool, ...claims, ...nodes].join('\n');
  }

  async #list<T extends ApiObject>(type: ResourceType, selectors: Json): Promise<readonly T[]> {
    return (await this.client.listAll<T>(type, selectors)).items;
  }
}

function nodeOf({ metadata, status }: NodeClaim, nodes: readonly LiveNode[]): LiveNode {
  const node = nodes.find(({ spec }) => spec.providerID === status?.providerID);
  if (node === undefined) throw new Error(`${metadata.name} has no Node`);
  return node;
}
