import { type SteadyClock, realClock, type TransportRequest, type TransportResponse } from '@karpenter-ts/runtime';
import { createInitialObjects } from './bootstrap.ts';
import { Definitions } from './custom/definitions.ts';
import { ExpiringObjects } from './expiring-objects.ts';
import { type Random, xorshift32 } from './identity.ts';
import { Registry } from './registry.ts';
import { jsonAnswer } from './requests/answer.ts';
import { documentAnswer } from './requests/documents.ts';
import { ResourceRequests } from './requests/resource-requests.ts';
import { parseRoute } from './requests/routes.ts';
import { ApiError } from './status.ts';
import { Objects } from './storage/objects.ts';
import { Store } from './storage/store.ts';
import type { WriteContext } from './verbs/create.ts';

/** Options of a server; all have defaults. */
export interface ApiServerOptions {
  /** The host's time by default. */
  readonly clock?: SteadyClock;
  /** Where UIDs and generated names come from. Seeded, a run can be repeated. */
  readonly random?: Random;
}

/**
 * A Kubernetes API server in memory. Clients see what they would see of Kubernetes 1.35. It only answers requests: the
 * scheduler, controllers and kubelets are clients of it.
 */
export class ApiServer {
  readonly #registry = new Registry();
  readonly #resources: ResourceRequests;
  readonly #expiring: ExpiringObjects;

  constructor(options: ApiServerOptions = {}) {
    const { clock = realClock, random = xorshift32(clock.now()) } = options;
    const context: WriteContext = { objects: new Objects(new Store(), clock), clock, random };
    for (const strategy of this.#registry.strategies()) context.objects.collection(strategy); // watchable from the start
    this.#resources = new ResourceRequests(context, this.#registry);
    this.#expiring = new ExpiringObjects(context, this.#registry.strategies());
    new Definitions(context, this.#registry).follow();
    createInitialObjects(context, this.#registry);
  }

  /**
   * Answers a request. An error is answered with a Status, so the promise never rejects. The signal ends the body of a
   * watch.
   */
  async handle(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    try {
      this.#expiring.forget();
      return this.#answer(request, signal);
    } catch (error) {
      const refusal =
        error instanceof ApiError
          ? error
          : new ApiError(500, 'InternalError', `Internal error occurred: ${String(error)}`);
      const retryAfter = refusal.details?.retryAfterSeconds;
      return jsonAnswer(refusal.code, refusal.status(), retryAfter ? { 'retry-after': String(retryAfter) } : {});
    }
  }

  #answer(request: TransportRequest, signal: AbortSignal | undefined): TransportResponse {
    const route = parseRoute(request.path);
    if (route.to === 'resource') return this.#resources.answer(request, route.target, route.query, signal);
    const resources = this.#registry.strategies().map(({ resource }) => resource);
    return documentAnswer(resources, request, route.path);
  }
}
