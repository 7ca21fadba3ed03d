// Plans that go wrong about what pods share: domains, ports, volumes.
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import { makeNode, makePod } from '../../builders.ts';
import { bought, type Case, inZone, is, one, pod, type PlanExample, planExample, web } from './example.ts';

function spread(parts: Partial<TopologySpreadConstraint> = {}): readonly TopologySpreadConstraint[] {
  const labelSelector = { matchLabels: web };
  return [{ maxSkew: 1, topologyKey: ZONE_LABEL, whenUnsatisfiable: 'DoNotSchedule', labelSelector, ...parts }];
}

const toWeb = (topologyKey: string): PodAffinityTerm => ({ topologyKey, labelSelector: { matchLabels: web } });
const near = (key: string) => ({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [toWeb(key)] } });
const apart = (key: string) => ({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [toWeb(key)] } });

/** By what is wrong with the plan. */
export const BROKEN_NEIGHBOURS: Readonly<Record<string, Case>> = {
  'two pods on one host port': {
    breaks: ['hostPortsFree'],
    sound: planExample({ newNodes: [bought({ pods: [onPort('p', 80), onPort('q', 81)] })] }),
    broken: planExample({ newNodes: [bought({ pods: [onPort('p', 80), onPort('q', 80)] })] }),
  },
  'a pod on the host port of a daemon': {
    breaks: ['hostPortsFree'],
    sound: planExample({ daemonPods: [onPort('agent', 81)], newNodes: [bought({ pods: [onPort('p', 80)] })] }),
    broken: planExample({ daemonPods: [onPort('agent', 80)], newNodes: [bought({ pods: [onPort('p', 80)] })] }),
  },
  'more volumes than a node can attach': volumeLimitCase(),
  'a node that cannot reach a volume': volumeZoneCase(),
  'a volume nobody knows': {
    breaks: ['volumesKnown'],
    sound: planExample({ refused: [withClaim('p', 'data')] }),
    broken: planExample({ newNodes: [bought({ pods: [withClaim('p', 'data')] })] }),
  },
  'pods heaped up in one zone': {
    breaks: ['podsSpread'],
    sound: zones(['a', 'b'], { topologySpreadConstraints: spread() }),
    broken: zones(['a', 'a'], { topologySpreadConstraints: spread() }),
  },
  'a spread pod in a zone still open': {
    breaks: ['podsSpread'],
    sound: zones(['a'], { topologySpreadConstraints: spread() }),
    broken: planExample({
      newNodes: [bought({ pods: [pod('p', { labels: web, topologySpreadConstraints: spread() })] })],
    }),
  },
  'too many pods on one host': {
    breaks: ['podsSpread'],
    sound: planExample({ newNodes: [bought({ pods: onOneHost(2) })] }),
    broken: planExample({ newNodes: [bought({ pods: onOneHost(1) })] }),
  },
  'a pod away from those it wants to be with': {
    breaks: ['affinityMet'],
    sound: withResident('a', near(ZONE_LABEL), {}),
    broken: withResident('b', near(ZONE_LABEL), {}),
  },
  'pods of a kind that start in two zones': {
    breaks: ['affinityStartsOnce'],
    sound: zones(['a', 'a'], { affinity: near(ZONE_LABEL) }),
    broken: zones(['a', 'b'], { affinity: near(ZONE_LABEL) }),
  },
  'pods together that must be apart': {
    breaks: ['antiAffinityMet'],
    sound: zones(['a', 'b'], { affinity: apart(ZONE_LABEL) }),
    broken: zones(['a', 'a'], { affinity: apart(ZONE_LABEL) }),
  },
  'pods that may end up in the same zone but must not': {
    breaks: ['antiAffinityMet'],
    sound: zones(['a', 'b'], { affinity: apart(ZONE_LABEL) }),
    broken: zones(['a', 'a,b'], { affinity: apart(ZONE_LABEL) }),
  },
  'a kept preference that does not hold': preferenceCase(),
  'a pod where a resident wants to be alone': residentCase(),
};

function onPort(name: string, hostPort: number): Pod {
  return pod(name, { requests: {}, containers: [{ resources: { requests: one }, ports: [{ hostPort }] }] });
}

