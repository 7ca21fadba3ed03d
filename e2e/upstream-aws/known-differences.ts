import { onDemandPriceFacts } from '@karpenter-ts/ec2-facts';
import { isJsonArray, type Json, parseQuantity } from '@karpenter-ts/kubernetes';
import { REGION } from '../aws-guides/account.ts';
import type { Difference } from './differences.ts';

/** A difference that is right, and why. */
interface KnownDifference {
  readonly path: RegExp;
  /** Whether it is this difference; any in that place unless given. */
  readonly is?: (difference: Difference) => boolean;
  readonly reason: string;
}

const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    path: /annotations\.karpenter-ts\.dev\/plan$/,
    is: ({ upstream }) => upstream === undefined,
    reason: 'an annotation of ours: by which policy the node was planned',
  },
  {
    path: /^NodeClaim\[\]\.status\.conditions\.ConsistentStateFound$/,
    is: ({ upstream }) => upstream === undefined,
    reason:
      'we compare a Node when it has joined; upstream looks at the launch, when there is none, and in ten minutes',
  },
  {
    path: /^NodeClaim\[\]\.status\.conditions\.Consolidatable$/,
    is: ({ upstream, ours }) => upstream === undefined || ours === undefined,
    reason: 'it comes with time, and either may have been looked at before',
  },
  {
    path: /^NodeClaim\[\]\.status\.(capacity|allocatable)\.memory$/,
    is: ({ upstream, ours }) => isLearnt(upstream, ours),
    reason: 'we believe a Node of the same type at once; upstream, when its types are five minutes old',
  },
  {
    path: /(requirements\.node\.kubernetes\.io\/instance-type\.values\[\]|Overrides\[\]\.InstanceType)$/,
    is: ({ upstream, ours }) => costTheSame(upstream, ours),
    reason: 'which of equally dear types are the last of a list that is cut off is chance with upstream',
  },
  {
    path: /^ec2 CreateFleet\[\]\.LaunchTemplateConfigs\[\]\.Overrides\[\]\.Priority$/,
    is: ({ upstream, ours }) => isSpotPrice(upstream) && isSpotPrice(ours),
    reason: 'it is the price of spot, which may have changed before the second controller had its turn',
  },
];

/** Why a difference is right; undefined for one that nobody knows. */
export function findReason(difference: Difference): string | undefined {
  return KNOWN_DIFFERENCES.find(({ path, is = () => true }) => path.test(difference.path) && is(difference))?.reason;
}

/** A type is taken to have up to 7.5 % less than EC2 states, until there is a Node of it. */
function isLearnt(upstream: Json | undefined, ours: Json | undefined): boolean {
  if (typeof upstream !== 'string' || typeof ours !== 'string') return false;
  const [computed, learnt] = [parseQuantity(upstream).nanos, parseQuantity(ours).nanos];
  return learnt >= computed && learnt * 100n < computed * 108n;
}

function isSpotPrice(price: Json | undefined): boolean {
  return typeof price === 'number' && !Object.values(onDemandPriceFacts()[REGION] ?? {}).includes(price);
}

function costTheSame(upstream: Json | undefined, ours: Json | undefined): boolean {
  const [theirs, own] = [pricesOf(upstream), pricesOf(ours)];
  return theirs.every(({ price }, i) => price !== undefined && price === own[i]?.price) && theirs.length === own.length;
}

/** Of one type, or of a list of types. */
function pricesOf(types: Json | undefined): readonly { readonly price: number | undefined }[] {
  const prices = onDemandPriceFacts()[REGION] ?? {};
  return (isJsonArray(types) ? types : [types])
    .map((type) => ({ price: typeof type === 'string' ? prices[type] : undefined }))
    .sort((a, b) => (a.price ?? 0) - (b.price ?? 0));
}
