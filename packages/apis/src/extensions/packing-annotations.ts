import type { NodePool } from '../kinds/core/node-pool.ts';
import { findMoneyRate } from './money-rate.ts';
import { goQuote } from '@karpenter-ts/kubernetes';

/** On a NodePool: whether cheaper nodes than upstream's may be bought (spec 09 A1). */
export const PACKING_POLICY = 'karpenter-ts.dev/packing-policy';
/** On a NodePool: what each of its nodes costs beside its price, as `0.02/h` (spec 09 A4). */
export const NODE_FEE = 'karpenter-ts.dev/node-fee';
/** On a NodeClaim: `cost-aware` or `upstream`, whose plan it comes from. */
export const PLAN = 'karpenter-ts.dev/plan';

/** `CostAware` takes a cheaper plan for the same pods where there is one, `Upstream` never. */
export type PackingPolicy = 'CostAware' | 'Upstream';

/** The most a node's fee may be, in dollars per hour. */
const HIGHEST_NODE_FEE = 10;

/** The settings in a NodePool's annotations; undefined where they say nothing. */
export interface PackingAnnotations {
  readonly policy: PackingPolicy | undefined;
  readonly nodeFeePerHour: number | undefined;
  /** What is wrong, and what is used instead: upstream's behaviour. */
  readonly problems: readonly string[];
}

/** Reads the annotations. An invalid value selects upstream's behaviour. */
export function readPackingAnnotations({ metadata }: Pick<NodePool, 'metadata'>): PackingAnnotations {
  const { [PACKING_POLICY]: policy, [NODE_FEE]: fee } = metadata.annotations ?? {};
  const isPolicy = policy === undefined || policy === 'CostAware' || policy === 'Upstream';
  const rate = fee === undefined ? undefined : findMoneyRate(fee);
  const feeProblem = fee === undefined ? undefined : findFeeProblem(fee);
  return {
    policy: isPolicy ? policy : 'Upstream',
    nodeFeePerHour: feeProblem === undefined ? rate : 0,
    problems: [
      ...(isPolicy
        ? []
        : [`${PACKING_POLICY}: ${goQuote(policy)} is neither CostAware nor Upstream; Upstream is used`]),
      ...(feeProblem === undefined ? [] : [`${NODE_FEE}: ${feeProblem}; no fee is used`]),
    ],
  };
}

/** What is wrong with a node fee; `undefined` if nothing is. */
export function findFeeProblem(text: string): string | undefined {
  const rate = findMoneyRate(text);
  if (rate === undefined) return `${goQuote(text)} is not an amount per hour such as 0.05/h`;
  return rate > HIGHEST_NODE_FEE ? `${goQuote(text)} is more than ${HIGHEST_NODE_FEE}/h` : undefined;
}
