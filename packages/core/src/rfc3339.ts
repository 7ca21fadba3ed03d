import type { Instant } from '@karpenter-ts/runtime';

/** A time in whole seconds, as Kubernetes writes it: `2026-01-02T15:04:05Z`. */
export function rfc3339(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
