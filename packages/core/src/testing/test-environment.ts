import type { TestContext } from 'node:test';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import { ApiServer } from '@karpenter-ts/embedded';
import {
  type ApiObject,
  apiVersionOf,
  CUSTOM_RESOURCE_DEFINITIONS,
  objectKey,
  refOfKey,
  RESOURCE_SLICES,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import {
  Client,
  type Controller,
  ControllerRunner,
  type CoreEvent,
  defaultsOf,
  inProcessTransport,
  isNotFound,
  Metrics,
  QueuedRecorder,
  type Result,
  SECOND,
  type Transport,
  VirtualClock,
} from '@karpenter-ts/runtime';
import { type OperatorOptions, operatorOptions } from '../options/operator-options.ts';
import { type RecordingLogger, recordingLogger } from '@karpenter-ts/runtime/testing';
import { type InformerCaches, createCaches, listCaches } from '../state/caches.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { metricsPage } from './metrics-page.ts';
import { Refusals } from './refusals.ts';

/** Settings of a test environment. */
export interface TestEnvironmentSettings<P extends CloudProvider> {
  readonly provider: P;
  /** Settings other than the defaults. */
  readonly options?: Partial<OperatorOptions>;
  /** For a provider that needs the same clock; a new clock by default. */
  readonly clock?: VirtualClock;
}

/** The members of a merge patch. Those of `status` go to the status subresource. */
export interface Change {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

/** Starts an environment without any controller. It stops with the test. */
export async function startTestEnvironment<P extends CloudProvider>(
  t: TestContext,
  settings: TestEnvironmentSettings<P>,
): Promise<TestEnvironment<P>> {
  const env = new TestEnvironment(settings);
  await env.startWith(t);
  return env;
}

/**
 * A test environment, as envtest is for Go: the dependencies of controllers on an embedded API server with our CRDs, in
 * one process and in virtual time. Controllers run with `run`, or pass by pass with `reconcile`. When a method
 * resolves, the caches show what it wrote.
 */
export class TestEnvironment<P extends CloudProvider = CloudProvider> implements ControllerDeps {
  readonly logger: RecordingLogger = recordingLogger();
  /** Requests that the API server refuses, including the test's own. */
  readonly refusals = new Refusals();
  /** All write requests, including the test's own: `PATCH /apis/karpenter.sh/v1/nodeclaims/a`. */
  readonly writes: string[] = [];
  /** Events written to the API server, in order. A repeated event comes again with a higher count. */
  readonly published: CoreEvent[] = [];
  readonly provider: P;
  readonly clock: VirtualClock;
  readonly metrics: Metrics;
  readonly client: Client;
  readonly caches: InformerCaches;
  readonly events: QueuedRecorder;
  readonly options: OperatorOptions;
  readonly #stopping = new AbortController();
  readonly #transport: Transport;

  constructor({ provider, options = {}, clock = new VirtualClock() }: TestEnvironmentSettings<P>) {
    const { logger } = this;
    const metrics = new Metrics(clock);
    this.provider = provider;
    this.clock = clock;
    this.metrics = metrics;
    this.options = { ...defaultsOf(operatorOptions), ...options };
    const server = new ApiServer({ clock });
    this.#transport = inProcessTransport(async (request, signal) => {
      if (request.method !== 'GET') this.writes.push(`${request.method} ${request.path}`);
      return this.refusals.answer(request) ?? server.handle(request, signal);
    }, clock);
    this.client = new Client({ transport: this.#transport, clock, userAgent: 'karpenter-test' });
    this.caches = createCaches({
      client: this.client,
      clock,
      logger,
      metrics,
      provider,
      readsResourceSlices: !this.options.ignoreDraRequests,
    });
    const record = async (event: CoreEvent): Promise<void> => void this.published.push(event);
    const sink = { create: record, patch: record };
    this.events = new QueuedRecorder({ sink, clock, logger, metrics, random: noJitter });
  }

  /** Starts the environment; it stops when the test ends. */
  async startWith(t: TestContext): Promise<void> {
    t.after(() => this.#stop());
    const { signal } = this.#stopping;
    const open = this.caches.resourceSlices === undefined ? [] : [RESOURCE_SLICES];
    for (const kind of [...RESOURCES.core, ...[...this.provider.nodeClasses, ...open].map(openKind)]) {
      const definition = customResourceDefinition(kind) as unknown as ApiObject;
      await this.client.create(CUSTOM_RESOURCE_DEFINITIONS, {
        ...definition,
        metadata: { ...definition.metadata, annotations: APPROVED },
      });
    }
    void this.events.start(signal);
    for (const cache of listCaches(this.caches)) void cache.start(signal);
    await this.clock.flush();
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.clock.flush();
    this.#transport.close();
  }

  /** Creates the object and writes its status, if it has one. Kind and version may be left out. */
  async create<T extends ApiObject>(type: ResourceType, object: T): Promise<T> {
    const created = await this.client.create<T>(type, { apiVersion: apiVersionOf(type), kind: type.kind, ...object });
    const key = objectKey(created.metadata);
    if ('status' in object && object.status) return this.change<T>(type, key, { status: object.status });
    await this.clock.flush();
    return created;
  }

  /** Patches fields of an object; those of `status` through the status subresource. */
  async change<T extends ApiObject>(type: ResourceType, key: string, { status, ...rest }: Change): Promise<T> {
    const ref = refOfKey(key);
    let changed: T | undefined;
    if (Object.keys(rest).length > 0) changed = await this.client.patch<T>(type, ref, { type: 'merge', body: rest });
    if (status !== undefined) {
      changed = await this.client.patch<T>(type, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
    }
    await this.clock.flush();
    return changed ?? this.get<T>(type, key);
  }

  async delete(type: ResourceType, key: string): Promise<void> {
    await this.client.delete(type, refOfKey(key));
    await this.clock.flush();
  }

  /** The object as the API server has it. */
  async get<T extends ApiObject>(type: ResourceType, key: string): Promise<T> {
    return this.client.get<T>(type, refOfKey(key));
  }

  /** As `get`, but undefined if the object does not exist. */
  async find<T extends ApiObject>(type: ResourceType, key: string): Promise<T | undefined> {
    try {
      return await this.get<T>(type, key);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** One pass of a controller that is not running; throws what the pass throws. */
  async reconcile(controller: Controller, key: string): Promise<Result> {
    const { name } = refOfKey(key);
    const pass = controller.reconcile(
      key,
      this.#stopping.signal,
      this.logger.with({ controller: controller.name, name }),
    );
    try {
      return await this.clock.runUntil(pass);
    } finally {
      await this.clock.flush();
    }
  }

  /** Runs controllers until the test ends. They work whenever the virtual clock moves or settles. */
  async run(...controllers: readonly Controller[]): Promise<void> {
    const { clock, logger, metrics } = this;
    const deps = { clock, logger, metrics, random: noJitter, syncSource: () => Promise.resolve() };
    for (const controller of controllers) void new ControllerRunner(controller, deps).start(this.#stopping.signal);
    await clock.flush();
  }

  /** The metrics page as a scraper gets it. */
  async page(): Promise<string> {
    return metricsPage(this.metrics);
  }

  /** Advances the clock second by second until `check` holds; throws after `seconds` (600 by default). */
  async eventually(check: () => boolean | Promise<boolean>, seconds = 600): Promise<void> {
    await this.clock.flush();
    for (let passed = 0; !(await check()); passed++) {
      if (passed === seconds) throw new Error(`not so within ${seconds} s: ${check.toString()}`);
      await this.clock.advance(1 * SECOND);
    }
  }
}

/** No jitter: back-off takes exactly its nominal time. */
const noJitter = (): number => 0;

/** The API server demands this annotation on CRDs in Kubernetes' own groups. */
const APPROVED = { 'api-approved.kubernetes.io': 'unapproved, for tests' };

/** A CRD for a kind that the embedded API server does not know, such as a provider's NodeClass; it keeps all fields. */
function openKind({ group, version, kind, plural }: ResourceType): Parameters<typeof customResourceDefinition>[0] {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
  const schema = { type: 'object', properties: { spec: open, status: open } } as const;
  return { group, version, kind, plural, categories: [], scope: 'Cluster', columns: [], schema };
}
