import { type ApiObject, apiVersionOf, type ResourceType } from '@karpenter-ts/kubernetes';
import type { Client, EventRecorder, EventSubject, SteadyClock } from '@karpenter-ts/runtime';
import type { Caches } from './caches.ts';

/** What every controller of this folder works with. */
export interface WorkloadDeps {
  readonly client: Client;
  readonly clock: SteadyClock;
  readonly caches: Caches;
  /** Publishes in the name of a component, such as `deployment-controller`. */
  readonly recorder: (component: string) => EventRecorder;
}

/** Whom an event is about. */
export function subjectOf({ metadata }: ApiObject, type: ResourceType): EventSubject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}
