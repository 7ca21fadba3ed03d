import { HOSTNAME_LABEL, normalizeLabelKey, type ProviderProfile, toLabelRequirements } from '@karpenter-ts/apis';
import type { TaintTable } from '../pods/taints.ts';
import { SymbolTable } from '../interning/symbol-table.ts';
import type { RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';
import type { ExistingNode } from '../../snapshot.ts';

/** A node of the snapshot in numbers. */
export interface ClusterNode {
  readonly index: number;
  readonly source: ExistingNode;
  readonly hostname: string;
  /** Number of the hostname. */
  readonly host: number;
  /** Its labels, as far as anything refers to them. */
  readonly set: RequirementSet;
  readonly taints: number;
  /** The Node object, by which topology counts; `undefined` while there is none. */
  readonly facts: (FilteredNode & { readonly host: number }) | undefined;
}

/** What a filter looks at. */
export interface FilteredNode {
  readonly set: RequirementSet;
  readonly taints: number;
  readonly hostname: string | undefined;
}

export interface ClusterTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly profile: ProviderProfile;
}

/** All nodes: first those pods may land on, in the order they are tried (spec 02 §7.8), then those that are being deleted. */
export class ClusterNodes {
  readonly all: ClusterNode[] = [];
  /** How many pods may land on. */
  readonly schedulableCount: number;
  readonly hosts = new SymbolTable();
  /** Whether each open node's number is its host's: the rule, unless two nodes claim one hostname. */
  readonly isAligned: boolean;
  readonly #sources: readonly ExistingNode[];
  readonly #byProviderId = new Map<string, ClusterNode>();
  readonly #labelSets: LabelSets;
  readonly #tables: ClusterTables;

  constructor(
    nodes: readonly ExistingNode[],
    deletingNodes: readonly ExistingNode[],
    nodeLabels: ReadonlySet<string>,
    tables: ClusterTables,
  ) {
    this.#labelSets = new LabelSets(nodeLabels, tables);
    const ordered = nodes.toSorted(compareNodes);
    for (const node of ordered) this.hosts.intern(hostnameOf(node));
    this.isAligned = this.hosts.size === ordered.length;
    this.schedulableCount = ordered.length;
    this.#sources = [...ordered, ...deletingNodes];
    this.#tables = tables;
  }

  /** Reads one node after the other; `undefined` when all are read. */
  readNext(): ClusterNode | undefined {
    const source = this.#sources[this.all.length];
    if (source === undefined) return undefined;
    const hostname = hostnameOf(source);
    const node = {
      index: this.all.length,
      source,
      hostname,
      host: this.hosts.intern(hostname),
      set: this.#labelSets.of(source.labels),
      taints: this.#tables.taints.internTaints(source.taints),
      facts: this.#factsOf(source),
    };
    this.all.push(node);
    this.#byProviderId.set(source.providerId, node);
    return node;
  }

  find(providerId: string): ClusterNode | undefined {
    return this.#byProviderId.get(providerId);
  }

  #factsOf({ name, node }: ExistingNode) {
    if (node === undefined) return undefined;
    const hostname = node.labels[HOSTNAME_LABEL];
    return {
      set: this.#labelSets.of(node.labels),
      taints: this.#tables.taints.internTaints(node.taints),
      hostname,
      host: this.hosts.intern(hostname ?? name),
    };
  }
}

function hostnameOf({ name, labels }: ExistingNode): string {
  return labels[HOSTNAME_LABEL] || name;
}

/** Initialised first, so that nothing waits for a node that may never come up; then by name. */
function compareNodes(a: ExistingNode, b: ExistingNode): number {
  if (a.initialized !== b.initialized) return a.initialized ? -1 : 1;
  return a.name < b.name ? -1 : +(a.name > b.name);
}

/** The sets of nodes' labels, reduced to the labels that anything refers to. Thousands of nodes have a handful of such sets. */
class LabelSets {
  readonly #nodeLabels: ReadonlySet<string>;
  readonly #tables: ClusterTables;
  readonly #byText = new Map<string, RequirementSet>();

  constructor(nodeLabels: ReadonlySet<string>, tables: ClusterTables) {
    this.#nodeLabels = nodeLabels;
    this.#tables = tables;
  }

  of(labels: Readonly<Record<string, string>>): RequirementSet {
    const { sets, profile } = this.#tables;
    const relevant: Record<string, string> = {};
    let text = '';
    for (const key in labels) {
      const known = normalizeLabelKey(key, profile);
      if (known === HOSTNAME_LABEL || !this.#nodeLabels.has(known)) continue;
      relevant[key] = labels[key]!;
      text += `${key}=${labels[key]} `;
    }
    let set = this.#byText.get(text);
    if (set === undefined) {
      set = sets.from(toLabelRequirements(relevant, profile).values()).set;
      this.#byText.set(text, set);
    }
    return set;
  }
}
