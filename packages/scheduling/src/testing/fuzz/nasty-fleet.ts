// Small fleets that are as awkward as the API allows: every operator on labels of users, rules that contradict each other
// or overlap in all but one field, preferences that must be given up, nodes that lack labels, volumes in one zone.
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  CORE_PROFILE,
  HOSTNAME_LABEL,
  NODEPOOL_LABEL,
  type NodePool,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type {
  Affinity,
  NodeSelectorRequirement,
  Pod,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '@karpenter-ts/kubernetes';
import {
  DEFAULT_PLANNING,
  type ExistingNode,
  type InstanceType,
  type PlanningOptions,
  type Snapshot,
} from '../../snapshot.ts';
import { makeNode, makeOffering, makePod, makePool, makeType } from '../builders.ts';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';

const ZONES = ['zone-a', 'zone-b', 'zone-c'];
/** A number that the provider knows of each type. */
const CPU_LABEL = 'example.com/cpu';
/** Labels of users: a word and a number. Some pools set them, some leave them open, some do not know them. */
const TEAM = 'team';
const TEAMS = ['red', 'blue', 'green'];
const RANK = 'rank';
const RANKS = ['1', '4', '7', '9'];
const GROUPS = ['g1', 'g2'];
const NAMESPACES = ['default', 'shop', 'data'];
const BATCH_TAINT = { key: 'batch', value: 'yes', effect: 'NoSchedule' } as const;
const SPARE_TAINT = { key: 'spare', effect: 'PreferNoSchedule' } as const;

/** The same fleet for the same seed. */
export function nastyFleet(seed: number): { readonly snapshot: Snapshot; readonly options: PlanningOptions } {
  const random = seededRandom(seed);
  const instanceTypes = Array.from({ length: 3 + random.below(6) }, (_, index) => randomType(index, random));
  const nodePools = Array.from({ length: 1 + random.below(4) }, (_, index) => randomPool(index, random));
  const volumes: Snapshot['volumes'] = { volumeClaims: [], persistentVolumes: [], storageClasses: [] };
  const workloads = Array.from({ length: 1 + random.below(8) }, (_, index) => randomWorkload(`app-${index}`, random));
  const pods = workloads.flatMap((make) =>
    Array.from({ length: 1 + random.below(6) }, (_, index) => make(String(index))),
  );
  const nodes = Array.from({ length: random.below(5) }, (_, index) =>
    randomNode(`node-${index}`, nodePools, workloads, random),
  );
  return {
    snapshot: {
      pools: nodePools.map((nodePool) => ({
        nodePool,
        instanceTypes: random.chance(0.8) ? instanceTypes : random.some(instanceTypes),
      })),
      nodes,
      deletingNodes: [],
      pods: pods.map((pod) => (random.chance(0.08) ? withVolume(pod, volumes, random) : pod)),
      daemonPods: random.chance(0.4) ? [randomDaemon(random)] : [],
      volumes,
      namespaces: NAMESPACES.map((name) => ({ name, labels: name === 'default' ? {} : { kind: 'business' } })),
    },
    options: {
      ...DEFAULT_PLANNING,
      profile: { ...CORE_PROFILE, wellKnownLabels: CORE_PROFILE.wellKnownLabels.union(new Set([CPU_LABEL])) },
      preferencePolicy: random.pick(['Respect', 'Respect', 'Ignore']),
    },
  };
}

function randomType(index: number, random: Random): InstanceType {
  const cpus = random.pick([2, 4, 8, 16]);
  const price = cpus * random.pick([0.03, 0.04, 0.06]) + index / 10_000;
  return makeType(`type-${index}`, {
    capacity: { cpu: String(cpus), memory: `${cpus * random.pick([2, 4])}Gi`, pods: String(random.pick([6, 12, 40])) },
    offerings: random
      .some(ZONES)
      .flatMap((zone) => [
        makeOffering(zone, 'on-demand', price),
        ...(random.chance(0.6)
          ? [makeOffering(zone, 'spot', price * random.pick([0.3, 0.5]), { available: random.chance(0.9) })]
          : []),
      ]),
    labels: { [ARCH_LABEL]: [random.pick(['amd64', 'amd64', 'arm64'])], [CPU_LABEL]: [String(cpus)] },
    overhead: random.chance(0.5) ? { kubeReserved: { cpu: '100m', memory: '255Mi' } } : {},
  });
}

function randomPool(index: number, random: Random): NodePool {
  const requirements = [
    ...(random.chance(0.3)
      ? [{ key: ZONE_LABEL, operator: random.pick(['In', 'NotIn']), values: [random.pick(ZONES)] }]
      : []),
    ...(random.chance(0.3)
      ? [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: [random.pick(['spot', 'on-demand'])] }]
      : []),
    ...(random.chance(0.5) ? [userRequirement(TEAM, TEAMS, random)] : []),
    ...(random.chance(0.5) ? [userRequirement(RANK, RANKS, random)] : []),
  ] as NodePool['spec']['template']['spec']['requirements'];
  return makePool(`pool-${index}`, {
    requirements,
    labels: random.chance(0.2) ? { row: random.pick(['top', 'low']) } : {},
    taints: [...(random.chance(0.2) ? [BATCH_TAINT] : []), ...(random.chance(0.15) ? [SPARE_TAINT] : [])],
    ...(random.chance(0.4) && { weight: 1 + random.below(50) }),
    ...(random.chance(0.1) && { limits: { cpu: '24' } }),
  });
}

