import { canonicalJson } from '@karpenter-ts/runtime';
import type { PodTemplate } from '@karpenter-ts/kubernetes';

/** No vowels and few digits, so that no hash spells a word (as apimachinery's rand package has them). */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short name for a template. Equal templates have equal names; `collisions` gives another one when two different
 * templates met in one. The values are not those of kube-controller-manager, which hashes Go's memory layout.
 */
export function templateHash(template: PodTemplate, collisions = 0): string {
  let hash = fnv1a(canonicalJson(template), 0x811c9dc5);
  if (collisions > 0) hash = fnv1a(String(collisions), hash);
  return [...String(hash)].map((digit) => SAFE[digit.charCodeAt(0) % SAFE.length]).join('');
}

/** Whether two templates ask for the same pods; the label that tells their sets apart does not count. */
export function isSameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return canonicalJson(withoutHash(a)) === canonicalJson(withoutHash(b));
}

function withoutHash({ metadata, ...template }: PodTemplate): PodTemplate {
  const { 'pod-template-hash': _, ...labels } = metadata?.labels ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

function fnv1a(text: string, seed: number): number {
  let hash = seed;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
