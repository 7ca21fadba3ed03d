import type { DisruptionSettings, NodeClaim } from '@karpenter-ts/apis';
import { nanosToMilliseconds, parseNillableDuration } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';

/**
 * When the NodeClaim expires; undefined if never. Only the NodeClaim's own `expireAfter` counts, not its NodePool's. With
 * a jitter NodeClaims of one age expire at different times, but none later than it promises, and each always at the same
 * time (spec 09 B2).
 */
export function expiryOf(
  { metadata, spec }: NodeClaim,
  { expirationJitter }: Pick<DisruptionSettings, 'expirationJitter'>,
): Instant | undefined {
  const lifetime = parseNillableDuration(spec.expireAfter);
  if (lifetime === undefined) return undefined;
  const part = 1 - expirationJitter * fractionOf(metadata.uid ?? '');
  return Date.parse(metadata.creationTimestamp ?? '') + Math.floor(nanosToMilliseconds(lifetime) * part);
}

/** A number in [0, 1) that depends on the text only: FNV-1a, whose bits are mixed enough for texts as long as a UID. */
function fractionOf(uid: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < uid.length; i++) hash = Math.imul(hash ^ uid.charCodeAt(i), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}
