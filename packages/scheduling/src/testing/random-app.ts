import { ARCH_LABEL, CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type {
  Affinity,
  NodeExpression,
  Pod,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from '../objects/pod.ts';
import type { Volumes } from '../snapshot.ts';
import { makePod } from './builders.ts';
import type { Random } from './random.ts';

export const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const;
/** A well-known label with a number in it. */
export const CPU_LABEL = 'example.com/cpu';
export const GPU = 'example.com/gpu';

/** What the replicas of one workload have in common; call it for each of them. */
export function randomApp(name: string, random: Random, independent: boolean): (index: number) => Pod {
  const labels = { app: name, ...(random.chance(0.5) && { tier: random.pick(['web', 'batch']) }) };
  const requests = {
    cpu: random.pick(['100m', '500m', '1', '1500m', '3', '9']),
    memory: random.pick(['100Mi', '1Gi', '3Gi', '6Gi']),
  };
  const extras = random.chance(0.3) ? extraRequests(random) : {};
  const namespace = random.pick(['default', 'default', 'other']);
  const asks = random.chance(0.25) ? {} : nodeAsks(random);
  const shares = independent ? {} : sharing(name, random);
  const affinity: Affinity = { ...asks.affinity, ...shares.affinity };
  const spec: PodSpec = { ...extras, ...asks, ...shares, ...(Object.keys(affinity).length > 0 && { affinity }) };
  return (index) => {
    const replica = makePod(`${name}-${index}`, { labels, requests, namespace, ...spec });
    const volumes = (spec.volumes ?? []).map(({ name: volume }) => ({
      name: volume,
      persistentVolumeClaim: { claimName: `${name}-${index}` },
    }));
    const created = new Date(Date.UTC(2026, 7, 1, 0, index % 3)).toISOString();
    return {
      metadata: { ...replica.metadata, creationTimestamp: created },
      spec: { ...replica.spec, ...(volumes.length > 0 && { volumes }) },
    };
  };
}

/** Requests that are not the sum over plain containers. */
function extraRequests(random: Random): PodSpec {
  const container = (cpu: string, restartPolicy?: string) => ({ restartPolicy, resources: { requests: { cpu } } });
  return random.pick<PodSpec>([
    { initContainers: [container('2'), container('300m', 'Always'), container('1')] },
    { initContainers: [container('200m', 'Always')], overhead: { cpu: '50m', memory: '64Mi' } },
    { resources: { requests: { cpu: '700m' } } },
    { containers: [{ name: 'main', resources: { requests: { cpu: '100m', [GPU]: '1' } } }] },
    { containers: [{ name: 'main', resources: { requests: { 'example.com/unknown': '0' } } }] },
  ]);
}

/** What it asks of nodes. All terms are about one key, as topology tells constraints apart by keys alone (weakness 5). */
function nodeAsks(random: Random): PodSpec {
  const zoneIn = (): NodeExpression => ({
    key: ZONE_LABEL,
    operator: random.pick(['In', 'In', 'NotIn']),
    values: random.some(ZONES),
  });
  const tolerations: readonly Toleration[] = random.pick([
    [],
    [],
    [{ key: 'tier', operator: 'Equal', value: 'batch' }],
    [{ operator: 'Exists' }],
  ]);
  const preference = (): NodeExpression =>
    random.pick<NodeExpression>([
      zoneIn(),
      { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot'] },
      { key: 'example.com/unheard-of', operator: 'Exists' },
    ]);
  const sized = (): NodeExpression => ({
    key: CPU_LABEL,
    operator: random.pick(['Gt', 'Lt']),
    values: [random.pick(['2', '4', '8'])],
  });
  const asked = random.chance(0.7) ? zoneIn : sized;
  const required = random.chance(0.3) && {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: Array.from({ length: 1 + random.below(3) }, () => ({ matchExpressions: [asked()] })),
    },
  };
  const preferred = random.chance(0.3) && {
    preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 1 + random.below(2) }, () => ({
      weight: 1 + random.below(100),
      preference: { matchExpressions: [preference()] },
    })),
  };
  const nodeSelector: Readonly<Record<string, string>> = {
    ...(random.chance(0.15) && { [ARCH_LABEL]: random.pick(['amd64', 'arm64']) }),
    ...(random.chance(0.1) && { tier: 'web' }),
  };
  return {
    tolerations,
    nodeSelector,
    ...((required || preferred) && { affinity: { nodeAffinity: { ...required, ...preferred } } }),
  };
}

