import { labelSelectorFrom, type LabelSelectorSpec, matchesLabels, type Pod } from '@karpenter-ts/kubernetes';
import type { PodCache } from './caches.ts';

/**
 * The pods of a namespace that match a selector; none without a selector. The cost is the number of pods with one of
 * its labels, or of all pods if it requires none.
 */
export function selectPods(pods: PodCache, namespace: string, spec: LabelSelectorSpec | undefined): readonly Pod[] {
  if (spec === undefined) return [];
  const selector = labelSelectorFrom(spec);
  const [label] = Object.entries(spec.matchLabels ?? {});
  const candidates =
    label === undefined
      ? pods.list().filter((pod) => pod.metadata.namespace === namespace)
      : pods.byIndex('label', `${namespace}/${label[0]}=${label[1]}`);
  return candidates.filter((pod) => matchesLabels(selector, pod.metadata.labels ?? {}));
}
