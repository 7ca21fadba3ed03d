import {
  HOSTNAME_LABEL,
  type Incompatibility,
  intersect,
  type Requirement,
  type Requirements,
} from '@karpenter-ts/apis';
import type { RequirementId, RequirementTable } from './requirement-table.ts';

/** Requirements on distinct keys other than the hostname. Equal sets are the same object. */
export class RequirementSet {
  readonly id: number;
  /** Ascending by key number. */
  readonly ids: readonly RequirementId[];
  readonly hasMinValues: boolean;
  /** Whether its requirements contradict each other, so that no Node meets them. */
  readonly isImpossible: boolean;
  readonly #byKey: ReadonlyMap<number, RequirementId>;
  /** Answers of `RequirementSets`, by the other set's number. */
  readonly accepted = { strictly: new Map<number, boolean>(), loosely: new Map<number, boolean>() };
  readonly merged = new Map<number, RequirementSet>();

  constructor(id: number, table: RequirementTable, ids: readonly RequirementId[]) {
    this.id = id;
    this.ids = ids;
    this.hasMinValues = ids.some((requirement) => table.get(requirement).minValues !== undefined);
    this.isImpossible = ids.some((requirement) => table.isImpossible(requirement));
    this.#byKey = new Map(ids.map((requirement) => [table.keyOf(requirement), requirement]));
  }

  /** The requirement on a key, or −1. */
  find(key: number): RequirementId {
    return this.#byKey.get(key) ?? -1;
  }
}

/**
 * What a pod or a volume asks of a node. The hostname stands apart because each node has its own: as a part of the set
 * it would make every node's set another one.
 */
export interface NodeNeeds {
  readonly set: RequirementSet;
  readonly hostname: Requirement | undefined;
}

/** Whether they contradict each other, so that no Node meets them. Every Node has a hostname. */
export function areImpossible({ set, hostname }: NodeNeeds): boolean {
  return set.isImpossible || (hostname !== undefined && !hostname.complement && hostname.values.size === 0);
}

/**
 * `strictly`: a label that is not defined is absent. `loosely`: a well-known label that is not defined may yet have any
 * value, as on a node still to be bought.
 */
export type Mode = 'strictly' | 'loosely';

/** Every requirement set seen, once, with the answers of comparing and merging them. */
export class RequirementSets {
  readonly table: RequirementTable;
  readonly empty: RequirementSet;
  readonly #wellKnown: ReadonlySet<string>;
  readonly #sets = new Map<string, RequirementSet>();
  readonly #plain = new Map<RequirementSet, Requirements>();
  readonly #toDefine = new Map<RequirementSet, readonly number[]>();

  constructor(table: RequirementTable, wellKnown: ReadonlySet<string>) {
    this.table = table;
    this.#wellKnown = wellKnown;
    this.empty = this.#intern([]);
  }

