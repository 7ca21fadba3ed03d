import { normalizeLabelKey, type ProviderProfile } from '@karpenter-ts/apis';
import type { NodeSelectorTerm, Pod, PodAffinity } from '@karpenter-ts/kubernetes';
import { selectorKeys } from './selector.ts';

/**
 * The labels that anything in a snapshot refers to. Comparisons ignore all other labels. So nodes that differ only by
 * provider id count as equal, and so do pods that differ only by ordinal.
 */
export class ReferencedLabels {
  /** Of nodes: in node selectors, node affinity, volumes, topology keys. */
  readonly nodeLabels = new Set<string>();
  /** Of pods: in the selectors of spread, affinity and anti-affinity. */
  readonly podLabels = new Set<string>();
  readonly #profile: ProviderProfile;
  #isClosed = false;
  #hasLateLabels = false;

  constructor(profile: ProviderProfile) {
    this.#profile = profile;
  }

  /** Everything that was built from these labels relies on them being complete from here on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether a label came up after `close`. What was built before does not know it. */
  get hasLateLabels(): boolean {
    return this.#hasLateLabels;
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

  #add(keys: Set<string>, key: string): void {
    if (keys.has(key)) return;
    keys.add(key);
    if (this.#isClosed) this.#hasLateLabels = true;
  }
}
