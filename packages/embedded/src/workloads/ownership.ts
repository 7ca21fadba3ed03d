import {
  type ApiObject,
  controllerOf,
  controllerRef,
  isControlledBy,
  labelSelectorFrom,
  type LabelSelectorSpec,
  matchesLabels,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { type Client, isInvalid, isNotFound } from '@karpenter-ts/runtime';
import { managerKey } from './caches.ts';

export interface Claim<T extends ApiObject> {
  readonly client: Client;
  readonly owner: ApiObject & { readonly spec: { readonly selector: LabelSelectorSpec } };
  readonly ownerType: ResourceType;
  readonly type: ResourceType;
  /** The objects to look at; see `candidatesFor`. */
  readonly candidates: readonly T[];
  /** Which orphans may be adopted; all by default. */
  readonly mayAdopt?: (object: T) => boolean;
  /** Put on what is adopted. */
  readonly finalizers?: readonly string[];
}

/**
 * Claims objects for a controller, like ControllerRefManager: orphans that match the selector are adopted, and owned
 * objects that no longer match are released. An owner that is being deleted does neither.
 */
export async function claimObjects<T extends ApiObject>(claim: Claim<T>): Promise<readonly T[]> {
  const { owner, candidates, mayAdopt = () => true } = claim;
  const selector = labelSelectorFrom(owner.spec.selector);
  const isOwnerBeingDeleted = owner.metadata.deletionTimestamp !== undefined;
  let isOwnerAlive: Promise<boolean> | undefined; // asked once, and only if there is anything to adopt
  const claimed: T[] = [];
  for (const object of candidates) {
    const isMatch = matchesLabels(selector, object.metadata.labels ?? {}) && mayAdopt(object);
    if (isControlledBy(object, owner)) {
      if (isMatch) claimed.push(object);
      else if (!isOwnerBeingDeleted) await release(claim, object);
    } else if (isMatch && !isOwnerBeingDeleted && object.metadata.deletionTimestamp === undefined) {
      if (controllerOf(object.metadata) !== undefined) continue;
      isOwnerAlive ??= isAlive(claim);
      if ((await isOwnerAlive) && (await adopt(claim, object))) claimed.push(object);
    }
  }
  return claimed;
}

/** The objects that the owner controls, and those without a controller. */
export function candidatesFor<T extends ApiObject>(
  cache: { byIndex(name: 'manager', value: string): readonly T[] },
  { metadata }: ApiObject,
): readonly T[] {
  return [
    ...cache.byIndex('manager', managerKey(metadata.namespace, metadata.uid)),
    ...cache.byIndex('manager', managerKey(metadata.namespace)),
  ];
}

/**
 * Asks the server, because the cache may not show that the owner is being deleted, and then the garbage collector is at
 * work.
 */
async function isAlive<T extends ApiObject>({ client, owner, ownerType }: Claim<T>): Promise<boolean> {
  const { metadata } = await client.get(ownerType, owner.metadata);
  return metadata.uid === owner.metadata.uid && metadata.deletionTimestamp === undefined;
}

async function adopt<T extends ApiObject>(claim: Claim<T>, object: T): Promise<boolean> {
  const { client, type, owner, ownerType, finalizers } = claim;
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [controllerRef(owner, ownerType)],
    ...(finalizers && { finalizers }),
  };
  return patchIfThere(() => client.patch(type, object.metadata, { type: 'strategic', body: { metadata } }));
}

async function release<T extends ApiObject>({ client, type, owner }: Claim<T>, object: T): Promise<void> {
  const body = withoutOwners(object, [owner.metadata.uid ?? '']);
  await patchIfThere(() => client.patch(type, object.metadata, { type: 'strategic', body }));
}

/** The patch that removes owners from an object, if it is still the same object. */
function withoutOwners({ metadata }: ApiObject, uids: readonly string[]): object {
  return { metadata: { uid: metadata.uid, ownerReferences: uids.map((uid) => ({ $patch: 'delete', uid })) } };
}

/** Returns false if the object is gone or was replaced: then there is nothing to patch. */
async function patchIfThere(patch: () => Promise<unknown>): Promise<boolean> {
  try {
    await patch();
    return true;
  } catch (error) {
    if (isNotFound(error) || isInvalid(error)) return false;
    throw error;
  }
}
