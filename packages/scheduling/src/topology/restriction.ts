import type { Mode, RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';
import type { RequirementId } from '../requirements/requirement-table.ts';
import type { HostDemand } from './host-group.ts';
import type { KeyChoice } from './key-choice.ts';

/** What all rules together leave a pod in this attempt: domains by key, and how full its host may be. */
export class Restriction {
  readonly choices: readonly KeyChoice[];
  readonly hosts: readonly HostDemand[];
  /** Whether no node at all is left. */
  readonly isHopeless: boolean;
  readonly #sets: RequirementSets;

  constructor(choices: readonly KeyChoice[], hosts: readonly HostDemand[], sets: RequirementSets) {
    this.choices = choices;
    this.hosts = hosts;
    this.isHopeless = choices.some((choice) => choice.isEmpty());
    this.#sets = sets;
  }

  /** Equal for restrictions that leave the same domains, hosts aside; `undefined` if a key has too many for that. */
  get signature(): string | undefined {
    let text = '';
    for (const choice of this.choices) {
      const { signature } = choice;
      if (signature === undefined) return undefined;
      text += `${signature} `;
    }
    return text;
  }

  /** The sets a node may be narrowed to for the pod, in the order to try; `undefined` if the rules forbid it. */
  narrow(set: RequirementSet, mode: Mode): Iterable<RequirementSet> | undefined {
    const options: (readonly RequirementId[])[] = [];
    for (const choice of this.choices) {
      const requirement = set.find(choice.domains.keyId);
      if (requirement < 0 && !this.#sets.isOpen(choice.domains.keyId, mode)) return undefined;
      const narrower = choice.narrow(requirement);
      if (narrower.length === 0) return undefined;
      if (narrower.length > 1 || narrower[0] !== requirement) options.push(narrower);
    }
    return options.length === 0 ? [set] : this.#combine(set, options);
  }

  /** One by one: of all combinations of domains the first will usually do. */
  *#combine(set: RequirementSet, options: readonly (readonly RequirementId[])[]): Generator<RequirementSet> {
    const [own, ...rest] = options;
    if (own === undefined) {
      yield set;
      return;
    }
    for (const option of own) yield* this.#combine(this.#sets.with(set, option), rest);
  }
}
