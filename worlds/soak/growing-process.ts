// The process that the test of heap counts looks at: it puts entries into every kind of container, some of which it
// removes again, and sends by how many each count has grown.
import { type HeapCounts, countHeap } from './heap-counts.ts';

/** Stands for the API server, which is not counted: heap counts know it by this name. */
class ApiServer {
  readonly keys: object[] = [];
}

const server = new ApiServer();

/** Has a map, a set and a list in private fields, a map in a closure, and lists as the values of a WeakMap. */
class Containers {
  readonly #byName = new Map<string, object>();
  readonly #members = new Set<object>();
  readonly #list: object[] = [];
  readonly #keys: object[] = [];
  readonly #ofKeys = new WeakMap<
    object,
    { readonly valueOfOwnKey: object[] } | { readonly valueOfServerKey: object[] }
  >();
  readonly addToClosure: (index: number) => void;

  constructor() {
    const inClosure = new Map<string, object>();
    this.addToClosure = (index) => void inClosure.set(`name-${index}`, { index });
  }

  add(count: number): void {
    for (let index = 0; index < count; index++) {
      this.#byName.set(`name-${index}`, { index });
      this.#members.add({ index });
      this.#list.push({ index });
      this.addToClosure(index);
      const [ownKey, serverKey] = [{ index }, { index }];
      this.#keys.push(ownKey);
      server.keys.push(serverKey);
      this.#ofKeys.set(ownKey, { valueOfOwnKey: [{ index }] });
      this.#ofKeys.set(serverKey, { valueOfServerKey: [{ index }] });
    }
  }

  remove(count: number): void {
    for (let index = 0; index < count; index++) this.#byName.delete(`name-${index}`);
  }
}

function entriesOf(counts: HeapCounts, path: string): number {
  const found = [...counts].filter(([what]) => what.startsWith('entries of ') && what.endsWith(path));
  return found.reduce((sum, [, count]) => sum + count, 0);
}

const containers = new Containers();
containers.add(1);
const before = await countHeap();
containers.add(1000);
containers.remove(100);
const after = await countHeap();
const more = (path: string): number => entriesOf(after, path) - entriesOf(before, path);
process.send?.({
  map: more('Containers.#byName'),
  set: more('Containers.#members'),
  list: more('Containers.#list'),
  closure: more('.inClosure'),
  ownKeys: more('.valueOfOwnKey'),
  serverKeys: more('.valueOfServerKey'),
});
