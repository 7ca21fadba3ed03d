// What `karpenter plan --from CLUSTER.json -o json` prints: the schema that results of upstream are recorded in too, so
// that the two can be compared.
import type { Decision, MethodName } from '@karpenter-ts/core';
import type { PlanFile } from '../fleet/plan-file.ts';

export interface ClusterDocument {
  /** Who made it. */
  readonly upstream: string;
  readonly synced: boolean;
  readonly pricePerHour: number;
  readonly budgets: Readonly<Record<string, Readonly<Record<string, AllowanceEntry>>>>;
  readonly totals: Readonly<Record<string, { readonly cost: number; readonly disruptionCost: number }>>;
  readonly methods: Readonly<Partial<Record<MethodName, MethodEntry>>>;
  readonly loop?: LoopEntry;
  readonly fixedPoint?: FixedPointEntry;
  readonly seconds: number;
  /** Beyond what is recorded of upstream: why each node stays. */
  readonly stays?: Readonly<Record<string, readonly string[]>>;
  /** Beyond what is recorded of upstream: what pending pods would get, as `plan --fleet` prints it. */
  readonly provision?: PlanFile;
  /** Beyond what is recorded of upstream: when NodeClaims expire, the soonest first. */
  readonly expirations?: readonly ExpirationEntry[];
}

/** Expiration deletes a NodeClaim whatever budgets and pods say. */
export interface ExpirationEntry {
  readonly nodeClaim: string;
  readonly node?: string;
  readonly nodePool: string;
  readonly expiresAt: string;
  /** Whether it has expired already. */
  readonly expired: boolean;
}

export interface AllowanceEntry {
  readonly allowed: number;
  readonly disrupting: number;
  readonly remaining: number;
}

export interface MethodEntry {
  /** None if there are none; ours always says so. */
  readonly candidates?: readonly CandidateEntry[];
  readonly blocked?: Readonly<Record<string, readonly string[]>>;
  readonly command: CommandEntry | null;
  readonly options?: readonly OptionEntry[];
  readonly events?: Readonly<Record<string, string>>;
  readonly poolEvents?: readonly string[];
  readonly error?: string;
  readonly stable: boolean;
  readonly variants?: readonly (CommandEntry | null)[];
}

interface CandidateEntry {
  readonly node: string;
  readonly nodePool: string;
  readonly price: number;
  readonly disruptionCost: number;
  readonly rescheduleDisruptionCost: number;
  readonly savingsRatio: number;
}

export interface CommandEntry {
  readonly decision: Decision;
  readonly candidates: readonly string[];
  readonly replacements: readonly ReplacementEntry[];
  readonly podsToExisting?: Readonly<Record<string, readonly string[]>>;
  readonly savings: number;
  readonly validation: string;
  readonly validated?: readonly string[];
}

export interface ReplacementEntry {
  readonly nodePool: string;
  readonly capacityTypes: readonly string[];
  readonly zones: readonly string[];
  readonly instanceTypes: readonly string[];
  readonly typeCount: number;
  readonly pricePerHour: number;
  readonly pods?: readonly string[];
}

export interface OptionEntry {
  readonly node: string;
  readonly decision: Decision;
  readonly replacements?: readonly ReplacementEntry[];
  readonly savings?: number;
  readonly events?: readonly string[];
  readonly variants?: readonly OptionEntry[];
}

export interface LoopEntry {
  readonly method: MethodName | '';
  readonly command: CommandEntry | null;
  readonly error?: string;
  readonly stable: boolean;
  readonly variants?: readonly { readonly method: MethodName | ''; readonly command: CommandEntry | null }[];
}

export interface StepEntry {
  readonly method: MethodName;
  readonly decision: Decision;
  readonly candidates: readonly string[];
  readonly launched?: readonly string[];
  readonly pricePerHour: number;
}

export interface FixedPointEntry {
  readonly settledPrice: number;
  /** Beyond what is recorded of upstream: the nodes before the first command. */
  readonly settledNodes: number;
  readonly endPrice: number;
  readonly commands: number;
  readonly byMethod: Readonly<Partial<Record<MethodName, number>>>;
  readonly nodes: number;
  readonly pendingPods: number;
  readonly complete: boolean;
  readonly cycle?: boolean;
  readonly error?: string;
  readonly steps: readonly StepEntry[];
  readonly endPrices: readonly number[];
  readonly seconds: number;
}
