import type { Instant } from '@karpenter-ts/runtime';

/** A time as objects hold it: whole seconds, UTC. */
export function timestamp(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** A time as leases hold it: with microseconds, of which we know none. */
export function microTimestamp(at: Instant): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

/** What `timestamp` was made from, without its fraction; undefined if there is none. */
export function instantOf(text: string | null | undefined): Instant | undefined {
  return text ? Date.parse(text) : undefined;
}