/** What its replicas share or must not share, with each other or with another workload. */
function sharing(name: string, random: Random): PodSpec {
  const own = { matchLabels: { app: name } };
  const term = (): PodAffinityTerm => ({
    topologyKey: random.pick([ZONE_LABEL, HOSTNAME_LABEL]),
    labelSelector: random.chance(0.7) ? own : { matchLabels: { tier: random.pick(['web', 'batch']) } },
    ...(random.chance(0.2) && { namespaceSelector: random.pick([{}, { matchLabels: { team: 'data' } }]) }),
    ...(random.chance(0.2) && { namespaces: ['default', 'other'] }),
  });
  const terms = () =>
    random.chance(0.7)
      ? { requiredDuringSchedulingIgnoredDuringExecution: [term()] }
      : {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 + random.below(100), podAffinityTerm: term() }],
        };
  const port = {
    hostPort: 8080 + random.below(2),
    hostIP: random.pick([undefined, '10.0.0.1', '10.0.0.2', '::']),
    protocol: random.pick(['TCP', 'TCP', 'UDP']),
  };
  switch (random.below(7)) {
    case 0:
      return { topologySpreadConstraints: [spread(random.pick(SPREAD_KEYS), own, random)] };
    case 1:
      return { topologySpreadConstraints: random.some(SPREAD_KEYS, 2).map((key) => spread(key, own, random)) };
    case 2:
      return { affinity: { podAffinity: terms() } };
    case 3:
      return { affinity: { podAntiAffinity: terms() } };
    case 4:
      return { containers: [{ name: 'main', resources: { requests: { cpu: '500m' } }, ports: [port] }] };
    case 5:
      return { volumes: [{ name: 'data' }] };
    default:
      return {};
  }
}

const SPREAD_KEYS = [ZONE_LABEL, HOSTNAME_LABEL, CAPACITY_TYPE_LABEL] as const;

function spread(
  topologyKey: string,
  labelSelector: TopologySpreadConstraint['labelSelector'],
  random: Random,
): TopologySpreadConstraint {
  return {
    maxSkew: 1 + random.below(2),
    topologyKey,
    whenUnsatisfiable: random.pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway']),
    labelSelector,
    ...(random.chance(0.1) && { matchLabelKeys: ['tier', 'unheard-of'] }),
    ...(random.chance(0.2) && { minDomains: 1 + random.below(4) }),
    ...(random.chance(0.2) && { nodeAffinityPolicy: 'Ignore' }),
    ...(random.chance(0.2) && { nodeTaintsPolicy: 'Honor' }),
  };
}

/** The storage behind all claims of the pods: half of them bound in a zone, half still to be made. */
export function randomVolumes(pods: readonly Pod[]): Volumes {
  const claims = pods.flatMap(({ metadata, spec }) =>
    (spec.volumes ?? []).map(({ persistentVolumeClaim }) => ({
      namespace: metadata.namespace ?? 'default',
      name: persistentVolumeClaim?.claimName ?? '',
    })),
  );
  const isBound = (index: number) => index % 2 === 0;
  return {
    claims: claims.map((metadata, index) => ({
      metadata,
      spec: isBound(index) ? { volumeName: `pv-${metadata.namespace}-${metadata.name}` } : { storageClassName: 'disk' },
    })),
    persistentVolumes: claims
      .filter((_, index) => isBound(index))
      .map(({ namespace, name }, index) => ({
        metadata: { name: `pv-${namespace}-${name}` },
        spec: {
          csi: { driver: 'disk.csi.example.com' },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [ZONES[index % ZONES.length]!] }] },
              ],
            },
          },
        },
      })),
    storageClasses: [
      {
        metadata: { name: 'disk' },
        provisioner: 'disk.csi.example.com',
        allowedTopologies: ZONES.slice(0, 2).map((zone) => ({
          matchLabelExpressions: [{ key: ZONE_LABEL, values: [zone] }],
        })),
      },
    ],
  };
}
