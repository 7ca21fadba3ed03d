import type { TestContext } from 'node:test';
import {
  type ApiObject,
  CUSTOM_RESOURCE_DEFINITIONS,
  type Node,
  NODES,
  type ResourceList,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { ApiServer } from '@karpenter-ts/embedded';
import {
  Client,
  inProcessTransport,
  isNotFound,
  type TransportRequest,
  type TransportResponse,
  VirtualClock,
} from '@karpenter-ts/runtime';
import {
  customResourceDefinition,
  HOSTNAME_LABEL,
  type KWOKNodeClass,
  NODE_CLAIMS,
  type NodeClaim,
  type RequirementSpec,
  RESOURCES,
} from '@karpenter-ts/apis';
import { type RecordingLogger, recordingLogger } from '@karpenter-ts/runtime/testing';
import { type Catalogue, loadCatalogue } from '../catalogue/catalogue.ts';
import { KwokProvider } from '../kwok-provider.ts';
import { apiReader } from '../reader.ts';
import { KWOK_NODE_CLASSES } from '../resource-types.ts';

/** What a claim asks; upstream's cheapest type unless it says. */
export interface ClaimParts {
  readonly requirements?: readonly RequirementSpec[];
  readonly requests?: ResourceList;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A provider on a bare API server with upstream's CRDs, in virtual time, and a NodeClass `default`. */
export class KwokEnvironment {
  readonly clock = new VirtualClock();
  readonly logger: RecordingLogger = recordingLogger();
  readonly catalogue: Catalogue;
  readonly client: Client;
  provider: KwokProvider;
  /** Which requests the server fails with 500. */
  refuse: (request: TransportRequest) => boolean = () => false;
  readonly #throttled: string[] = []; // beginnings of requests, each turned away once
  #stopping = new AbortController();

  constructor(catalogue: Catalogue = loadCatalogue({ instanceTypesFilePath: '', catalogue: 'kwok' })) {
    const { clock } = this;
    const server = new ApiServer({ clock });
    const transport = inProcessTransport(
      async (request, signal) => this.#findRefusal(request) ?? server.handle(request, signal),
      clock,
    );
    this.catalogue = catalogue;
    this.client = new Client({ transport, clock, userAgent: 'karpenter-test' });
    this.provider = this.#makeProvider();
  }

  static async start(t: TestContext | undefined, catalogue?: Catalogue): Promise<KwokEnvironment> {
    const env = new KwokEnvironment(catalogue);
    t?.after(() => env.stop());
    for (const kind of RESOURCES.kwok) {
      await env.client.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(kind) as unknown as ApiObject);
    }
    await env.create<KWOKNodeClass>(KWOK_NODE_CLASSES, {
      apiVersion: 'karpenter.kwok.sh/v1alpha1',
      kind: 'KWOKNodeClass',
      metadata: { name: 'default' },
      spec: {},
    } as KWOKNodeClass);
    return env;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Stops the provider and starts another one, as after a restart of the process. */
  async restart(): Promise<void> {
    this.#stopping.abort();
    await this.clock.flush();
    this.#stopping = new AbortController();
    this.provider = this.#makeProvider();
  }

  create<T extends ApiObject>(type: ResourceType, object: T): Promise<T> {
    return this.client.create<T>(type, object);
  }

  /** A claim in the API. */
  createNodeClaim(name: string, parts: ClaimParts = {}): Promise<NodeClaim> {
    const {
      requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c-1x-amd64-linux'] }],
      requests,
      labels,
      annotations,
    } = parts;
    return this.create<NodeClaim>(NODE_CLAIMS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: requirements as NodeClaim['spec']['requirements'],
        expireAfter: 'Never',
        ...(requests && { resources: { requests } }),
      },
    });
  }

  /** Writes what the lifecycle controller does after a launch. */
  persistLaunch(claim: NodeClaim, launched: NodeClaim): Promise<NodeClaim> {
    const body = { status: { providerID: launched.status!.providerID } };
    const { name } = claim.metadata;
    return this.client.patch<NodeClaim>(NODE_CLAIMS, { name }, { type: 'merge', body }, { subresource: 'status' });
  }

  patchNodeClass(change: object, subresource?: 'status'): Promise<ApiObject> {
    const options = subresource === undefined ? {} : { subresource };
    return this.client.patch(KWOK_NODE_CLASSES, { name: 'default' }, { type: 'merge', body: change }, options);
  }

  /** Lets the class say that it cannot be used. */
  async unreadyNodeClass(message = 'no power'): Promise<void> {
    const ready = { type: 'Ready', status: 'False', reason: 'Broken', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await this.patchNodeClass({ status: { conditions: [{ ...ready, message }] } }, 'status');
  }

  /** Answers the next request that begins with this text (`METHOD /path`) with 429. */
  throttleOnce(request: string): void {
    this.#throttled.push(request);
  }

  /** Takes the unregistered taint off the Node of a claim, as registration does. */
  async register(claim: string): Promise<void> {
    const nodes = await this.listNodes();
    const { name } = nodes.find(({ metadata }) => metadata.labels?.[HOSTNAME_LABEL] === claim)!.metadata;
    await this.client.patch(NODES, { name }, { type: 'merge', body: { spec: { taints: null } } });
  }

  async listNodes(): Promise<readonly Node[]> {
    await this.clock.flush();
    return (await this.client.listAll<Node>(NODES)).items;
  }

  async findNodeClaim(name: string): Promise<NodeClaim | undefined> {
    try {
      return await this.client.get<NodeClaim>(NODE_CLAIMS, { name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #findRefusal(request: TransportRequest): TransportResponse | undefined {
    const index = this.#throttled.findIndex((start) => `${request.method} ${request.path}`.startsWith(start));
    if (index >= 0) {
      this.#throttled.splice(index, 1);
      return refusal(429, 'TooManyRequests');
    }
    return this.refuse(request) ? refusal(500, 'InternalError') : undefined;
  }

  #makeProvider(): KwokProvider {
    const { client, clock, logger, catalogue } = this;
    const stopping = this.#stopping.signal;
    return new KwokProvider({ client, clock, logger, catalogue, stopping, reader: apiReader(client) });
  }
}

function refusal(code: number, reason: string): TransportResponse {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: 'refused' };
  return {
    status: code,
    headers: { 'content-type': 'application/json', ...(code === 429 && { 'retry-after': '1' }) },
    body: (async function* () {
      yield Buffer.from(JSON.stringify(status));
    })(),
    discard: () => undefined,
  };
}
