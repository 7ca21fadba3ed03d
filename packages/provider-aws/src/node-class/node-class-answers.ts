import type { EC2NodeClass } from '@karpenter-ts/apis';
import { ExpiringMap, type SteadyClock } from '@karpenter-ts/runtime';

/**
 * What AWS answered for NodeClasses, by uid and generation: a NodeClass that was changed asks anew. Whoever asks while a
 * question is under way waits for its answer. A failure is not remembered.
 */
export class NodeClassAnswers<T> {
  readonly #answers: ExpiringMap<string, T>;
  readonly #underWay = new Map<string, Promise<T>>();

  /** `lifetime` in milliseconds. */
  constructor(clock: SteadyClock, lifetime: number) {
    this.#answers = new ExpiringMap(clock, lifetime);
  }

  /** The answer of `ask`, now or lately. It is shared: nobody may change it. */
  async get({ metadata }: Pick<EC2NodeClass, 'metadata'>, ask: () => Promise<T>): Promise<T> {
    const key = `${metadata.uid}-${metadata.generation}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const pending = this.#underWay.get(key) ?? this.#ask(key, ask);
    return pending;
  }

  #ask(key: string, ask: () => Promise<T>): Promise<T> {
    const asked = ask()
      .then((answer) => {
        this.#answers.set(key, answer);
        return answer;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asked);
    return asked;
  }
}
