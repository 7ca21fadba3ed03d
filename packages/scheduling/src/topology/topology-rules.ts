import type { Stage } from '../model/pods/constraints.ts';
import type { PodKind } from '../model/pods/pod-class.ts';
import { inverseRulesOf, rulesOf, type RuleTables, type TopologyRule } from './rule.ts';

/** The rules of every kind of pod, each worked out once for all runs. */
export class TopologyRules {
  readonly #tables: RuleTables;
  /** By kind, then by stage. */
  readonly #binding: (readonly TopologyRule[])[][] = [];
  readonly #inverse: (readonly TopologyRule[])[] = [];

  constructor(tables: RuleTables) {
    this.#tables = tables;
  }

  /** The rules pods of a kind are placed by at a stage. */
  binding(kind: PodKind, stage: Stage): readonly TopologyRule[] {
    this.#binding[kind.id] ??= [];
    const stages = this.#binding[kind.id]!;
    stages[stage.index] ??= rulesOf(this.#owner(kind, stage), this.#tables);
    return stages[stage.index]!;
  }

  /** The rules by which pods of a kind keep others away; no relaxing changes these. */
  inverse(kind: PodKind): readonly TopologyRule[] {
    const stage = kind.constraints.stages[0]!;
    this.#inverse[kind.id] ??= inverseRulesOf(this.#owner(kind, stage), this.#tables);
    return this.#inverse[kind.id]!;
  }

  #owner({ constraints, identity }: PodKind, { preferences, tolerations }: Stage) {
    return { pod: constraints.example, identity, preferences, tolerations };
  }
}
