// A process for the test of the census: it hoards in every kind of memory, and sends how much more was counted then.
import { type Census, takeCensus } from './census.ts';

/** All of it is private. */
class Hoarder {
  readonly #byName = new Map<string, object>();
  readonly #members = new Set<object>();
  readonly #list: object[] = [];
  readonly keep: (index: number) => void;

  constructor() {
    const remembered = new Map<string, object>();
    this.keep = (index) => void remembered.set(`kept-${index}`, { index });
  }

  hoard(count: number): void {
    for (let index = 0; index < count; index++) {
      this.#byName.set(`name-${index}`, { index });
      this.#members.add({ index });
      this.#list.push({ index });
      this.keep(index);
    }
  }

  forget(count: number): void {
    for (let index = 0; index < count; index++) this.#byName.delete(`name-${index}`);
  }
}

function entriesOf(census: Census, path: string): number {
  const found = [...census].filter(([what]) => what.startsWith('entries of ') && what.endsWith(path));
  return found.reduce((sum, [, count]) => sum + count, 0);
}

const hoarder = new Hoarder();
hoarder.hoard(1);
const before = await takeCensus();
hoarder.hoard(1000);
hoarder.forget(100);
const after = await takeCensus();
const more = (path: string): number => entriesOf(after, path) - entriesOf(before, path);
process.send?.({
  map: more('Hoarder.#byName'),
  set: more('Hoarder.#members'),
  list: more('Hoarder.#list'),
  closure: more('.remembered'),
});
