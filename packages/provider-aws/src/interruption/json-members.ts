/**
 * The members of an object that a message holds, read as upstream's reader does: names in any letter case, null as
 * absent, a value of another type than expected refuses the message.
 */
export class JsonMembers {
  /** By name in lower case. */
  readonly #values = new Map<string, unknown>();
  /** Where the object stands in the message. */
  readonly #path: string;

  /** What is absent has no members. Throws if the value is no object. */
  constructor(value: unknown, path = '') {
    this.#path = path;
    if (value === undefined || value === null) return;
    if (typeof value !== 'object' || Array.isArray(value)) throw new TypeError(`${path || 'it'} is not an object`);
    for (const [name, member] of Object.entries(value)) {
      if (member !== null) this.#values.set(name.toLowerCase(), member);
    }
  }

  /** Undefined if it is absent. */
  text(name: string): string | undefined {
    const value = this.#values.get(name.toLowerCase());
    if (value !== undefined && typeof value !== 'string') throw new TypeError(`${this.#path}${name} is not a string`);
    return value;
  }

  object(name: string): JsonMembers {
    return new JsonMembers(this.#values.get(name.toLowerCase()), `${this.#path}${name}.`);
  }

  objects(name: string): readonly JsonMembers[] {
    return this.#list(name).map((element) => new JsonMembers(element, `${this.#path}${name}.`));
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((element) => {
      if (element !== null && typeof element !== 'string') throw new TypeError(`${this.#path}${name} holds no strings`);
      return element ?? '';
    });
  }

  #list(name: string): readonly unknown[] {
    const value = this.#values.get(name.toLowerCase()) ?? [];
    if (!Array.isArray(value)) throw new TypeError(`${this.#path}${name} is not a list`);
    return value;
  }
}