  /** All of these at once: those of one key are intersected, and what contradicts itself stays impossible. */
  from(requirements: Iterable<Requirement>): NodeNeeds {
    const byKey = new Map<number, RequirementId>();
    let hostname: Requirement | undefined;
    for (const requirement of requirements) {
      if (requirement.key === HOSTNAME_LABEL) {
        hostname = hostname === undefined ? requirement : intersect(hostname, requirement);
        continue;
      }
      const id = this.table.intern(requirement);
      const present = byKey.get(this.table.keyOf(id));
      byKey.set(this.table.keyOf(id), present === undefined ? id : this.table.intersect(present, id));
    }
    return { set: this.#intern(this.#sorted([...byKey.values()])), hostname };
  }

  /** Whether a node with `existing` meets `incoming` (spec 02 §9.4). */
  accepts(existing: RequirementSet, incoming: RequirementSet, mode: Mode): boolean {
    if (incoming.ids.length === 0) return true;
    const answers = existing.accepted[mode];
    let answer = answers.get(incoming.id);
    if (answer === undefined) {
      answer = incoming.ids.every((requirement) => this.#acceptsOne(existing, requirement, mode));
      answers.set(incoming.id, answer);
    }
    return answer;
  }

  /** Where `existing` conflicts with `incoming`, on a new node; it is empty if the set is accepted loosely. */
  findConflicts(existing: RequirementSet, incoming: RequirementSet): readonly Incompatibility[] {
    const { table } = this;
    const refused = incoming.ids.filter((id) => !this.#acceptsOne(existing, id, 'loosely'));
    return refused.map((id) => {
      const present = existing.find(table.keyOf(id));
      const { key } = table.get(id);
      if (present < 0) return { why: 'UndefinedLabel', key, typoOf: undefined };
      return { why: 'NoCommonValue', key, incoming: table.get(id), existing: table.get(present) };
    });
  }

  /** Both at once. They need not be compatible. */
  merge(existing: RequirementSet, incoming: RequirementSet): RequirementSet {
    if (incoming.ids.length === 0) return existing;
    let result = existing.merged.get(incoming.id);
    if (result === undefined) {
      result = this.#merge(existing, incoming.ids);
      existing.merged.set(incoming.id, result);
    }
    return result;
  }

  /** The set with one requirement more, intersected with what it has on that key. */
  with(set: RequirementSet, requirement: RequirementId): RequirementSet {
    return this.merge(set, this.#intern([requirement]));
  }

  /** The set with one requirement in the place of what it has on that key. */
  withReplaced(set: RequirementSet, requirement: RequirementId): RequirementSet {
    const key = this.table.keyOf(requirement);
    const others = set.ids.filter((id) => this.table.keyOf(id) !== key);
    return this.#intern(this.#sorted([...others, requirement]));
  }

  /** Whether a key that a set does not define may have any value, in this mode. */
  isOpen(key: number, mode: Mode): boolean {
    return mode === 'loosely' && this.#wellKnown.has(this.table.keys.nameOf(key));
  }

  /** The labels a node must have to meet the set and cannot be given by being bought: custom ones. */
  labelsToDefine(set: RequirementSet): readonly number[] {
    let keys = this.#toDefine.get(set);
    if (keys === undefined) {
      const needed = set.ids.filter((id) => !this.table.admitsAbsence(id)).map((id) => this.table.keyOf(id));
      keys = needed.filter((key) => !this.isOpen(key, 'loosely'));
      this.#toDefine.set(set, keys);
    }
    return keys;
  }

  /** As the plain model has it; the same for equal sets. */
  toRequirements(set: RequirementSet): Requirements {
    let requirements = this.#plain.get(set);
    if (requirements === undefined) {
      const plain = set.ids.map((id) => this.table.get(id));
      requirements = new Map(plain.map((requirement) => [requirement.key, requirement]));
      this.#plain.set(set, requirements);
    }
    return requirements;
  }

  #acceptsOne(existing: RequirementSet, incoming: RequirementId, mode: Mode): boolean {
    const key = this.table.keyOf(incoming);
    const present = existing.find(key);
    if (present >= 0) return this.table.areCompatible(present, incoming);
    return (this.isOpen(key, mode) && !this.table.isImpossible(incoming)) || this.table.admitsAbsence(incoming);
  }

  #merge(existing: RequirementSet, incoming: readonly RequirementId[]): RequirementSet {
    const ids = [...existing.ids];
    for (const requirement of incoming) {
      const at = ids.findIndex((id) => this.table.keyOf(id) === this.table.keyOf(requirement));
      if (at < 0) ids.push(requirement);
      else ids[at] = this.table.intersect(ids[at]!, requirement);
    }
    return this.#intern(this.#sorted(ids));
  }

  #sorted(ids: RequirementId[]): RequirementId[] {
    return ids.sort((a, b) => this.table.keyOf(a) - this.table.keyOf(b));
  }

  #intern(ids: readonly RequirementId[]): RequirementSet {
    const text = ids.join();
    let set = this.#sets.get(text);
    if (set === undefined) {
      set = new RequirementSet(this.#sets.size, this.table, ids);
      this.#sets.set(text, set);
    }
    return set;
  }
}
