import { type ApiObject, apiVersionOf, type ResourceType } from '@karpenter-ts/kubernetes';
import type { EventSubject } from './event.ts';

/** The reference to the object that an event is about. */
export function subjectOf(type: ResourceType, { metadata }: ApiObject): EventSubject {
  const { name, namespace, uid } = metadata;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
  };
}
