export const CPU = 0;
export const MEMORY = 1;

/** Numbers resources, so that amounts can be arrays. Numbers are only valid within one table. */
export class ResourceNames {
  readonly #names: string[] = ['cpu', 'memory'];
  readonly #ids = new Map<string, number>(this.#names.map((name, id) => [name, id]));

  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = this.#names.push(name) - 1;
    this.#ids.set(name, id);
    return id;
  }

  nameOf(id: number): string {
    return this.#names[id]!;
  }
}
