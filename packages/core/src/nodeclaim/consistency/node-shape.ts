import {
  canonicalQuantity,
  formatPlaces,
  isTrue,
  memberOf,
  type Node,
  parseQuantity,
  type Quantity,
} from '@karpenter-ts/kubernetes';
import type { NodeClaim } from '@karpenter-ts/apis';

/** A Node may have up to 10 % less than its instance type promises, because the kernel reserves some. */
const LEAST_SHARE = 0.9;

/** Whether the promised and the actual capacity are both final. */
export function isComparable(nodeClaim: NodeClaim): boolean {
  return nodeClaim.metadata.deletionTimestamp === undefined && isTrue(nodeClaim, 'Initialized');
}

/** The requested resources of which the Node has much less than promised, in upstream's words. */
export function findShortfalls({ spec, status }: NodeClaim, node: Node): readonly string[] {
  const issues: string[] = [];
  for (const [name, requested] of Object.entries(spec.resources?.requests ?? {})) {
    const expected = memberOf(status?.capacity, name) ?? 0;
    const found = memberOf(node.status?.capacity, name) ?? 0;
    if (found === expected || isZero(requested)) continue; // most quantities have this form, which needs no parsing
    const promised = parseQuantity(expected);
    if (promised.nanos === 0n) continue;
    const share = toNumber(parseQuantity(found)) / toNumber(promised);
    if (share >= LEAST_SHARE) continue;
    const [wanted, actual] = [canonicalQuantity(expected), canonicalQuantity(found)];
    const percent = formatPlaces(share * 100, 1);
    issues.push(`expected ${wanted} of resource ${name}, but found ${actual} (${percent}% of expected)`);
  }
  return issues;
}

function isZero(amount: string | number): boolean {
  return parseQuantity(amount).nanos === 0n;
}

function toNumber({ nanos }: Quantity): number {
  return Number(nanos);
}
