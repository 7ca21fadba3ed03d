import type { TaintTable } from '../../model/pods/taints.ts';
import { BitSet } from '../../model/interning/bit-set.ts';
import { SparseSet } from '../../model/interning/sparse-set.ts';
import type { Demand } from '../demand.ts';
import { LabelIndex } from '../../model/requirements/label-index.ts';
import type { RequirementSet, RequirementSets } from '../../model/requirements/requirement-set.ts';
import type { ClusterNode } from '../../model/nodes/cluster-nodes.ts';

/** Nodes with the same labels and taints. */
interface NodesAlike {
  readonly set: RequirementSet;
  readonly taints: number;
  readonly nodes: SparseSet;
}

/**
 * Existing nodes grouped by labels and taints. Thousands of nodes usually form a handful of groups. Where each node has a
 * label or a taint of its own, an index over labels and taints avoids asking every group.
 */
export class NodesByLabels {
  readonly #tables: { readonly sets: RequirementSets; readonly taints: TaintTable };
  readonly #all: NodesAlike[] = [];
  readonly #byText = new Map<string, NodesAlike>();
  readonly #labels: LabelIndex;
  /** By the key of the first taint; `undefined` for nodes without any. */
  readonly #byTaint = new Map<string | undefined, SparseSet>();
  readonly #candidates = new BitSet();

  constructor(tables: { readonly sets: RequirementSets; readonly taints: TaintTable }) {
    this.#tables = tables;
    this.#labels = new LabelIndex(tables.sets, 'strictly');
  }

  add({ index, set, taints }: ClusterNode): void {
    const text = `${set.id} ${taints}`;
    let kind = this.#byText.get(text);
    if (kind === undefined) {
      kind = { set, taints, nodes: new SparseSet() };
      this.#byText.set(text, kind);
      this.#index(kind, this.#all.push(kind) - 1);
    }
    kind.nodes.add(index);
  }

  /** Adds to `nodes` those whose labels and taints admit a demand. */
  findOpen(nodes: BitSet, { tolerations, needs }: Pick<Demand, 'tolerations' | 'needs'>): void {
    const { sets, taints } = this.#tables;
    const candidates = this.#candidates;
    this.#findTolerable(candidates, tolerations);
    this.#labels.restrict(candidates, needs.set);
    for (let i = candidates.next(0); i >= 0; i = candidates.next(i + 1)) {
      const kind = this.#all[i]!;
      if (!taints.tolerates(tolerations, kind.taints) || !sets.accepts(kind.set, needs.set, 'strictly')) continue;
      kind.nodes.uniteInto(nodes);
    }
  }

  /** A toleration is for one key, or for all. */
  #findTolerable(kinds: BitSet, tolerations: number): void {
    const keys = new Set(this.#tables.taints.tolerations(tolerations).map(({ key }) => key || undefined));
    if (keys.has(undefined)) {
      kinds.fill(this.#all.length);
      return;
    }
    kinds.clear();
    for (const key of [undefined, ...keys]) this.#byTaint.get(key)?.uniteInto(kinds);
  }

  #index(kind: NodesAlike, i: number): void {
    this.#labels.set(i, kind.set);
    const key = this.#tables.taints.taints(kind.taints)[0]?.key;
    let kinds = this.#byTaint.get(key);
    if (kinds === undefined) {
      kinds = new SparseSet();
      this.#byTaint.set(key, kinds);
    }
    kinds.add(i);
  }
}
