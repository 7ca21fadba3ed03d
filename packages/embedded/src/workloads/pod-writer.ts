import {
  type ApiObject,
  controllerRef,
  objectKey,
  type Pod,
  PODS,
  type PodTemplate,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { type Client, type EventRecorder, isNotFound } from '@karpenter-ts/runtime';
import type { Expectations } from './expectations.ts';
import { forAll, slowStart } from './slow-start.ts';
import { isNamespaceTerminating } from './terminating-namespace.ts';
import { subjectOf } from './workload-deps.ts';

/** The largest number of pods per reconcile, so that one large set does not starve the others. */
const MAX_WRITES = 500;

/** Creates and deletes pods for one kind of owner, publishes events about it, and records expectations. */
export class PodWriter {
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #expectations: Expectations;
  readonly #type: ResourceType;

  constructor(options: {
    readonly client: Client;
    readonly events: EventRecorder;
    readonly expectations: Expectations;
    readonly type: ResourceType;
  }) {
    this.#client = options.client;
    this.#events = options.events;
    this.#expectations = options.expectations;
    this.#type = options.type;
  }

  /** Creates a pod from each template. Starts slowly, and stops once a creation is refused. */
  async create(
    owner: ApiObject,
    templates: readonly (PodTemplate & { readonly generateName?: string })[],
  ): Promise<void> {
    const key = objectKey(owner.metadata);
    const wanted = templates.slice(0, MAX_WRITES);
    this.#expectations.expectCreations(key, wanted.length);
    await slowStart(
      wanted.length,
      (index) => this.#createOne(owner, key, wanted[index] as PodTemplate),
      (skipped) => {
        for (let i = 0; i < skipped; i++) this.#expectations.created(key);
      },
    );
  }

  /** Deletes all at once. A pod that is gone already counts as deleted. */
  async delete(owner: ApiObject, pods: readonly Pod[]): Promise<void> {
    const key = objectKey(owner.metadata);
    const unwanted = pods.slice(0, MAX_WRITES);
    this.#expectations.expectDeletions(
      key,
      unwanted.map((pod) => pod.metadata.uid ?? ''),
    );
    await forAll(unwanted, (pod) => this.#deleteOne(owner, key, pod));
  }

  async #createOne(
    owner: ApiObject,
    key: string,
    { generateName, ...template }: PodTemplate & { readonly generateName?: string },
  ): Promise<void> {
    const { namespace, name } = owner.metadata;
    const metadata = {
      ...template.metadata,
      name: '', // the server makes it
      generateName: generateName ?? `${name}-`,
      namespace,
      ownerReferences: [controllerRef(owner, this.#type)],
    };
    try {
      const created = await this.#client.create<Pod>(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata,
        spec: template.spec,
      });
      this.#publish(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
    } catch (error) {
      this.#expectations.created(key);
      if (isNamespaceTerminating(error)) return; // every further try would fail, and the owner is about to go
      this.#publish(owner, 'Warning', 'FailedCreate', `Error creating: ${(error as Error).message}`);
      throw error;
    }
  }

  async #deleteOne(owner: ApiObject, key: string, pod: Pod): Promise<void> {
    try {
      await this.#client.delete(PODS, pod.metadata);
      this.#publish(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    } catch (error) {
      this.#expectations.deleted(key, pod.metadata.uid ?? '');
      if (isNotFound(error)) return;
      this.#publish(owner, 'Warning', 'FailedDelete', `Error deleting: ${(error as Error).message}`);
      throw error;
    }
  }

  #publish(owner: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.publish({ on: subjectOf(owner, this.#type), type, reason, message });
  }
}
