import type { ObjectMeta, OwnerReference } from './object-meta.ts';
import { type ApiObject, apiVersionOf, type ResourceType } from './resource-type.ts';

/** The owner that manages an object; there is at most one. */
export function controllerOf(metadata: ObjectMeta): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** The reference by which a new object names its manager. */
export function controllerRef(owner: ApiObject, type: ResourceType): OwnerReference {
  const { name, uid = '' } = owner.metadata;
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object.metadata)?.uid === owner.metadata.uid;
}

/** The key under which the manager of an object would be found, if it is of this kind. */
export function controllerKey({ metadata }: ApiObject, kind: string): readonly string[] {
  const reference = controllerOf(metadata);
  return reference?.kind === kind ? [`${metadata.namespace}/${reference.name}`] : [];
}
