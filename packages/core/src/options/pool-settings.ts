import { type DisruptionFlags, type DisruptionSettings, disruptionSettings, type NodePool } from '@karpenter-ts/apis';
import type { OperatorOptions } from './operator-options.ts';

/** The settings of NodePools for disruption: their annotations are read once for each version of an object. */
export class PoolSettings {
  readonly #flags: DisruptionFlags;
  readonly #known = new WeakMap<NodePool, DisruptionSettings>();

  constructor(
    flags: Pick<
      OperatorOptions,
      'extensions' | 'consolidationMaxReplacements' | 'consolidationMinSavings' | 'expirationPolicy'
    >,
  ) {
    this.#flags = flags;
  }

  of(nodePool: NodePool): DisruptionSettings {
    let settings = this.#known.get(nodePool);
    if (settings === undefined) {
      settings = disruptionSettings(nodePool, this.#flags);
      this.#known.set(nodePool, settings);
    }
    return settings;
  }
}
