import { HostGroup } from '../topology/host-group.ts';
import type { Group } from '../topology/group-lists.ts';
import type { PodRules } from '../topology/topology.ts';
import type { HostPort } from '../failure.ts';

/**
 * What a unit says about the company on its node, and how it counts for others: of the units there, those that count for
 * the rule may be `most` in all.
 */
export interface HostRule {
  readonly id: number;
  /** Infinity if it counts without minding. */
  readonly most: number;
  readonly counts: number;
}

/** Numbers for all that limits who shares a node: spread and anti-affinity by hostname, ports, labels to be left open. */
export class HostRules {
  readonly #ids = new Map<Group | string, number>();
  /** By rule: what all have who count once for it and do not mind. There may be a thousand such pods. */
  readonly #counting: (HostRule | undefined)[] = [];

  get size(): number {
    return this.#ids.size;
  }

  /**
   * Of a pod with these rules. A preference in force binds both sides here: one that upstream's plan satisfies must not be
   * broken by whoever comes later (09 A1).
   */
  of({ binding, counting }: PodRules): readonly HostRule[] {
    const rules: HostRule[] = [];
    const bound = new Set<Group>();
    for (const { group, isSelected } of binding) {
      if (!(group instanceof HostGroup) || group.rule.kind === 'affinity') continue;
      bound.add(group);
      const counts = isSelected ? 1 : 0;
      rules.push({ id: this.#idOf(group), most: group.rule.kind === 'spread' ? group.rule.maxSkew : counts, counts });
    }
    for (const group of counting) {
      if (!(group instanceof HostGroup) || group.rule.kind === 'affinity' || bound.has(group)) continue;
      rules.push(this.#countingFor(this.#idOf(group)));
    }
    return rules.sort((a, b) => a.id - b.id);
  }

  /** Of a pod with these ports. Different addresses could share a port; not worth telling apart. */
  ofPorts(ports: readonly HostPort[]): readonly HostRule[] {
    const taken = new Set(ports.map(({ port, protocol }) => `${port}/${protocol}`));
    return [...taken].map((port) => ({ id: this.#idOf(port), most: 1, counts: 1 }));
  }

  /** Of a unit that must not share a node with whoever narrows this label. */
  keepingOpen(key: number): HostRule {
    return { id: this.#idOf(`open ${key}`), most: 0, counts: 0 };
  }

  /** Of a unit that narrows it. */
  narrowing(key: number): HostRule {
    return this.#countingFor(this.#idOf(`open ${key}`));
  }

  #countingFor(id: number): HostRule {
    this.#counting[id] ??= { id, most: Number.POSITIVE_INFINITY, counts: 1 };
    return this.#counting[id];
  }

  #idOf(what: Group | string): number {
    let id = this.#ids.get(what);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(what, id);
    }
    return id;
  }
}

/** Lists of rules of several pods, which may have some in common, as one list by number. */
export function combine(lists: readonly (readonly HostRule[])[]): readonly HostRule[] {
  const [only, ...others] = lists.filter((list) => list.length > 0);
  if (others.length === 0) return only ?? [];
  const combined = new Map<number, HostRule>();
  for (const rule of [only!, ...others].flat()) {
    const { most, counts } = combined.get(rule.id) ?? { most: Number.POSITIVE_INFINITY, counts: 0 };
    combined.set(rule.id, { id: rule.id, most: Math.min(most, rule.most), counts: counts + rule.counts });
  }
  return [...combined.values()].sort((a, b) => a.id - b.id);
}
