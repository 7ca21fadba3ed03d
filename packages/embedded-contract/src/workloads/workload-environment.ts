import { isDeepStrictEqual } from 'node:util';
import {
  type ApiObject,
  apiVersionOf,
  type Node,
  NODES,
  type Pod,
  PODS,
  type PodSpec,
  type PodTemplate,
  type ResourceType,
  type Taint,
} from '@karpenter-ts/kubernetes';
import { isNotFound } from '@karpenter-ts/runtime';
import type { ContractCase, ContractContext } from '../contract-case.ts';

export { CONFIG_MAPS } from '@karpenter-ts/kubernetes';

/** The plainest of kinds: nobody but the owner of a ConfigMap has anything to do with it. */

const MARK = 'workloads.test/environment';
const CAPACITY = { cpu: '8', memory: '32Gi', pods: '110' };

export interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  /** Without a kubelet, nobody but the case itself says how the node is. */
  readonly kubelet?: 'simulated' | 'none';
}

/** The least there is to say of a pod; the rest is the environment's. */
export type TemplateOptions = Partial<PodSpec> & { readonly labels?: Readonly<Record<string, string>> };

/** A namespace and nodes of a case's own, kept apart from others' by a taint and a selector. */
export class WorkloadEnvironment {
  readonly context: ContractContext;

  constructor(context: ContractContext) {
    this.context = context;
  }

  get namespace(): string {
    return this.context.namespace;
  }

  /** The full name of a node of the environment. */
  nodeName(name: string): string {
    return this.context.unique(name);
  }

