import type { TimeZone } from '@karpenter-ts/kubernetes';
import type { NodePool } from '../kinds/core/node-pool.ts';
import {
  CONSOLIDATE_AFTER,
  CONSOLIDATE_AFTER_IGNORE,
  CONSOLIDATION_KINDS,
  CONSOLIDATION_METHODS,
  type ConsolidationKind,
  type ConsolidationWaits,
  type IgnoredPods,
  MIN_NODE_AGE,
} from './consolidation-annotations.ts';
import { BUDGET_TIME_ZONE, DISRUPTION_WINDOWS, type DisruptionWindows, NO_WINDOWS } from './disruption-windows.ts';
import {
  DEFAULT_EXPIRATION_DEADLINE,
  EXPIRATION_DEADLINE,
  EXPIRATION_JITTER,
  EXPIRATION_POLICY,
  type ExpirationPolicy,
} from './expiration-annotations.ts';
import { type ExtensionAnnotation, valueOf } from './extension-annotation.ts';
import { type Extensions, isExtensionOn } from './extensions.ts';
import {
  CONSOLIDATION_MAX_REPLACEMENTS,
  MIN_SAVINGS,
  MIN_SAVINGS_DELETE,
  type MinimumSavings,
  NO_MINIMUM,
  SPLIT_MIN_SAVINGS,
} from './replacement-annotations.ts';

/** What a NodePool's annotations and the flags say about its disruption, beyond upstream (spec 09 A2, A5, B1 to B4). */
export interface DisruptionSettings {
  readonly maxReplacements: number;
  /** What several replacements must save, as a part of what they replace. */
  readonly splitMinSavings: number;
  readonly minSavings: MinimumSavings;
  readonly minSavingsDelete: boolean;
  readonly windows: DisruptionWindows;
  readonly budgetTimeZone: TimeZone | 'Unreadable' | undefined;
  readonly expirationPolicy: ExpirationPolicy;
  /** From the expiry to the deletion, in milliseconds. */
  readonly expirationDeadline: number | 'None';
  /** The part of its lifetime by which a NodeClaim may expire early. */
  readonly expirationJitter: number;
  readonly consolidationMethods: ReadonlySet<ConsolidationKind>;
  readonly waits: ConsolidationWaits;
  readonly ignoredPods: IgnoredPods;
  /** In milliseconds, from the initialization. */
  readonly minNodeAge: number;
}

/** What holds for pools that say nothing. */
export interface DisruptionFlags {
  readonly extensions: Extensions;
  readonly consolidationMaxReplacements: number;
  readonly consolidationMinSavings: MinimumSavings;
  readonly expirationPolicy: ExpirationPolicy;
}

const UPSTREAM_FLAGS: DisruptionFlags = {
  extensions: new Set(),
  consolidationMaxReplacements: 1,
  consolidationMinSavings: NO_MINIMUM,
  expirationPolicy: 'Forceful',
};

/** The settings of a NodePool. An annotation wins over the flag, the flag over the default, which is upstream's. */
export function disruptionSettings(nodePool: Pick<NodePool, 'metadata'>, flags: DisruptionFlags): DisruptionSettings {
  const { extensions } = flags;
  const read = <T>(annotation: ExtensionAnnotation<T>): T | undefined => valueOf(annotation, nodePool, extensions);
  const flag = <T>(extension: string, value: T, off: T): T => (isExtensionOn(extensions, extension) ? value : off);
  return {
    maxReplacements: read(CONSOLIDATION_MAX_REPLACEMENTS) ?? flag('A2', flags.consolidationMaxReplacements, 1),
    splitMinSavings: read(SPLIT_MIN_SAVINGS) ?? 0.15,
    minSavings: read(MIN_SAVINGS) ?? flag('A5', flags.consolidationMinSavings, NO_MINIMUM),
    minSavingsDelete: read(MIN_SAVINGS_DELETE) ?? false,
    windows: read(DISRUPTION_WINDOWS) ?? NO_WINDOWS,
    budgetTimeZone: read(BUDGET_TIME_ZONE),
    expirationPolicy: read(EXPIRATION_POLICY) ?? flag('B2', flags.expirationPolicy, 'Forceful'),
    expirationDeadline: read(EXPIRATION_DEADLINE) ?? DEFAULT_EXPIRATION_DEADLINE,
    expirationJitter: read(EXPIRATION_JITTER) ?? 0,
    consolidationMethods: read(CONSOLIDATION_METHODS) ?? new Set(CONSOLIDATION_KINDS),
    waits: read(CONSOLIDATE_AFTER) ?? { empty: undefined, underutilized: undefined },
    ignoredPods: read(CONSOLIDATE_AFTER_IGNORE) ?? { jobs: false, selector: undefined },
    minNodeAge: read(MIN_NODE_AGE) ?? 0,
  };
}

/** As upstream, whatever a NodePool's annotations say. */
export const UPSTREAM_DISRUPTION: DisruptionSettings = disruptionSettings({ metadata: { name: '' } }, UPSTREAM_FLAGS);
