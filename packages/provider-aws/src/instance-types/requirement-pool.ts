import type { RequirementSpec } from '@karpenter-ts/apis';

/**
 * Requirements, one object for each distinct one: a thousand types share a few hundred `karpenter.k8s.aws/…` labels, and
 * every NodeClass describes them again. Nothing is ever dropped, so a pool must not outlive the catalogue it is for.
 */
export class RequirementPool {
  readonly #known = new Map<string, RequirementSpec>();

  /** One of these values. Without any, the label cannot be there. */
  oneOf(key: string, ...values: readonly string[]): RequirementSpec {
    if (values.length === 0) return this.absent(key);
    return this.#share(`${key}\n${values.join('\n')}`, () => ({ key, operator: 'In', values }));
  }

  /** The label is not there. */
  absent(key: string): RequirementSpec {
    return this.#share(key, () => ({ key, operator: 'DoesNotExist' }));
  }

  #share(text: string, make: () => RequirementSpec): RequirementSpec {
    let requirement = this.#known.get(text);
    if (requirement === undefined) {
      requirement = make();
      this.#known.set(text, requirement);
    }
    return requirement;
  }
}