  /** A node that pods of the environment can run on; resolves when it is ready to, unless it has no kubelet. */
  async node(
    name: string,
    { labels, taints = [], unschedulable, kubelet = 'simulated' }: NodeOptions = {},
  ): Promise<string> {
    const { client } = this.context;
    const full = this.nodeName(name);
    await client.create<Node>(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: full,
        labels: { 'kubernetes.io/hostname': full, [MARK]: this.namespace, ...labels },
        ...(kubelet === 'simulated' && { annotations: { 'kwok.x-k8s.io/node': 'fake' } }),
      },
      spec: {
        ...(unschedulable && { unschedulable }),
        taints: [{ key: MARK, value: this.namespace, effect: 'NoSchedule' }, ...taints],
      },
      status: { capacity: CAPACITY, allocatable: CAPACITY },
    });
    this.context.defer(() => client.delete(NODES, { name: full }));
    if (kubelet === 'none') return full;
    await this.context.until(`node ${full} is ready`, async () => {
      const { spec, status } = await client.get<Node>(NODES, { name: full });
      const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
      const isOpen = !spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready');
      return isReady && isOpen;
    });
    return full;
  }

  /** A template whose pods run on the environment's nodes only. */
  template({ labels = { app: 'web' }, tolerations = [], nodeSelector, ...spec }: TemplateOptions = {}): PodTemplate {
    return {
      metadata: { labels },
      spec: {
        containers: [{ name: 'main', image: 'registry.example/main:1' }],
        nodeSelector: { [MARK]: this.namespace, ...nodeSelector },
        tolerations: [{ key: MARK, operator: 'Exists' }, ...tolerations],
        ...spec,
      },
    };
  }

  /** A template whose pods fit no node. */
  unschedulableTemplate(options: TemplateOptions = {}): PodTemplate {
    return this.template({ ...options, nodeSelector: { [MARK]: 'nowhere' } });
  }

  pod(name: string, options: TemplateOptions = {}): Promise<Pod> {
    const { metadata, spec } = this.template(options);
    return this.create<Pod>(PODS, { metadata: { ...metadata, name }, spec });
  }

  create<T extends ApiObject>(type: ResourceType, object: NewObject): Promise<T> {
    const metadata = { ...object.metadata, ...(type.namespaced && { namespace: this.namespace }) };
    return this.context.client.create<T>(type, {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      ...object,
      metadata,
    } as T);
  }

  get<T extends ApiObject>(type: ResourceType, name: string): Promise<T> {
    return this.context.client.get<T>(type, this.#ref(type, name));
  }

  async isGone(type: ResourceType, name: string): Promise<boolean> {
    try {
      await this.get(type, name);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  /** All of the kind in the environment's namespace, by name. */
  async list<T extends ApiObject>(type: ResourceType, labelSelector?: string): Promise<readonly T[]> {
    const selectors = { namespace: this.namespace, ...(labelSelector && { labelSelector }) };
    const { items } = await this.context.client.listAll<T>(type, selectors);
    return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  pods(labelSelector?: string): Promise<readonly Pod[]> {
    return this.list<Pod>(PODS, labelSelector);
  }

  merge<T extends ApiObject>(type: ResourceType, name: string, body: object, subresource?: string): Promise<T> {
    const options = subresource === undefined ? {} : { subresource };
    return this.context.client.patch<T>(type, this.#ref(type, name), { type: 'merge', body }, options);
  }

  delete(
    type: ResourceType,
    name: string,
    options: { readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' } = {},
  ): Promise<void> {
    return this.context.client.delete(type, this.#ref(type, name), options);
  }

  /** Waits until `ask` is content with the object. */
  until<T extends ApiObject>(type: ResourceType, name: string, what: string, ask: (object: T) => boolean): Promise<T> {
    return this.context.until(`${type.kind} ${name}: ${what}`, async () => {
      const object = await this.get<T>(type, name);
      return ask(object) ? object : undefined;
    });
  }

  untilGone(type: ResourceType, name: string): Promise<true> {
    return this.context.until(`${type.kind} ${name} is gone`, async () =>
      (await this.isGone(type, name)) ? true : undefined,
    );
  }

  /** Collects every state of the environment's objects of a kind, from those there are now on, until the case ends. */
  async record<T extends ApiObject>(type: ResourceType): Promise<readonly Recorded<T>[]> {
    const states: Recorded<T>[] = [];
    const ending = new AbortController();
    const begun = Promise.withResolvers<void>();
    const follow = async (): Promise<void> => {
      const options = { namespace: this.namespace, sendInitialEvents: true, allowWatchBookmarks: true };
      for await (const event of this.context.client.watch<T>(type, options, ending.signal)) {
        if (event.type === 'BOOKMARK')
          begun.resolve(); // the first one closes the list of what there was
        else states.push({ change: event.type, object: event.object });
      }
    };
    follow().catch(begun.reject); // in the end it is aborted: nobody waits for it then
    this.context.defer(async () => ending.abort());
    await begun.promise;
    return states;
  }

  /** Waits until a record holds all that is there now: its watch may be behind what a controller has told already. */
  async caughtUp<T extends ApiObject>(type: ResourceType, states: readonly Recorded<T>[]): Promise<void> {
    await this.context.until(`the record of kind ${type.kind} is complete`, async () => {
      const there = (await this.list<T>(type)).map(versionOf);
      const latest = new Map(states.map((state) => [state.object.metadata.uid, state])).values();
      const seen = [...latest].filter(({ change }) => change !== 'DELETED').map(({ object }) => versionOf(object));
      return isDeepStrictEqual(seen.sort(), there.sort());
    });
  }

  #ref(type: ResourceType, name: string): { readonly name: string; readonly namespace?: string } {
    return type.namespaced ? { name, namespace: this.namespace } : { name };
  }
}

function versionOf({ metadata }: ApiObject): string {
  return `${metadata.uid} ${metadata.resourceVersion}`;
}

/** An object to be: the environment knows its kind and namespace. */
interface NewObject {
  readonly metadata: object;
  readonly [field: string]: unknown;
}

export interface Recorded<T> {
  readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** A case about workloads, run with an environment of its own. */
export function workloadCase(name: string, run: (env: WorkloadEnvironment) => Promise<void>): ContractCase {
  return { name, run: (context) => run(new WorkloadEnvironment(context)) };
}
