import { canonicalJson } from '@karpenter-ts/runtime';
import type { PodTemplate } from '@karpenter-ts/kubernetes';

/** No vowels and few digits, so that no hash spells a word (as apimachinery's rand package has them). */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A hash of a pod template. Equal templates have equal hashes; `collisions` gives another one if two different
 * templates collide. The values differ from kube-controller-manager's, which hashes Go's memory layout.
 */
export function templateHash(template: PodTemplate, collisions = 0): string {
  let hash = fnv1a(canonicalJson(template), 0x811c9dc5);
  if (collisions > 0) hash = fnv1a(String(collisions), hash);
  return [...String(hash)].map((digit) => SAFE[digit.charCodeAt(0) % SAFE.length]).join('');
}

/** Whether two templates are equal, apart from the pod-template-hash label. */
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
