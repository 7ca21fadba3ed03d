import {
  anything,
  combineRequirements,
  intersect,
  operatorOf,
  type ProviderProfile,
  type Requirement,
  type Requirements,
  toLabelRequirements,
  toRequirements,
} from '@karpenter-ts/apis';
import type { TaintTable } from '../model/pods/taints.ts';
import type { Catalogue } from '../model/instance-types/catalogue.ts';
import { BitSet } from '../model/interning/bit-set.ts';
import type { Pool } from '../snapshot.ts';
import type { Domains } from '../model/requirements/domains.ts';

interface PoolOffer {
  readonly requirements: Requirements;
  readonly catalogue: Catalogue;
  readonly taints: number;
}

/** The domains new nodes could be in, by topology key, and for whom: those who tolerate the pool (spec 02 §16.2). */
export class OfferedDomains {
  readonly #taints: TaintTable;
  readonly #pools: readonly PoolOffer[];
  readonly #byKey = new Map<string, ReadonlyMap<number, readonly number[]>>();
  readonly #answers = new Map<string, readonly number[]>();

  constructor(
    pools: readonly { readonly pool: Pool; readonly catalogue: Catalogue }[],
    profile: ProviderProfile,
    taints: TaintTable,
  ) {
    this.#taints = taints;
    this.#pools = pools
      .filter(({ pool }) => pool.instanceTypes.length > 0)
      .map(({ pool, catalogue }) => {
        const { metadata, spec } = pool.nodePool.spec.template;
        const requirements = combineRequirements([
          ...toRequirements(spec.requirements, profile).values(),
          ...toLabelRequirements(metadata?.labels ?? {}, profile).values(),
        ]);
        return { requirements, catalogue, taints: taints.internTaints(spec.taints ?? []) };
      });
  }

  /** Domains of pools whose taints are tolerated, or of all pools without `tolerations`. */
  domainsFor(domains: Domains, tolerations: number | undefined): readonly number[] {
    const question = `${domains.keyId} ${tolerations}`;
    let answer = this.#answers.get(question);
    if (answer === undefined) {
      const isOpen = (taints: number) => tolerations === undefined || this.#taints.tolerates(tolerations, taints);
      answer = [...this.#offered(domains)].filter(([, taints]) => taints.some(isOpen)).map(([domain]) => domain);
      this.#answers.set(question, answer);
    }
    return answer;
  }

  /** Every domain of a key with the taints of each pool that offers it. */
  #offered(domains: Domains): ReadonlyMap<number, readonly number[]> {
    let offered = this.#byKey.get(domains.key);
    if (offered === undefined) {
      const found = new Map<number, number[]>();
      for (const pool of this.#pools) {
        for (const value of valuesOf(pool, domains.key)) {
          const domain = domains.idOf(value);
          const taints = found.get(domain);
          if (taints === undefined) found.set(domain, [pool.taints]);
          else taints.push(pool.taints);
        }
      }
      offered = found;
      this.#byKey.set(domains.key, offered);
    }
    return offered;
  }
}

/** What the pool and each of its types leave of a key, and what the pool lists by itself. */
function valuesOf({ requirements, catalogue }: PoolOffer, key: string): ReadonlySet<string> {
  const own: Requirement = requirements.get(key) ?? anything(key);
  const values = new Set<string>();
  const undeclared = BitSet.upTo(catalogue.typeOf.length);
  for (const { requirement, variants } of catalogue.declarations(key)) {
    for (const value of intersect(own, requirement).values) values.add(value);
    undeclared.subtract(variants);
  }
  if (operatorOf(own) === 'In' || !undeclared.isEmpty()) for (const value of own.values) values.add(value);
  return values;
}
