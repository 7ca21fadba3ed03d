import { admitsAbsence, intersect, type Requirement } from '@karpenter-ts/apis';
import { SymbolTable } from '../interning/symbol-table.ts';
import { admitsNothing } from './any-value.ts';

/** A requirement by number: equal requirements have equal numbers. */
export type RequirementId = number;

/**
 * Every requirement seen, once. Two requirements are intersected by the plain model the first time they meet; after that
 * the answer is one look-up. A run meets few distinct pairs however many pods and nodes it has.
 */
export class RequirementTable {
  readonly keys = new SymbolTable();
  /** By number: whether a Node without the label fails it. The plain model forgets that of `Exists` beside `NotIn`. */
  readonly #needsLabel: boolean[] = [];
  readonly #ids = new Map<string, RequirementId>();
  readonly #requirements: Requirement[] = [];
  readonly #keyIds: number[] = [];
  readonly #intersections: (Map<RequirementId, RequirementId> | undefined)[] = [];

  get size(): number {
    return this.#requirements.length;
  }

  intern(requirement: Requirement, needsLabel = !admitsAbsence(requirement)): RequirementId {
    const text = `${canonicalText(requirement)}${needsLabel ? '\0+' : ''}`;
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#requirements.push(requirement) - 1;
    this.#needsLabel.push(needsLabel);
    this.#ids.set(text, id);
    this.#keyIds.push(this.keys.intern(requirement.key));
    return id;
  }

  get(id: RequirementId): Requirement {
    return this.#requirements[id]!;
  }

  keyOf(id: RequirementId): number {
    return this.#keyIds[id]!;
  }

  /** What both admit; they must be about one key. */
  intersect(a: RequirementId, b: RequirementId): RequirementId {
    if (a === b) return a;
    this.#intersections[a] ??= new Map();
    const answers = this.#intersections[a];
    let common = answers.get(b);
    if (common === undefined) {
      common = this.intern(intersect(this.get(a), this.get(b)), this.#needsLabel[a]! || this.#needsLabel[b]!);
      answers.set(b, common);
    }
    return common;
  }

  /** Whether one label can meet both, or be absent and meet both (spec 02 §9.4). */
  areCompatible(a: RequirementId, b: RequirementId): boolean {
    return !this.isImpossible(this.intersect(a, b));
  }

  /** Whether no Node meets it: no value is left, and the label may not be absent either. */
  isImpossible(id: RequirementId): boolean {
    return this.#needsLabel[id]! && admitsNothing(this.get(id));
  }

  admitsAbsence(id: RequirementId): boolean {
    return !this.#needsLabel[id]!;
  }
}

/** Equal for equal requirements only: NUL stands in no label. */
function canonicalText({ key, complement, values, lowest, highest, minValues }: Requirement): string {
  const listed = values.size > 1 ? [...values].sort().join('\0') : values.values().next().value;
  return `${key}\0${complement ? '!' : ''}${lowest ?? ''}\0${highest ?? ''}\0${minValues ?? ''}\0${values.size}\0${listed}`;
}
