import type { ProviderProfile } from '@karpenter-ts/apis';
import type { BitSet } from '../model/interning/bit-set.ts';
import type { NodeSelectorTerm } from '@karpenter-ts/kubernetes';
import { requirementsOf } from '../model/pods/constraints.ts';
import type { Demand, Demands } from '../packing/demand.ts';
import type { InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import type { RequirementSet, RequirementSets } from '../model/requirements/requirement-set.ts';
import type { RequirementId } from '../model/requirements/requirement-table.ts';
import type { Member, Unit } from './unit.ts';

export interface NeedTables {
  readonly sets: RequirementSets;
  readonly demands: Demands;
  readonly profile: ProviderProfile;
}

/** What a unit needs of whatever node it moves to. */
export interface UnitNeeds {
  readonly set: RequirementSet;
  /** Labels that topology looks at and upstream's plan left open: they stay so, or counts would change. */
  readonly openKeys: readonly number[];
}

/**
 * What units need: what their pods ask for at the stage they were placed, the preferences their node happens to meet, and
 * the domains topology gave them. With each pod in the domain where upstream has it, every count by domain is as it was
 * when upstream placed that pod, so no rule on labels can fail.
 */
export class Needs {
  readonly #tables: NeedTables;
  readonly #terms = new Map<NodeSelectorTerm, RequirementSet>();

  constructor(tables: NeedTables) {
    this.#tables = tables;
  }

  of({ members, node }: Unit): UnitNeeds {
    const { sets } = this.#tables;
    const keys = [...new Set(members.flatMap(({ rules }) => rules.keys))].sort((a, b) => a - b);
    let set = sets.empty;
    for (const member of members) set = sets.merge(set, this.#asked(member, node));
    for (const key of keys) if (node.set.find(key) >= 0) set = sets.with(set, node.set.find(key));
    return { set, openKeys: keys.filter((key) => node.set.find(key) < 0) };
  }

  #asked({ entry: { queued, stage } }: Member, node: InFlightNode): RequirementSet {
    const { sets, demands } = this.#tables;
    const demand = demands.of(queued.podClass, stage);
    let asked = sets.merge(demand.needs.set, this.#volumeNeeds(demand, node.set));
    for (const { preference } of queued.podClass.kind.constraints.stages[0]!.preferences.preferredNodeTerms) {
      const preferred = this.#termOf(preference);
      if (preferred.ids.every((id) => this.#isGranted(id, node))) asked = sets.merge(asked, preferred);
    }
    return asked;
  }

  /** By what the node is asked to be; a label it is not asked for is absent unless its types bring it along. */
  #isGranted(preference: RequirementId, { set, template, variants }: InFlightNode): boolean {
    const { table } = this.#tables.sets;
    const present = set.find(table.keyOf(preference));
    if (present >= 0) return table.intersect(present, preference) === present;
    if (!table.admitsAbsence(preference)) return false;
    const { catalogue } = template.market;
    const { key } = table.get(preference);
    const brings = (one: { readonly variants: BitSet }) => one.variants.overlaps(variants);
    return !(
      catalogue.declarations(key).some(brings) ||
      catalogue.kinds.some((kind) => kind.requirements.has(key) && brings(kind))
    );
  }

  /** Of the alternatives, the one upstream will have taken: the first that its node agrees with. */
  #volumeNeeds({ volumeAlternatives }: Demand, given: RequirementSet): RequirementSet {
    const { sets } = this.#tables;
    return (volumeAlternatives.find(({ set }) => sets.merge(given, set) === given) ?? volumeAlternatives[0]!).set;
  }

  #termOf(term: NodeSelectorTerm): RequirementSet {
    let set = this.#terms.get(term);
    if (set === undefined) {
      const { sets, profile } = this.#tables;
      set = sets.from(requirementsOf(term, profile)).set;
      this.#terms.set(term, set);
    }
    return set;
  }
}