/** What a pool or a pod asks of a label of users, with any operator. */
function userRequirement(key: string, values: readonly string[], random: Random): NodeSelectorRequirement {
  const operators = key === RANK ? ['In', 'NotIn', 'Exists', 'Gt', 'Lt'] : ['In', 'NotIn', 'Exists'];
  const operator = random.pick(operators);
  if (operator === 'Exists') return { key, operator, values: [] };
  if (operator === 'Gt' || operator === 'Lt') return { key, operator, values: [random.pick(['3', '6'])] };
  return { key, operator, values: random.some(values).slice(0, 2) };
}

/** What a pod asks of a node; `DoesNotExist` is for pods alone. */
function nodeExpression(random: Random): NodeSelectorRequirement {
  return random.pick([
    () => userRequirement(TEAM, TEAMS, random),
    () => userRequirement(RANK, RANKS, random),
    () => ({ key: random.pick([TEAM, RANK, 'row', 'no-such-label']), operator: 'DoesNotExist', values: [] }),
    () => ({ key: 'row', operator: random.pick(['In', 'NotIn']), values: [random.pick(['top', 'low'])] }),
    () => ({ key: ZONE_LABEL, operator: random.pick(['In', 'NotIn']), values: random.some(ZONES).slice(0, 2) }),
    () => ({
      key: CAPACITY_TYPE_LABEL,
      operator: random.pick(['In', 'NotIn']),
      values: [random.pick(['spot', 'on-demand'])],
    }),
    () => ({ key: CPU_LABEL, operator: random.pick(['Gt', 'Lt']), values: [random.pick(['2', '8'])] }),
    () => ({ key: ARCH_LABEL, operator: 'In', values: [random.pick(['amd64', 'arm64'])] }),
  ])();
}

type Workload = (replica: string) => Pod;

function randomWorkload(app: string, random: Random): Workload {
  const labels = {
    app,
    ...(random.chance(0.7) && { group: random.pick(GROUPS) }),
    ...(random.chance(0.3) && { version: random.pick(['v1', 'v2']) }),
  };
  const namespace = random.chance(0.75) ? 'default' : random.pick(NAMESPACES);
  const spec: PodSpec = {
    ...(random.chance(0.25) && { nodeSelector: randomSelector(random) }),
    ...(random.chance(0.6) && { affinity: randomAffinity(random) }),
    ...(random.chance(0.35) && { topologySpreadConstraints: randomSpreads(random) }),
    ...(random.chance(0.4) && {
      tolerations: [
        random.pick([
          { key: 'batch', operator: 'Exists' },
          { key: 'batch', value: 'yes', effect: 'NoSchedule' },
          { operator: 'Exists' },
        ]),
      ],
    }),
  };
  const requests = {
    cpu: random.pick(['100m', '250m', '1', '1500m', '2', '0.1001', '3']),
    memory: random.pick(['128Mi', '512Mi', '1Gi', '3Gi', '500u', '1500m', '123456789', '6Gi']),
  };
  const hostPort = random.chance(0.08) ? random.pick([80, 443]) : undefined;
  const containers = [{ name: 'main', resources: { requests }, ...(hostPort && { ports: [{ hostPort }] }) }];
  return (replica) => makePod(`${app}-${replica}`, { ...spec, containers, labels, namespace });
}

function randomSelector(random: Random): Readonly<Record<string, string>> {
  return random.pick([
    { [TEAM]: random.pick(TEAMS) },
    { [RANK]: random.pick(RANKS) },
    { [ZONE_LABEL]: random.pick(ZONES) },
    { [CAPACITY_TYPE_LABEL]: random.pick(['spot', 'on-demand']) },
    { [TEAM]: random.pick(TEAMS), [ZONE_LABEL]: random.pick(ZONES) },
  ]);
}

function randomAffinity(random: Random): Affinity {
  const terms = () => Array.from({ length: 1 + random.below(2) }, () => podTerm(random));
  return {
    ...(random.chance(0.6) && { nodeAffinity: randomNodeAffinity(random) }),
    ...(random.chance(0.3) && { podAffinity: someOf(terms, random) }),
    ...(random.chance(0.3) && { podAntiAffinity: someOf(terms, random) }),
  };
}

/** Required, preferred, or both, so that one may contradict the other. */
function someOf(terms: () => readonly PodAffinityTerm[], random: Random): Affinity['podAffinity'] {
  return {
    ...(random.chance(0.6) && { requiredDuringSchedulingIgnoredDuringExecution: terms() }),
    ...(random.chance(0.5) && {
      preferredDuringSchedulingIgnoredDuringExecution: terms().map((podAffinityTerm) => ({
        weight: 1 + random.below(100),
        podAffinityTerm,
      })),
    }),
  };
}

