import { type ApiObject, refOfKey } from '@karpenter-ts/kubernetes';

/** A change in the fixture's history. `line` is the watch event, with newline. */
export interface FixtureEvent {
  readonly version: number;
  readonly line: string;
}

interface StoredObject {
  readonly object: ApiObject;
  readonly text: string;
}

/** A list that does not change while it is read: keys with their JSON, and the resource version. */
export interface FixtureSnapshot {
  readonly version: number;
  readonly texts: readonly string[];
}

/**
 * Objects of one kind with a version counter and a history that can be compacted, like the storage of an API server.
 * Its versions (`rv-7`) are no numbers, so that code that computes with them fails.
 */
export class FixtureResource {
  readonly #objects = new Map<string, StoredObject>();
  readonly #log: FixtureEvent[] = [];
  readonly #watchers = new Set<(event: FixtureEvent) => void>();
  #version = 1;
  #forgotten = 1; // changes up to here cannot be watched any more
  #uids = 0;

  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): ApiObject | undefined {
    return this.#objects.get(key)?.object;
  }

  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** Creates or changes the object under `key`. `body` is its content besides metadata. */
  put(key: string, body: object = {}, metadata: object = {}): void {
    const old = this.#objects.get(key)?.object;
    const version = ++this.#version;
    const uid = old?.metadata.uid ?? `uid-${++this.#uids}`;
    const object = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { ...refOfKey(key), uid, resourceVersion: versionText(version), ...metadata },
      ...body,
    };
    const text = JSON.stringify(object);
    this.#objects.set(key, { object, text });
    this.#happened(version, old === undefined ? 'ADDED' : 'MODIFIED', text);
  }

  delete(key: string): void {
    const stored = this.#objects.get(key);
    if (stored === undefined) return;
    const version = ++this.#version;
    this.#objects.delete(key);
    const { metadata } = stored.object;
    const last = { ...stored.object, metadata: { ...metadata, resourceVersion: versionText(version) } };
    this.#happened(version, 'DELETED', JSON.stringify(last));
  }

  /** Compacts the history, as etcd does after five minutes: older versions answer 410. */
  compact(): void {
    this.#log.length = 0;
    this.#forgotten = this.#version;
  }

  snapshot(): FixtureSnapshot {
    return { version: this.#version, texts: [...this.#objects.values()].map(({ text }) => text) };
  }

  isForgotten(version: number): boolean {
    return version < this.#forgotten;
  }

  /** Calls the listener with the changes after `version`, then with further ones. Returns a function that ends it. */
  watch(version: number, listener: (event: FixtureEvent) => void): () => void {
    for (const event of this.#log) if (event.version > version) listener(event);
    this.#watchers.add(listener);
    return () => {
      this.#watchers.delete(listener);
    };
  }

  #happened(version: number, type: string, text: string): void {
    const event = { version, line: `{"type":"${type}","object":${text}}\n` };
    this.#log.push(event);
    for (const watcher of this.#watchers) watcher(event);
  }
}

export function versionText(version: number): string {
  return `rv-${version}`;
}

/** Undefined for the empty version, which means the newest. */
export function versionOf(text: string): number | undefined {
  return text === '' ? undefined : Number(text.slice('rv-'.length));
}
