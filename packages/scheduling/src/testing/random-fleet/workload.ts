import type { Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { makePod } from '../builders.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import { randomNodeAsks } from './node-asks.ts';
import { combineAsks, randomPodAsks } from './pod-asks.ts';
import { type RandomStorage, randomVolumeKind } from './storage.ts';
import type { FleetTraits } from './traits.ts';
import { GPU, TIERS } from './values.ts';

/** Makes a replica of one workload under a name of its own; `zone` is where it runs already. */
export type Workload = (suffix: string, zone?: string) => Pod;

/** What the replicas have in common is chosen once. */
export function randomWorkload(app: string, random: Random, traits: FleetTraits, storage: RandomStorage): Workload {
  const labels = { app, ...(random.chance(0.5) && { tier: random.pick(TIERS) }) };
  const requests = {
    cpu: random.pick(['100m', '500m', '1', '1500m', '3', '9']),
    memory: random.pick(['100Mi', '1Gi', '3Gi', '6Gi']),
  };
  const extras = random.chance(0.3) ? extraRequests(random, traits) : {};
  const namespace = random.pick(['default', 'default', 'other']);
  const ofNodes = random.chance(0.25) ? {} : randomNodeAsks(random, traits);
  const ofPods = traits.independent || random.chance(0.3) ? {} : randomPodAsks(labels, random, traits);
  const all = combineAsks(ofNodes, ofPods);
  const asks = traits.portable ? readAlike(all) : all;
  // A volume in one domain and others of its kind in the wrong ones leave no way out.
  const mayHaveVolumes = !traits.forgiving || Object.keys(ofPods).length === 0;
  const volumeKind = mayHaveVolumes ? randomVolumeKind(random, traits) : 'none';
  return (suffix, zone) => {
    const name = `${app}-${suffix}`;
    const volumes = storage.volumesFor(volumeKind, { namespace, app, pod: name, zone });
    const revision = random.pick(['1', '1', '2']);
    const { metadata, spec } = makePod(name, {
      labels: { ...labels, revision },
      requests,
      namespace,
      ...extras,
      ...asks,
    });
    const creationTimestamp = new Date(Date.UTC(2026, 7, 1, 0, random.below(3))).toISOString();
    return { metadata: { ...metadata, creationTimestamp }, spec: { ...spec, ...(volumes.length > 0 && { volumes }) } };
  };
}

/**
 * The same without what Karpenter and schedulers read differently of pods that look at other pods. Karpenter
 * - goes by one alternative of the required node affinity at a time, schedulers by all: there is but one;
 * - of domains that the pod cannot use sees those of existing nodes alone, not of other planned ones: where the pod asks
 *   something of nodes, no policy makes these count.
 */
function readAlike(spec: PodSpec): PodSpec {
  const { affinity, nodeSelector = {}, topologySpreadConstraints = [] } = spec;
  if (topologySpreadConstraints.length === 0 && affinity?.podAffinity === undefined) return spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const nodeSelectorTerms = required?.nodeSelectorTerms.slice(0, 1) ?? [];
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    ...(required && { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }),
  };
  const asksOfNodes = required !== undefined || Object.keys(nodeSelector).length > 0;
  return {
    ...spec,
    topologySpreadConstraints: topologySpreadConstraints.map(({ nodeAffinityPolicy, ...constraint }) => ({
      ...constraint,
      ...(nodeAffinityPolicy && !asksOfNodes && { nodeAffinityPolicy }),
    })),
    ...(affinity && { affinity: { ...affinity, nodeAffinity } }),
  };
}

/** Requests that are not the sum over plain containers. */
function extraRequests(random: Random, { portable }: FleetTraits): PodSpec {
  const container = (cpu: string, restartPolicy?: string) => ({ restartPolicy, resources: { requests: { cpu } } });
  const main = (requests: Readonly<Record<string, string>>) => [{ name: 'main', resources: { requests } }];
  const common: readonly PodSpec[] = [
    { initContainers: [container('2'), container('300m', 'Always'), container('1')] },
    { containers: main({ cpu: '100m' }), resources: { requests: { cpu: '700m' } } },
    { containers: main({ cpu: '100m', [GPU]: '1' }) },
    { containers: main({ 'example.com/unknown': '0' }) },
  ];
  // An overhead needs a RuntimeClass, and claims of devices need devices.
  const rare: readonly PodSpec[] = [
    { initContainers: [container('200m', 'Always')], overhead: { cpu: '50m', memory: '64Mi' } },
    { resourceClaims: [{ name: 'device' }] },
  ];
  return random.pick(portable ? common : [...common, ...common, ...rare]);
}
