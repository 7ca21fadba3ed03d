import type { ApiObject, ObjectRef, OwnerReference, ResourceType } from '@karpenter-ts/kubernetes';
import {
  type Client,
  type Controller,
  DONE,
  type Enqueuer,
  type Result,
  SECOND,
  unlessGone,
} from '@karpenter-ts/runtime';
import type { ApiResources } from '../api-resources.ts';
import type { CacheDeps, Caches } from '../caches.ts';
import { ObjectWatch } from './object-watch.ts';
import { FOREGROUND, type GraphNode, isAt, isBlocking, ORPHAN, OwnerGraph } from './owner-graph.ts';

export interface OwnerGcDeps extends CacheDeps {
  readonly caches: Caches;
  readonly resources: ApiResources;
}

interface GcDeps {
  readonly client: Client;
  readonly resources: ApiResources;
  readonly graph: OwnerGraph;
  readonly enqueue: (uid: string) => void;
}

/**
 * The state of an owner reference, in the garbage collector's words: the owner exists (solid), is gone (dangling), or
 * waits for this object to be deleted (waitingForDependentsDeletion).
 */
type OwnerState = 'solid' | 'dangling' | 'waiting';

/** The owner may not exist yet, or its kind is not known yet. */
const LOOK_AGAIN = { requeueAfter: 1 * SECOND };
const UNKNOWN_KIND = { requeueAfter: 30 * SECOND };

/**
 * The garbage collector: deletes objects whose owners are all gone. An owner deleted in the foreground is deleted after
 * the dependents that block it; one deleted with the policy Orphan leaves them. Keys are uids.
 */
export function ownerGcController(gcDeps: OwnerGcDeps): Controller {
  let queue: Enqueuer<string> | undefined;
  const enqueue = (uid: string): void => queue?.add(uid);
  const graph = new OwnerGraph(enqueue);
  const cache = new ObjectWatch({
    deps: gcDeps,
    resources: gcDeps.resources,
    caches: Object.values(gcDeps.caches),
    handlerOf: (type) => ({
      onAdd: (object) => graph.put(type, object),
      onUpdate: (old, object) => {
        if (!isAsBefore(old, object)) graph.put(type, object);
      },
      onDelete: ({ metadata }) => graph.remove(metadata.uid ?? ''),
    }),
  });
  const { client, resources } = gcDeps;
  const deps: GcDeps = { client, resources, graph, enqueue };
  return {
    name: 'garbagecollector',
    concurrency: 20,
    sources: [
      {
        name: 'owner graph',
        watched: { kind: 'all kinds', cache },
        attach: (attached) => {
          queue = attached;
        },
      },
    ],
    reconcile: async (uid) => {
      const node = graph.get(uid);
      if (node === undefined) return DONE;
      return node.type === undefined ? verifyUnseen(deps, node) : collect(deps, node, node.type);
    },
  };
}

/** Whether nothing relevant to the graph changed, as with leases, which change more often than anything else. */
function isAsBefore({ metadata: old }: ApiObject, { metadata }: ApiObject): boolean {
  return (
    old.uid === metadata.uid &&
    old.ownerReferences === metadata.ownerReferences &&
    old.finalizers === metadata.finalizers &&
    old.deletionTimestamp === metadata.deletionTimestamp
  );
}

/** Handles an owner that is referenced but was never observed. */
async function verifyUnseen({ client, resources, graph }: GcDeps, node: GraphNode): Promise<Result> {
  const resource = await resources.find(node.reference.apiVersion, node.reference.kind);
  if (resource === undefined) return UNKNOWN_KIND;
  const namespace = resource.type.namespaced ? node.namespace : undefined;
  if (namespace === '') return DONE; // a cluster-scoped object cannot be owned by a namespaced one
  const live = await unlessGone(client.get(resource.type, { name: node.reference.name, namespace }));
  if (live?.metadata.uid === node.uid) return LOOK_AGAIN;
  graph.remove(node.uid);
  return DONE;
}

async function collect(deps: GcDeps, node: GraphNode, type: ResourceType): Promise<Result> {
  const { client, graph } = deps;
  if (node.isBeingDeleted && !node.isForeground && !node.isOrphaning) return DONE;
  const live = await unlessGone(client.get(type, refTo(node)));
  if (live?.metadata.uid !== node.uid || live === undefined) {
    graph.remove(node.uid);
    return DONE;
  }
  if (node.isOrphaning) return orphan(deps, node, type, live);
  if (node.isForeground) return finishForeground(deps, node, type, live);
  return syncOwners(deps, node, type, live);
}

/** Removes the owner from its dependents, then its own finalizer. */
async function orphan(
  { client, graph }: GcDeps,
  node: GraphNode,
  type: ResourceType,
  live: ApiObject,
): Promise<Result> {
  for (const dependent of graph.dependentsOf(node.uid)) {
    if (dependent.type === undefined) continue;
    const object = await unlessGone(client.get(dependent.type, refTo(dependent)));
    if (object?.metadata.uid === dependent.uid && object !== undefined) {
      await dropOwners(client, dependent.type, object, [node.uid]);
    }
  }
  await dropFinalizer(client, type, live, ORPHAN);
  return DONE;
}

