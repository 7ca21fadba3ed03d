import type { Stage } from '../model/pods/constraints.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import type { PodKind } from '../model/pods/pod-class.ts';
import { HostGroup } from '../topology/host-group.ts';
import { LabelGroup } from '../topology/label-group.ts';
import type { Group } from '../topology/group-lists.ts';
import type { Topology } from '../topology/topology.ts';
import type { Effort } from './effort.ts';
import type { HostRule, HostRules } from './host-rules.ts';

/** What rules of topology have to do with a pod that may move. */
export interface MemberRules {
  /** Labels by which rules find, count or keep away the pod, ascending. */
  readonly keys: readonly number[];
  /** Affinities by hostname that bind it, and all that draw others to it or it to others. */
  readonly affinities: readonly HostGroup[];
  readonly drawnTo: readonly HostGroup[];
  /** Other rules by hostname, ascending. Equal lists have the same number. */
  readonly hostRules: readonly HostRule[];
  readonly hostRulesId: number;
}

/** What one rule of some pod costs to look at, in steps. */
const STEPS_PER_RULE = 6;

/** The rules of all kinds of pods at all stages, each worked out once: a pod may count for a thousand rules of others. */
export class MemberRulesTable {
  readonly #topology: Topology;
  readonly #hostRules: HostRules;
  readonly #effort: Effort;
  /** By kind, then by stage. */
  readonly #known = new Map<PodKind, (MemberRules | undefined)[]>();

  readonly #ruleLists = new Map<string, number>();

  constructor(topology: Topology, hostRules: HostRules, effort: Effort) {
    this.#topology = topology;
    this.#hostRules = hostRules;
    this.#effort = effort;
  }

  of({ queued, stage }: HistoryEntry): MemberRules {
    const { kind } = queued.podClass;
    let stages = this.#known.get(kind);
    if (stages === undefined) {
      stages = [];
      this.#known.set(kind, stages);
    }
    stages[stage.index] ??= this.#work(kind, stage);
    return stages[stage.index]!;
  }

  #work(kind: PodKind, stage: Stage): MemberRules {
    const rules = this.#topology.podRules(kind, stage);
    const bound = rules.binding.map(({ group }) => group);
    const keys = new Set<number>();
    for (const groups of [bound, rules.inverse, rules.counting]) {
      this.#effort.spend(STEPS_PER_RULE * groups.length);
      for (const group of groups) if (group instanceof LabelGroup) keys.add(group.domains.keyId);
    }
    const affinities = bound.filter(isHostAffinity);
    const hostRules = this.#hostRules.of(rules);
    return {
      keys: [...keys].sort((a, b) => a - b),
      affinities,
      drawnTo: [...new Set([...affinities, ...rules.counting.filter(isHostAffinity)])],
      hostRules,
      hostRulesId: this.#numberOf(hostRules),
    };
  }

  #numberOf(rules: readonly HostRule[]): number {
    const text = rules.map(
      ({ id, most, counts }) => `${id}:${most === Number.POSITIVE_INFINITY ? '' : most}:${counts}`,
    );
    const known = this.#ruleLists.get(text.join());
    if (known !== undefined) return known;
    this.#ruleLists.set(text.join(), this.#ruleLists.size);
    return this.#ruleLists.size - 1;
  }
}

function isHostAffinity(group: Group): group is HostGroup {
  return group instanceof HostGroup && group.rule.kind === 'affinity';
}
