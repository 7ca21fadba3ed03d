import { admits, anything, type Requirement } from '@karpenter-ts/apis';
import { hashOf } from '../interning/hash.ts';
import { SymbolTable } from '../interning/symbol-table.ts';
import type { RequirementId, RequirementTable } from './requirement-table.ts';

/** The values of one topology key, by number. Only grows. */
export class Domains {
  readonly key: string;
  readonly keyId: number;
  readonly #table: RequirementTable;
  readonly #values = new SymbolTable();
  readonly #admitted: (Uint8Array | undefined)[] = [];
  readonly #hashes: number[] = [];
  readonly #listed = new Map<RequirementId, readonly number[]>();
  readonly #requirements: RequirementId[] = [];

  constructor(key: string, table: RequirementTable) {
    this.key = key;
    this.keyId = table.keys.intern(key);
    this.#table = table;
  }

  get size(): number {
    return this.#values.size;
  }

  idOf(value: string): number {
    return this.#values.intern(value);
  }

  nameOf(domain: number): string {
    return this.#values.nameOf(domain);
  }

  /** A hash of its name, not of its number. */
  hashOf(domain: number): number {
    this.#hashes[domain] ??= hashOf(this.nameOf(domain));
    return this.#hashes[domain];
  }

  /** By domain: 1 if the requirement admits it. Not to be changed. */
  admitted(requirement: RequirementId): Uint8Array {
    let mask = this.#admitted[requirement];
    if (mask === undefined || mask.length < this.size) {
      mask = this.#admit(this.#table.get(requirement));
      this.#admitted[requirement] = mask;
    }
    return mask;
  }

  /** `In` this one domain. */
  requirement(domain: number): RequirementId {
    let id = this.#requirements[domain];
    if (id === undefined) {
      id = this.#intern([this.nameOf(domain)]);
      this.#requirements[domain] = id;
    }
    return id;
  }

  /** `In` these domains, of which there is at least one. */
  requirementOfAll(some: readonly number[]): RequirementId {
    return some.length === 1 ? this.requirement(some[0]!) : this.#intern(some.map((domain) => this.nameOf(domain)));
  }

  /** The domains a requirement lists; none if it is open, whatever it excludes. */
  listed(requirement: RequirementId): readonly number[] {
    let listed = this.#listed.get(requirement);
    if (listed === undefined) {
      const { complement, values } = this.#table.get(requirement);
      listed = complement ? [] : [...values].map((value) => this.idOf(value));
      this.#listed.set(requirement, listed);
    }
    return listed;
  }

  #admit(requirement: Requirement): Uint8Array {
    const mask = new Uint8Array(this.size);
    if (requirement.complement) return mask.map((_, domain) => +admits(requirement, this.nameOf(domain)));
    for (const value of requirement.values) {
      const domain = this.#values.find(value);
      if (domain >= 0) mask[domain] = 1;
    }
    return mask;
  }

  #intern(names: readonly string[]): RequirementId {
    return this.#table.intern({ ...anything(this.key), complement: false, values: new Set(names) });
  }
}

/** The domains of every topology key in use. */
export class DomainTables {
  readonly #table: RequirementTable;
  readonly #byKey = new Map<string, Domains>();

  constructor(table: RequirementTable) {
    this.#table = table;
  }

  of(key: string): Domains {
    let domains = this.#byKey.get(key);
    if (domains === undefined) {
      domains = new Domains(key, this.#table);
      this.#byKey.set(key, domains);
    }
    return domains;
  }
}
