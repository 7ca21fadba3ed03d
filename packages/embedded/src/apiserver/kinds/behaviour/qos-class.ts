import { compareQuantities, type JsonObject, parseQuantity } from '@karpenter-ts/kubernetes';
import { type KubeObject, listAt, objectAt } from '../../object.ts';

/** How a pod fares when its node runs short: what it asks for decides, or what its containers do. */
export function qosClassOf(pod: KubeObject): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...listAt(pod, 'spec', 'containers'), ...listAt(pod, 'spec', 'initContainers')];
  const ofPod = objectAt(pod, 'spec', 'resources');
  const resources = Object.keys(ofPod).length > 0 ? [ofPod] : containers.map((one) => objectAt(one, 'resources'));
  const sets = resources.map((one) => ({
    requests: positive(objectAt(one, 'requests')),
    limits: positive(objectAt(one, 'limits')),
  }));
  if (sets.every(({ requests, limits }) => requests.size === 0 && limits.size === 0)) return 'BestEffort';
  const isGuaranteed = sets.every(({ requests, limits }) =>
    ['cpu', 'memory'].every((name) => {
      const request = requests.get(name);
      const limit = limits.get(name);
      if (limit === undefined) return false;
      if (request === undefined || request === limit) return true;
      return compareQuantities(parseQuantity(request), parseQuantity(limit)) === 0;
    }),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** The amounts of processor and memory above zero; quantities are in their canonical form. */
function positive(amounts: JsonObject): ReadonlyMap<string, string> {
  const entries = ['cpu', 'memory'].flatMap((name): [string, string][] => {
    const text = amounts[name];
    if (typeof text !== 'string') return [];
    return text.startsWith('-') || /^[+0.]*\D*$/.test(text) ? [] : [[name, text]];
  });
  return new Map(entries);
}
