import type { Mode, RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';
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

  /** The sets a node may be narrowed to for the pod, in the order to try; empty if the rules forbid it. */
  narrow(set: RequirementSet, mode: Mode): readonly RequirementSet[] {
    if (this.choices.length === 0) return [set];
    let narrowed: readonly RequirementSet[] = [set];
    for (const choice of this.choices) {
      const requirement = set.find(choice.domains.keyId);
      if (requirement < 0 && !this.#sets.isOpen(choice.domains.keyId, mode)) return [];
      const options = choice.narrow(requirement);
      if (options.length === 0) return [];
      if (options.length === 1 && options[0] === requirement) continue;
      narrowed = narrowed.flatMap((one) => options.map((option) => this.#sets.with(one, option)));
    }
    return narrowed;
  }
}
