/** Numbers strings from 0 on, in the order they are first seen. Only grows. */
export class SymbolTable {
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  /** The number of `name`, new if need be. */
  intern(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = this.#names.push(name) - 1;
    this.#ids.set(name, id);
    return id;
  }

  /** The number of `name`, or −1. */
  find(name: string): number {
    return this.#ids.get(name) ?? -1;
  }

  /** Its string; `id` must come from this table. */
  nameOf(id: number): string {
    return this.#names[id]!;
  }
}
