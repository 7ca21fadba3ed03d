import type { DaemonNeighbour } from '../packing/daemon-peers.ts';
import type { RequirementSet } from '../model/requirements/requirement-set.ts';
import type { ResourceVector } from '../model/resources/resource-table.ts';
import type { Effort } from './effort.ts';
import { combine, type HostRule, HostRules } from './host-rules.ts';
import { Needs, type NeedTables } from './needs.ts';
import type { Unit } from './unit.ts';

/** Units that nothing tells apart but their names: any of them can take the place of another. */
export interface PodGroup extends UnitTerms, DaemonNeighbour {
  readonly id: number;
  /** In upstream's order. */
  readonly units: Unit[];
  /** Of one unit. */
  readonly requests: ResourceVector;
  /** Of its pods. */
  readonly tolerations: readonly number[];
  readonly needs: RequirementSet;
  hostRules: readonly HostRule[];
}

/** What the units of one of upstream's nodes have in common. */
export interface UnitTerms {
  /** Pools lighter than this are closed to it. */
  readonly leastWeight: number;
  /** How many instance types it must be left to choose from where spot is bought. */
  readonly leastTypes: number;
}

/** What it takes to look at a pod, at a rule, and to find the pod group of a unit, in steps. */
const STEPS_PER_MEMBER = 8;
const STEPS_PER_RULE = 2;
const STEPS_PER_GROUP = 60;

/** Units sorted into pod groups. */
export class PodGroups {
  readonly all: PodGroup[] = [];
  readonly hostRules = new HostRules();
  readonly #tables: NeedTables;
  readonly #needs: Needs;
  readonly #byText = new Map<string, PodGroup>();
  readonly #openKeys = new Set<number>();
  readonly #effort: Effort;

  constructor(tables: NeedTables, effort: Effort) {
    this.#tables = tables;
    this.#needs = new Needs(tables);
    this.#effort = effort;
  }

  /** Takes in the units of one node. */
  add(units: readonly Unit[], terms: UnitTerms): void {
    const onNode = new Map<string, PodGroup>();
    for (const unit of units) {
      this.#effort.spend(STEPS_PER_MEMBER * unit.members.length);
      const text = unit.members.map(({ entry }) => `${entry.queued.podClass.id} ${entry.stage.index}`).join();
      let group = onNode.get(text);
      if (group === undefined) {
        group = this.#groupOf(unit, terms);
        onNode.set(text, group);
      }
      group.units.push(unit);
    }
  }

  /** To be called when all units are in: those that narrow a label must keep away from those that leave it open. */
  close(): void {
    for (const group of this.all) {
      this.#effort.spend(this.#openKeys.size);
      const narrowed = [...this.#openKeys].filter((key) => group.needs.find(key) >= 0);
      if (narrowed.length === 0) continue;
      this.#effort.spend(STEPS_PER_RULE * group.hostRules.length);
      group.hostRules = combine([group.hostRules, ...narrowed.map((key) => [this.hostRules.narrowing(key)])]);
    }
  }

  #groupOf(unit: Unit, { leastWeight, leastTypes }: UnitTerms): PodGroup {
    const demands = unit.members.map(({ entry }) => this.#tables.demands.of(entry.queued.podClass, entry.stage));
    const { set: needs, openKeys } = this.#needs.of(unit);
    const rules = [
      ...unit.members.map(({ rules }) => rules.hostRules),
      ...demands.map(({ ports }) => this.hostRules.ofPorts(ports)),
      ...openKeys.map((key) => [this.hostRules.keepingOpen(key)]),
    ];
    this.#effort.spend(rules.reduce((sum, { length }) => sum + STEPS_PER_RULE * length, STEPS_PER_GROUP));
    for (const key of openKeys) this.#openKeys.add(key);
    const ruleText = `${unit.members.map(({ rules }) => rules.hostRulesId).join()} ${openKeys.join()}`;
    const text = `${demands.map(({ id }) => id).join()} ${needs.id} ${leastWeight} ${leastTypes} ${ruleText}`;
    let group = this.#byText.get(text);
    if (group === undefined) {
      group = {
        id: this.all.length,
        units: [],
        requests: sum(demands.map(({ requests }) => requests)),
        ports: demands.flatMap(({ ports }) => ports),
        avoided: [...new Set(demands.flatMap(({ avoided }) => avoided))],
        tolerations: [...new Set(demands.map(({ tolerations }) => tolerations))],
        needs,
        leastWeight,
        leastTypes,
        hostRules: combine(rules),
      };
      this.all.push(group);
      this.#byText.set(text, group);
    }
    return group;
  }
}

function sum(vectors: readonly ResourceVector[]): ResourceVector {
  const total = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) for (let r = 0; r < total.length; r++) total[r]! += vector[r]!;
  return total;
}