function randomNodeAffinity(random: Random): Affinity['nodeAffinity'] {
  const term = () => ({ matchExpressions: Array.from({ length: 1 + random.below(3) }, () => nodeExpression(random)) });
  return {
    ...(random.chance(0.6) && {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: Array.from({ length: 1 + random.below(3) }, term),
      },
    }),
    ...(random.chance(0.6) && {
      preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 1 + random.below(3) }, () => ({
        weight: 1 + random.below(100),
        preference: term(),
      })),
    }),
  };
}

function podTerm(random: Random): PodAffinityTerm {
  return {
    topologyKey: random.pick([ZONE_LABEL, ZONE_LABEL, HOSTNAME_LABEL, HOSTNAME_LABEL, CAPACITY_TYPE_LABEL, TEAM]),
    labelSelector: randomPodSelector(random),
    ...(random.chance(0.15) && { namespaceSelector: random.pick([{}, { matchLabels: { kind: 'business' } }]) }),
    ...(random.chance(0.1) && { namespaces: [random.pick(NAMESPACES)] }),
  };
}

function randomPodSelector(random: Random): PodAffinityTerm['labelSelector'] {
  return random.pick([
    { matchLabels: { app: `app-${random.below(8)}` } },
    { matchLabels: { group: random.pick(GROUPS) } },
    { matchLabels: { group: random.pick(GROUPS), version: 'v1' } },
    { matchExpressions: [{ key: 'group', operator: random.pick(['Exists', 'DoesNotExist']) }] },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [`app-${random.below(8)}`] }] },
  ]);
}

/** One to three, often with one selector and everything else different. */
function randomSpreads(random: Random): readonly TopologySpreadConstraint[] {
  const labelSelector = randomPodSelector(random);
  return Array.from({ length: 1 + random.below(3) }, () => {
    const isHard = random.chance(0.7);
    return {
      topologyKey: random.pick([ZONE_LABEL, ZONE_LABEL, HOSTNAME_LABEL, CAPACITY_TYPE_LABEL, TEAM, RANK]),
      maxSkew: random.pick([1, 1, 2]),
      whenUnsatisfiable: isHard ? 'DoNotSchedule' : 'ScheduleAnyway',
      labelSelector: random.chance(0.8) ? labelSelector : randomPodSelector(random),
      ...(isHard && random.chance(0.2) && { minDomains: 1 + random.below(3) }),
      ...(random.chance(0.2) && { nodeAffinityPolicy: random.pick(['Honor', 'Ignore']) }),
      ...(random.chance(0.2) && { nodeTaintsPolicy: random.pick(['Honor', 'Ignore']) }),
      ...(random.chance(0.1) && { matchLabelKeys: ['version'] }),
    };
  });
}

/** A running node, which may lack the labels its pool speaks of. */
function randomNode(
  name: string,
  pools: readonly NodePool[],
  workloads: readonly Workload[],
  random: Random,
): ExistingNode {
  const pool = random.pick(pools);
  const labels = {
    [NODEPOOL_LABEL]: pool.metadata.name,
    [ZONE_LABEL]: random.pick(ZONES),
    [CAPACITY_TYPE_LABEL]: random.pick(['spot', 'on-demand']),
    [ARCH_LABEL]: 'amd64',
    [CPU_LABEL]: '4',
    ...(random.chance(0.4) && { [TEAM]: random.pick(TEAMS) }),
    ...(random.chance(0.4) && { [RANK]: random.pick(RANKS) }),
  };
  const allocatable = { cpu: random.pick(['4', '3900m']), memory: '8Gi', pods: '10' };
  const pods = Array.from({ length: random.below(3) }, (_, index) => {
    const { metadata, spec } = random.pick(workloads)(`${name}-${index}`);
    return { metadata, spec: { ...spec, nodeName: name } };
  });
  return makeNode(name, { labels, taints: pool.spec.template.spec.taints ?? [], allocatable, pods });
}

/** A volume in one zone, so that the pod must follow it. */
function withVolume(pod: Pod, volumes: Snapshot['volumes'], random: Random): Pod {
  const { name, namespace } = pod.metadata;
  const nodeSelectorTerms = [{ matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [random.pick(ZONES)] }] }];
  const volumeName = `pv-${name}`;
  (volumes.persistentVolumes as unknown[]).push({
    metadata: { name: volumeName },
    spec: { csi: { driver: 'disk.example.com' }, nodeAffinity: { required: { nodeSelectorTerms } } },
  });
  (volumes.volumeClaims as unknown[]).push({ metadata: { name, namespace }, spec: { volumeName } });
  return { ...pod, spec: { ...pod.spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }] } };
}

function randomDaemon(random: Random): Pod {
  return makePod('agent', {
    namespace: 'kube-system',
    requests: { cpu: '50m', memory: '64Mi' },
    ...(random.chance(0.5) && { tolerations: [{ operator: 'Exists' }] }),
    ...(random.chance(0.3) && { nodeSelector: { [ARCH_LABEL]: 'amd64' } }),
  });
}
