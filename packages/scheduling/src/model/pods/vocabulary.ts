import { normalizeLabelKey, type ProviderProfile } from '@karpenter-ts/apis';
import type { NodeSelectorTerm, Pod, PodAffinity } from '@karpenter-ts/kubernetes';
import { selectorKeys } from './selector.ts';

/**
 * The labels anything in a snapshot asks about. All others are left out of what is compared: so nodes that differ only
 * by provider id, and pods that differ only by ordinal, count as equal.
 */
export class Vocabulary {
  /** Of nodes: in node selectors, node affinity, volumes, topology keys. */
  readonly nodeLabels = new Set<string>();
  /** Of pods: in the selectors of spread, affinity and anti-affinity. */
  readonly podLabels = new Set<string>();
  readonly #profile: ProviderProfile;
  #isClosed = false;
  #isExceeded = false;

  constructor(profile: ProviderProfile) {
    this.#profile = profile;
  }

  /** From here on new words are an excess. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether words came up after closing; what was built before does not know them. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  read({ spec }: Pod): void {
    for (const key in spec.nodeSelector) this.addNodeLabel(key);
    const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
    for (const term of nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []) {
      this.#readTerm(term);
    }
    for (const { preference } of nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
      this.#readTerm(preference);
    }
    this.#readAffinity(podAffinity);
    this.#readAffinity(podAntiAffinity);
    for (const { topologyKey, labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? []) {
      this.addNodeLabel(topologyKey);
      this.#addPodLabels(selectorKeys(labelSelector));
      this.#addPodLabels(matchLabelKeys ?? []);
    }
  }

  addNodeLabel(key: string): void {
    this.#add(this.nodeLabels, normalizeLabelKey(key, this.#profile));
  }

  #readTerm({ matchExpressions = [] }: NodeSelectorTerm): void {
    for (const { key } of matchExpressions) this.addNodeLabel(key);
  }

  #readAffinity(affinity: PodAffinity | undefined): void {
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const { topologyKey, labelSelector } of [...required, ...preferred.map((term) => term.podAffinityTerm)]) {
      this.addNodeLabel(topologyKey);
      this.#addPodLabels(selectorKeys(labelSelector));
    }
  }

  #addPodLabels(keys: readonly string[]): void {
    for (const key of keys) this.#add(this.podLabels, key);
  }

  #add(words: Set<string>, word: string): void {
    if (words.has(word)) return;
    words.add(word);
    if (this.#isClosed) this.#isExceeded = true;
  }
}
