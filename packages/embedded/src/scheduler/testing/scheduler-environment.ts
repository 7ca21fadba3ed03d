import type { TestContext } from 'node:test';
import { type ApiObject, NODES, type Pod, PODS, type ResourceType } from '@karpenter-ts/kubernetes';
import {
  Client,
  inProcessTransport,
  Manager,
  Metrics,
  nullLogger,
  type RequestHandler,
  VirtualClock,
} from '@karpenter-ts/runtime';
import { xorshift32 } from '../../apiserver/identity.ts';
import { ApiServer } from '../../apiserver/server.ts';
import { createCaches } from '../caches.ts';
import { schedulerController } from '../scheduler.ts';
import { nodeObject, podObject, type TestNode, type TestPod } from './cluster.ts';

const SEED = 7;
/** How often the manager looks whether caches are filled. */
const SYNC_CHECK = 100;

/** Wraps the server's handler: it may answer a request itself, or pass it on to `next`. */
export type Interception = (next: RequestHandler) => RequestHandler;

/** An API server in virtual time, with helpers to create nodes and pods. */
export class SchedulerEnvironment {
  readonly clock = new VirtualClock();
  readonly client: Client;
  readonly #handle: RequestHandler;

  constructor() {
    const server = new ApiServer({ clock: this.clock, random: xorshift32(SEED) });
    this.#handle = (request, signal) => server.handle(request, signal);
    this.client = this.#clientOf((next) => next);
  }

  /** Runs a scheduler until the test ends or the returned function is called. */
  async startScheduler(t: TestContext, intercept: Interception = (next) => next): Promise<() => Promise<void>> {
    const { clock } = this;
    const client = this.#clientOf(intercept);
    const random = xorshift32(SEED);
    const caches = createCaches({ client, clock, logger: nullLogger, random });
    const controllers = [schedulerController({ client, clock, caches, random })];
    const manager = new Manager({ clock, logger: nullLogger, metrics: new Metrics(clock), controllers, random });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const end = async (): Promise<void> => {
      stop.abort();
      await clock.runUntil(running);
    };
    t.after(end);
    await clock.advance(SYNC_CHECK);
    return end;
  }

  async node(name: string, options: TestNode = {}): Promise<void> {
    const node = nodeObject(name, options);
    const tolerated = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
    await this.create(NODES, { ...node, spec: { ...node.spec, taints: [...(options.taints ?? []), ...tolerated] } });
    await this.clock.flush();
  }

  async pod(name: string, options: TestPod & { readonly finalizers?: readonly string[] } = {}): Promise<void> {
    const { finalizers = [], ...rest } = options;
    const { spec } = podObject(name, rest);
    const containers = spec.containers?.map((container, i) => ({ name: `c${i}`, image: 'none', ...container }));
    const tolerations = [{ operator: 'Exists' }, ...(spec.tolerations ?? [])];
    const metadata = { name, namespace: 'default', labels: options.labels ?? {}, finalizers };
    await this.create(PODS, { metadata, spec: { ...spec, containers, tolerations } } as ApiObject);
    await this.clock.flush();
  }

  async create<T extends ApiObject>(type: ResourceType, object: T): Promise<T> {
    const { group, version, kind } = type;
    return this.client.create(type, { apiVersion: group ? `${group}/${version}` : version, kind, ...object });
  }

  async getPod(name: string): Promise<Pod> {
    return this.client.get<Pod>(PODS, { namespace: 'default', name });
  }

  /** The pod's node; '' if it has none. */
  async placeOf(name: string): Promise<string> {
    return (await this.getPod(name)).spec.nodeName ?? '';
  }

  #clientOf(intercept: Interception): Client {
    const transport = inProcessTransport(intercept(this.#handle), this.clock);
    return new Client({ transport, clock: this.clock, userAgent: 'test' });
  }
}
