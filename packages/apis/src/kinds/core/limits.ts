import { compareQuantities, memberOf, parseQuantity, type Quantity, type ResourceList } from '@karpenter-ts/kubernetes';

/** A limit that is exceeded, and by what. */
export interface ExceededLimit {
  readonly resource: string;
  readonly limit: Quantity;
  readonly usage: Quantity;
}

/** The first limit, by resource name, that usage is strictly above. Resources without a limit are free. */
export function findExceededLimit(limits: ResourceList, usage: ResourceList): ExceededLimit | undefined {
  for (const resource of Object.keys(usage).sort()) {
    const limit = memberOf(limits, resource);
    if (limit === undefined) continue;
    const exceeded = { resource, limit: parseQuantity(limit), usage: parseQuantity(usage[resource]!) };
    if (compareQuantities(exceeded.usage, exceeded.limit) > 0) return exceeded;
  }
  return undefined;
}

/** In upstream's words (spec 01 §2.5). */
export function formatExceededLimit({ resource, limit, usage }: ExceededLimit): string {
  return (
    'resource usage exceeds limit ' +
    `(limit=${toDecimal(limit)}, resource-name=${resource}, usage=${toDecimal(usage)})`
  );
}

/** Plain decimal, with the places that milli, micro or nano need: as upstream prints what was written with a suffix. */
function toDecimal({ nanos }: Quantity): string {
  const places = [0, 3, 6].find((candidate) => nanos % 10n ** BigInt(9 - candidate) === 0n) ?? 9;
  const scaled = nanos / 10n ** BigInt(9 - places);
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(places + 1, '0');
  const sign = scaled < 0n ? '-' : '';
  return sign + (places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`);
}
