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
  /** Of these; see `candidatesFor`. */
  readonly candidates: readonly T[];
  /** Which orphans it may have at all; any unless told. */
  readonly mayAdopt?: (object: T) => boolean;
  /** Put on what is adopted. */
  readonly finalizers?: readonly string[];
}

/**
 * The objects a set manages from now on. Orphans that match its selector are adopted, its own that no longer do are
 * let go; a set on its way out does neither.
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

/** What a set manages and what nobody does: those it has to look at. */
export function candidatesFor<T extends ApiObject>(
  cache: { byIndex(name: 'manager', value: string): readonly T[] },
  { metadata }: ApiObject,
): readonly T[] {
  return [
    ...cache.byIndex('manager', managerKey(metadata.namespace, metadata.uid)),
    ...cache.byIndex('manager', managerKey(metadata.namespace)),
  ];
}

/** Asks the server: a cache may not know yet that the owner was deleted, and then the garbage collector is at work. */
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

/** The patch that makes an object, if it still is the same, forget some of its owners. */
function withoutOwners({ metadata }: ApiObject, uids: readonly string[]): object {
  return { metadata: { uid: metadata.uid, ownerReferences: uids.map((uid) => ({ $patch: 'delete', uid })) } };
}

/** False when the object is gone or another one by now: then there is nothing to change any more. */
async function patchIfThere(patch: () => Promise<unknown>): Promise<boolean> {
  try {
    await patch();
    return true;
  } catch (error) {
    if (isNotFound(error) || isInvalid(error)) return false;
    throw error;
  }
}