async function finishForeground(
  { client, graph, enqueue }: GcDeps,
  node: GraphNode,
  type: ResourceType,
  live: ApiObject,
): Promise<Result> {
  const blockers = graph.blockersOf(node.uid);
  for (const blocker of blockers) if (!blocker.isForeground) enqueue(blocker.uid);
  if (blockers.length === 0) await dropFinalizer(client, type, live, FOREGROUND);
  return DONE;
}

async function syncOwners(deps: GcDeps, node: GraphNode, type: ResourceType, live: ApiObject): Promise<Result> {
  const owners = live.metadata.ownerReferences ?? [];
  if (owners.length === 0) return DONE;
  const ownerStates = new Map<string, OwnerState>();
  for (const owner of owners) {
    const ownerState = await ownerStateOf(deps, node, owner);
    if (typeof ownerState !== 'string') return ownerState;
    ownerStates.set(owner.uid, ownerState);
  }
  const danglingUids = [...ownerStates].filter(([, ownerState]) => ownerState !== 'solid').map(([uid]) => uid);
  if (danglingUids.length < ownerStates.size) {
    if (danglingUids.length > 0) await dropOwners(deps.client, type, live, danglingUids);
    return DONE;
  }
  const isOwnerWaiting = [...ownerStates.values()].includes('waiting');
  await remove(deps, node, type, live, isOwnerWaiting);
  return DONE;
}

/** Returns a Result instead of a state if it cannot be determined now, or ever. */
async function ownerStateOf(
  { client, resources, graph }: GcDeps,
  node: GraphNode,
  owner: OwnerReference,
): Promise<OwnerState | Result> {
  const known = graph.get(owner.uid);
  if (known?.type !== undefined && isAt(known, owner, node.namespace)) return known.isForeground ? 'waiting' : 'solid';
  const resource = await resources.find(owner.apiVersion, owner.kind);
  if (resource === undefined) return UNKNOWN_KIND;
  const { namespaced } = resource.type;
  if (namespaced && node.namespace === '') return DONE;
  const namespace = namespaced ? node.namespace : undefined;
  const live = await unlessGone(client.get(resource.type, { name: owner.name, namespace }));
  if (live === undefined || live.metadata.uid !== owner.uid) return 'dangling';
  const isWaiting = live.metadata.deletionTimestamp !== undefined && live.metadata.finalizers?.includes(FOREGROUND);
  return isWaiting ? 'waiting' : 'solid';
}

/** Deletes an object without owners, with the propagation policy its owner was deleted with. */
async function remove(
  { client, graph }: GcDeps,
  node: GraphNode,
  type: ResourceType,
  live: ApiObject,
  isOwnerWaiting: boolean,
): Promise<void> {
  const dependents = graph.dependentsOf(node.uid);
  let object = live;
  if (isOwnerWaiting && dependents.some((dependent) => dependent.isForeground)) {
    object = await unblockOwners(client, type, live); // else two objects that own each other would wait for ever
  }
  const { uid, resourceVersion, finalizers = [] } = object.metadata;
  const propagationPolicy = finalizers.includes(ORPHAN)
    ? 'Orphan'
    : finalizers.includes(FOREGROUND) || (isOwnerWaiting && dependents.length > 0)
      ? 'Foreground'
      : 'Background';
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
  await unlessGone(client.delete(type, object.metadata, { propagationPolicy, preconditions }));
}

function refTo({ reference, namespace }: GraphNode): ObjectRef {
  return { name: reference.name, namespace: namespace || undefined };
}

async function dropOwners(
  client: Client,
  type: ResourceType,
  object: ApiObject,
  uids: readonly string[],
): Promise<void> {
  const owners = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
  await unlessGone(patchMetadata(client, type, object, { ownerReferences: owners }));
}

async function unblockOwners(client: Client, type: ResourceType, object: ApiObject): Promise<ApiObject> {
  const owners = (object.metadata.ownerReferences ?? []).map((owner) =>
    isBlocking(owner) ? { ...owner, blockOwnerDeletion: false } : owner,
  );
  return patchMetadata(client, type, object, { ownerReferences: owners });
}

async function dropFinalizer(client: Client, type: ResourceType, object: ApiObject, finalizer: string): Promise<void> {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return;
  const kept = finalizers.filter((each) => each !== finalizer);
  await unlessGone(patchMetadata(client, type, object, { finalizers: kept }));
}

/** A merge patch, which every kind accepts, on exactly this version. */
async function patchMetadata(
  client: Client,
  type: ResourceType,
  { metadata }: ApiObject,
  change: object,
): Promise<ApiObject> {
  const body = { metadata: { resourceVersion: metadata.resourceVersion, ...change } };
  return client.patch(type, metadata, { type: 'merge', body });
}