function withClaim(name: string, claimName: string): Pod {
  return pod(name, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });
}

function claim(name: string) {
  return { metadata: { name, namespace: 'default' }, spec: { storageClassName: 'fast' } };
}

function volumeLimitCase(): Case {
  const volumes = {
    volumeClaims: [claim('x'), claim('y')],
    persistentVolumes: [],
    storageClasses: [{ metadata: { name: 'fast' }, provisioner: 'disk' }],
  };
  const nodes = [makeNode('n', { volumeLimits: { disk: 1 } })];
  return {
    breaks: ['volumesAttachable'],
    sound: planExample({ volumes, nodes, onNodes: { n: [withClaim('p', 'x'), withClaim('q', 'x')] } }),
    broken: planExample({ volumes, nodes, onNodes: { n: [withClaim('p', 'x'), withClaim('q', 'y')] } }),
  };
}

function volumeZoneCase(): Case {
  const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE_LABEL, values: ['a'] }] }];
  const volumes = {
    volumeClaims: [claim('x')],
    persistentVolumes: [],
    storageClasses: [{ metadata: { name: 'fast' }, provisioner: 'disk', allowedTopologies }],
  };
  const node = (zone: string) =>
    bought({ pods: [withClaim('p', 'x')], asks: [inZone(zone)], pricePerHour: zone === 'a' ? 0.1 : 0.04 });
  return {
    breaks: ['volumesReachable'],
    sound: planExample({ volumes, newNodes: [node('a')] }),
    broken: planExample({ volumes, newNodes: [node('b')] }),
  };
}

/** One node for each entry, in that zone or in one of several, each with one pod of the app. */
function zones(places: readonly string[], parts: Parameters<typeof makePod>[1]): PlanExample {
  const newNodes = places.map((place, index) =>
    bought({
      placeholder: `node-${index}`,
      pods: [pod(`p${index}`, { labels: web, ...parts })],
      asks: [is(ZONE_LABEL, ...place.split(','))],
      pricePerHour: place === 'a' ? 0.1 : 0.04,
    }),
  );
  return planExample({ newNodes });
}

function onOneHost(maxSkew: number): readonly Pod[] {
  const topologySpreadConstraints = spread({ topologyKey: HOSTNAME_LABEL, maxSkew });
  return ['p', 'q'].map((name) => pod(name, { labels: web, topologySpreadConstraints }));
}

/** A pod of another app bought a node in the zone; a pod of the app resides in zone a. */
function withResident(
  zone: string,
  affinity: Pod['spec']['affinity'],
  residentParts: Parameters<typeof makePod>[1],
): PlanExample {
  const resident = makePod('old', { labels: web, ...residentParts });
  const nodes = [
    makeNode('n', { labels: { [ZONE_LABEL]: 'a' }, pods: [resident], allocatable: { cpu: '1', pods: '1' } }),
  ];
  const newcomer = pod('p', { labels: { app: 'db' }, affinity });
  return planExample({
    nodes,
    newNodes: [bought({ pods: [newcomer], asks: [inZone(zone)], pricePerHour: zone === 'a' ? 0.1 : 0.04 })],
  });
}

function preferenceCase(): Case {
  const term = { weight: 1, podAffinityTerm: toWeb(ZONE_LABEL) };
  const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } };
  const kept = withResident('a', affinity, {});
  const newNodes = kept.plan.newNodes.map((node) => ({
    ...node,
    pods: node.pods.map(({ pod: relaxed }) => ({
      pod: relaxed,
      relaxations: [{ gaveUp: 'PreferredPodAntiAffinity' as const, term }],
    })),
  }));
  return {
    breaks: ['preferredAntiAffinityMet'],
    sound: { ...kept, plan: { ...kept.plan, newNodes } },
    broken: kept,
  };
}

function residentCase(): Case {
  const term = { topologyKey: ZONE_LABEL, labelSelector: { matchLabels: { app: 'db' } } };
  const shy = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  return {
    breaks: ['residentsLeftAlone'],
    sound: withResident('b', undefined, shy),
    broken: withResident('a', undefined, shy),
  };
}
