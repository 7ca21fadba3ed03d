import type { Constraints } from '../model/pods/constraints.ts';
import type { PodKind } from '../model/pods/pod-class.ts';
import type { Domains } from '../model/requirements/domains.ts';
import type { TopologyRule } from './rule.ts';

/** The domains to which the pods of one run may go. The run may buy nodes in these domains. */
export class ReachableDomains {
  readonly #constraints = new Set<Constraints>();
  /** By key: 1 for each domain that some pod may go to, 0 beyond the end; `null` if some pod may go to all of them. */
  readonly #masks = new Map<number, Uint8Array | null>();

  /** Adds where pods of a kind may go. It must be called for every kind of the run before anything is asked. */
  add({ constraints }: PodKind): void {
    this.#constraints.add(constraints);
  }

  /**
   * Of the domains that are offered, those in which this run may buy nodes that a rule looks at. The kube-scheduler will
   * look at them once they are there, whether or not pods of that rule can go there.
   */
  expected({ filter }: TopologyRule, domains: Domains, offered: readonly number[]): readonly number[] {
    const reached = this.#maskOf(domains);
    const asked = filter?.alternatives?.map(({ set }) => set.find(domains.keyId));
    const isLookedAt = (domain: number) =>
      asked === undefined ||
      asked.some((requirement) => requirement < 0 || domains.admitted(requirement)[domain] === 1);
    return offered.filter((domain) => (reached === null || reached[domain] === 1) && isLookedAt(domain));
  }

  #maskOf(domains: Domains): Uint8Array | null {
    let mask = this.#masks.get(domains.keyId);
    if (mask === undefined) {
      mask = this.#reached(domains);
      this.#masks.set(domains.keyId, mask);
    }
    return mask;
  }

  #reached(domains: Domains): Uint8Array | null {
    const mask = new Uint8Array(domains.size);
    for (const { stages } of this.#constraints) {
      for (const { strictNeeds, contradictions } of stages) {
        if (contradictions.length > 0) continue;
        const requirement = strictNeeds.set.find(domains.keyId);
        if (requirement < 0) return null;
        markAdmitted(mask, domains, requirement);
      }
    }
    return mask;
  }
}

function markAdmitted(mask: Uint8Array, domains: Domains, requirement: number): void {
  const listed = domains.listed(requirement);
  for (const domain of listed) mask[domain] = 1;
  if (listed.length > 0) return;
  const admitted = domains.admitted(requirement);
  for (let domain = 0; domain < mask.length; domain++) mask[domain]! |= admitted[domain]!;
}
