import type { Labels } from '@karpenter-ts/kubernetes';

/** Weights of domains: of the values that node labels have. Those never mentioned weigh 0. */
export class TopologyDomains {
  readonly #weights = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#weights.size === 0;
  }

  /** Adds to the domain the labels name for this key, if any. */
  add(topologyKey: string, labels: Labels, weight: number): void {
    const domain = labels[topologyKey];
    if (domain === undefined) return;
    let weights = this.#weights.get(topologyKey);
    if (weights === undefined) this.#weights.set(topologyKey, (weights = new Map()));
    weights.set(domain, (weights.get(domain) ?? 0) + weight);
  }

  /** Whether the labels' domain for this key was mentioned. */
  has(topologyKey: string, labels: Labels): boolean {
    const domain = labels[topologyKey];
    return domain !== undefined && (this.#weights.get(topologyKey)?.has(domain) ?? false);
  }

  /** Whether any domain of the labels was mentioned. */
  hasAny(labels: Labels): boolean {
    for (const key of this.#weights.keys()) if (this.has(key, labels)) return true;
    return false;
  }

  /** The weights of all the labels' domains together. */
  sum(labels: Labels): number {
    let sum = 0;
    for (const [key, weights] of this.#weights) {
      const domain = labels[key];
      if (domain !== undefined) sum += weights.get(domain) ?? 0;
    }
    return sum;
  }
}
