import { isDeepStrictEqual } from 'node:util';
import { type ApiObject, type Node, objectKey, type Pod } from '@karpenter-ts/kubernetes';
import type { Informer, Source } from '@karpenter-ts/runtime';
import type { SchedulerCaches } from './caches.ts';
import { SCHEDULER_NAME } from './scheduler-name.ts';
import { PodClasses } from './model/pod-class.ts';
import type { Snapshot } from './model/snapshot.ts';
import type { Nominations } from './nominations.ts';
import type { SchedulingQueue } from './queue.ts';
import type { VolumeBinder } from './volume-binder.ts';

export interface EventHandlerDeps {
  readonly snapshot: Snapshot;
  readonly queue: SchedulingQueue;
  readonly nominations: Nominations;
  readonly volumes: VolumeBinder;
}

/** Called for each change of an object of a kind. */
interface ObjectHandler<T> {
  readonly seen: (object: T) => void;
  readonly gone: (object: T) => void;
}

/**
 * The scheduler's event handlers: they write changes of the cluster into the snapshot, and pods without a node into the
 * queue.
 */
export class EventHandlers {
  readonly #deps: EventHandlerDeps;
  readonly #classes: PodClasses;

  constructor(deps: EventHandlerDeps) {
    this.#deps = deps;
    this.#classes = new PodClasses(deps.snapshot.names);
  }

  /** One source for each cache; handlers are registered when it is attached. */
  sources(caches: SchedulerCaches): readonly Source[] {
    const { storage } = this.#deps.snapshot;
    return [
      this.#source(caches.nodes, { seen: (node) => this.#nodeSeen(node), gone: (node) => this.#nodeGone(node) }),
      this.#source(caches.namespaces, {
        seen: ({ metadata }) => this.#namespaceSeen(metadata.name, metadata.labels ?? {}),
        gone: ({ metadata }) => this.#deps.snapshot.removeNamespace(metadata.name),
      }),
      this.#source(caches.storageClasses, this.#storageListener(storage.classes)),
      this.#source(caches.volumes, this.#storageListener(storage.volumes)),
      this.#source(caches.volumeClaims, this.#storageListener(storage.volumeClaims)),
      this.#source(caches.csiNodes, this.#storageListener(storage.csiNodes)),
      this.#source(caches.attachments, this.#storageListener(storage.attachments)),
      this.#source(caches.pods, { seen: (pod) => this.#podSeen(pod), gone: (pod) => this.#podGone(keyOf(pod)) }),
    ];
  }

  #source<T extends ApiObject>(informer: Informer<T>, { seen, gone }: ObjectHandler<T>): Source {
    const { version, kind } = informer.type;
    const name = `*${version}.${kind}`;
    return {
      name: `kind source: ${name}`,
      watched: { kind: name, cache: informer },
      attach: (turns) => {
        this.#deps.queue.attach(turns);
        informer.addHandler({ onAdd: seen, onUpdate: (_old, object) => seen(object), onDelete: gone });
      },
    };
  }

  #podSeen(pod: Pod): void {
    const { phase } = pod.status ?? {};
    if (phase === 'Succeeded' || phase === 'Failed') this.#podGone(keyOf(pod));
    else if (pod.spec.nodeName) this.#boundPodSeen(pod, pod.spec.nodeName);
    else this.#unboundPodSeen(pod);
  }

  #boundPodSeen(pod: Pod, nodeName: string): void {
    const { snapshot, queue, nominations, volumes } = this.#deps;
    const key = keyOf(pod);
    const podClass = this.#classes.of(pod);
    const before = snapshot.findPlaced(key);
    if (before?.isConfirmed && before.pod === podClass) return;
    const { node } = snapshot.place(key, podClass, nodeName, true);
    queue.delete(key);
    nominations.delete(key);
    volumes.release(key);
    if (before?.isConfirmed) queue.moveToActive({ kind: 'pod removed', pod: before.pod, node: before.node });
    queue.moveToActive({ kind: 'pod placed', pod: podClass, node });
  }

  #unboundPodSeen(pod: Pod): void {
    const { queue, nominations } = this.#deps;
    const key = keyOf(pod);
    const isOurs = (pod.spec.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME;
    const isGated = (pod.spec.schedulingGates?.length ?? 0) > 0;
    if (!isOurs || isGated) {
      queue.delete(key);
      return;
    }
    const pending = {
      key,
      pod: this.#classes.of(pod),
      priority: pod.spec.priority ?? 0,
      nominatedNode: pod.status?.nominatedNodeName || undefined,
    };
    this.#endNomination(key, pending.nominatedNode);
    nominations.set(pending);
    queue.set(pending);
  }

  #podGone(key: string): void {
    const { snapshot, queue, volumes } = this.#deps;
    queue.delete(key);
    this.#endNomination(key);
    volumes.release(key);
    const placed = snapshot.remove(key);
    if (placed !== undefined) queue.moveToActive({ kind: 'pod removed', ...placed });
  }

  /** The end of a nomination frees capacity, as the deletion of a pod does. */
  #endNomination(key: string, next?: string): void {
    const { snapshot, queue, nominations } = this.#deps;
    const promised = nominations.find(key);
    if (promised === undefined || promised.nominatedNode === next) return;
    nominations.delete(key);
    const node = snapshot.findNode(promised.nominatedNode ?? '');
    if (node !== undefined) queue.moveToActive({ kind: 'pod removed', pod: promised.pod, node });
  }

  #nodeSeen(node: Node): void {
    const { snapshot, queue } = this.#deps;
    const isNew = snapshot.findNode(node.metadata.name) === undefined;
    const entry = snapshot.setNode(node);
    if (entry !== undefined) queue.moveToActive({ kind: isNew ? 'node added' : 'node changed', node: entry });
  }

  #nodeGone({ metadata }: Node): void {
    this.#deps.snapshot.removeNode(metadata.name);
    this.#deps.queue.moveToActive({ kind: 'node removed' });
  }

  #namespaceSeen(name: string, labels: Readonly<Record<string, string>>): void {
    const { snapshot, queue } = this.#deps;
    if (isDeepStrictEqual(snapshot.namespaces.get(name), labels)) return;
    snapshot.setNamespace(name, labels);
    queue.moveToActive({ kind: 'namespace changed' });
  }

  #storageListener<T extends ApiObject>(objects: {
    set(key: string, object: T): void;
    delete(key: string): void;
  }): ObjectHandler<T> {
    const { queue, volumes } = this.#deps;
    const changed = (): void => {
      queue.moveToActive({ kind: 'storage changed' });
      for (const key of volumes.podsUnderWay()) queue.activate(key);
    };
    return {
      seen: (object) => {
        objects.set(keyOf(object), object);
        changed();
      },
      gone: (object) => {
        objects.delete(keyOf(object));
        changed();
      },
    };
  }
}

function keyOf({ metadata }: ApiObject): string {
  return objectKey(metadata);
}
